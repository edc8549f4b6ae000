"""Videos and photos of trials: kept beside the study, and bound to the journal by their hash."""

import errno
import hashlib
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path

from stopwise.errors import InvalidInput, NotAllowed, StoreFailed, require
from stopwise.study.entries import Entry
from stopwise.study.event import Event, Open
from stopwise.study.operation import Now, Operation
from stopwise.study.requirements import require_trial
from stopwise.study.state import StudyState

FOLDER = "recordings"
LARGEST = 200 * 2**20  # bytes
MOST_RECORDINGS = 5  # of one trial
CHUNK = 2**20
# The media type of each kind of file that browsers show, by the ending of its name.
TYPES = {
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "webm": "video/webm",
}
PHOTOS = ("jpg", "png", "webp")


class Filmed(Event, kind="filmed", says="trial {trial}: recording {file} added"):
    trial: Open[int]
    file: Open[str]
    digest: Open[str]
    size: Open[int]

    def change(self, state: StudyState, _: Entry) -> None:
        state.recordings.append((state.known(self.trial).number, self.file, self.digest))


class Film(Operation[None]):
    """Register a stored file as a recording of a trial."""

    trial: int
    file: str
    digest: str
    size: int

    def decide(self, now: Now) -> Sequence[Event]:
        require_room(now.state, self.trial)
        for known, file, _ in now.state.recordings:
            if file == self.file and known == self.trial:
                return []  # already stored
            if file == self.file:
                raise NotAllowed(f"this file is the recording of trial {known} already")
        return [Filmed(**dict(self))]


def ending_of(start: bytes) -> str | None:
    """File type by its first bytes, whatever its name."""
    if start.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if start.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return "webp"
    if start[4:8] == b"ftyp" and not start[8:12].startswith((b"hei", b"mif", b"avif")):
        return "mov" if start[8:12] == b"qt  " else "mp4"
    return "webm" if start.startswith(b"\x1aE\xdf\xa3") else None


def keep(folder: Path, content: str | Path | Iterable[bytes]) -> tuple[str, str, int]:
    """Store a file, or its parts, for the owner alone; return its name, SHA-256 and size."""
    folder.mkdir(mode=0o700, exist_ok=True)
    part, size, start, digest = folder / f".{secrets.token_hex(8)}", 0, b"", hashlib.sha256()
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            for chunk in _chunks(Path(content)) if isinstance(content, str | Path) else content:
                size += len(chunk)
                require(size <= LARGEST, f"a recording can have at most {LARGEST // 2**20} MiB")
                start = start or bytes(chunk[:16])
                digest.update(chunk)
                file.write(chunk)
        ending = ending_of(start)
        if ending is None:
            raise InvalidInput(f"a recording must be one of {', '.join(TYPES)}, by its content")
        name = f"{digest.hexdigest()[:32]}.{ending}"
        part.replace(folder / name)
    except OSError as error:
        raise not_stored(error) from error
    finally:
        part.unlink(missing_ok=True)
    return name, digest.hexdigest(), size


def not_stored(error: OSError) -> StoreFailed:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    why = f"the recording was not stored: {error.strerror}"
    return StoreFailed(why, code="disk-full" if full else None)


def require_room(state: StudyState, number: int) -> None:
    trial = require_trial(state, number)
    if not trial.code:
        raise NotAllowed(f"trial {number} was imported: it has no recording")
    if state.unblinded_at is not None:
        raise NotAllowed("the study is unblinded: it is too late to add a recording")
    if sum(known == number for known, _, _ in state.recordings) >= MOST_RECORDINGS:
        raise NotAllowed(f"trial {number} has {MOST_RECORDINGS} recordings already")


def _chunks(path: Path) -> Iterable[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror}") from error


def is_intact(path: Path, digest: str) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest

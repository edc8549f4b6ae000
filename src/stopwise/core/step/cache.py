"""Tables on disk: checked when read, replaced in one move, and made by one process at a time."""

import contextlib
import hashlib
import io
import os
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stopwise.files import replace_file

Arrays = Mapping[str, NDArray[Any]]

# Part of every file and file name: raise it whenever a synthesised number can change.
VERSION = 1
_POLL_SECONDS = 0.05
# A lock is renewed while its owner works, so an old one belongs to a process that is gone.
_STALE_SECONDS = 30.0


def cache_folder() -> Path:
    """Folder of the tables: ``STOPWISE_CACHE``, else the platform's cache folder."""
    chosen = os.environ.get("STOPWISE_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "stopwise" / "step"


def load_or_make(
    name: str, make: Callable[[Callable[[], None]], Arrays], folder: Path | None = None
) -> Arrays:
    """Read the table of this name, unique for its parameters, from disk, or make and store it."""
    folder = cache_folder() if folder is None else folder
    path = folder / f"{name}-v{VERSION}.npz"
    found = read(path)
    if found is not None:
        return found
    with contextlib.ExitStack() as stack:
        renew: Callable[[], None] = lambda: None  # noqa: E731
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            renew = stack.enter_context(_lock(path.with_suffix(".lock")))
        # Whoever waited for the lock finds the table that its owner has made.
        found = read(path)
        if found is None:
            found = make(renew)
            with contextlib.suppress(OSError):
                write(path, found)
    return found


def read(path: Path) -> Arrays | None:
    try:
        # Opened here, because numpy leaves the file open when it finds it damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
        return None
    version, checksum = arrays.pop("version", None), arrays.pop("checksum", None)
    if version is None or checksum is None or int(version) != VERSION:
        return None
    return arrays if str(checksum) == _checksum(arrays) else None


def write(path: Path, arrays: Arrays) -> None:
    """Store arrays so that readers see the old file or the new one, never a part of it."""
    content = io.BytesIO()
    contents: dict[str, Any] = {**arrays, "version": VERSION, "checksum": _checksum(arrays)}
    np.savez_compressed(content, **contents)
    replace_file(path, content.getvalue())


def _checksum(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        digest.update(f"{key}:{array.dtype.str}:{array.shape};".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[Callable[[], None]]:
    """Hold a lock file, waiting for its owner; yields a function that shows the owner is alive."""
    while True:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                    path.unlink()
                    continue
            time.sleep(_POLL_SECONDS)

    def renew() -> None:
        with contextlib.suppress(FileNotFoundError):
            os.utime(path)

    try:
        yield renew
    finally:
        path.unlink(missing_ok=True)

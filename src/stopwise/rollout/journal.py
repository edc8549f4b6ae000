"""Every episode as one line of a file, so that a race survives anything but the disk.

The first line says which race it is; each further one is an episode, in order of arrival, or the
note that the race was taken up again, or that a policy joined. Nothing is ever changed, except that
a last line which a crash cut short is taken away before the next is written.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from stopwise.core.snapshot import other_edition, other_format
from stopwise.data.formats.race_journal import DAMAGED, JournalCheck
from stopwise.errors import InvalidInput, InvalidState, StopwiseError, require
from stopwise.messages import Notes, Setting, named, shortened
from stopwise.rollout.episode import Episode
from stopwise.rollout.stopped import RaceStopped

if sys.platform == "win32":
    fcntl = None  # no such locks there
else:
    import fcntl

KIND = "stopwise race"
VERSION = 1
OPENING = json.dumps({"kind": KIND}).encode()[:-1]  # of the first line


class Journal:
    """The file of one race, open for more.

    ``identity`` makes it this race and no other. What failed episodes count as may be another
    choice than before, which the journal then notes.
    """

    def __init__(self, path: str | Path, identity: Mapping[str, Any], on_error: str) -> None:
        self.path = Path(path)
        # Of a place that was run anew after a failure, the last counts.
        self._places: dict[tuple[str, int], Episode] = {}
        self.newcomers: dict[str, str] = {}  # what tells policies that joined from others, by name
        self.notes = Notes()
        self._choices: list[str] = []
        content = plain(identity)
        self._check_line = JournalCheck(content, on_error)
        require(
            self.path.is_file() or not self.path.exists(),
            f"{self.path}: a journal must be a regular file, from which a race can go on",
        )
        try:
            self._file = self.path.open("ab", buffering=0)
        except OSError as error:
            raise InvalidInput(f"{self.path}: the journal cannot be written: {error}") from error
        try:
            _reserve(self._file, self.path)
            begun = self._read(content)
        except BaseException:
            self._file.close()
            raise
        if begun:
            self._write({"resumed": len(self.episodes), "on_error": on_error})
        else:
            self._write({"kind": KIND, "version": VERSION, "race": content, "on_error": on_error})
        choices = list(dict.fromkeys([*self._choices, on_error]))
        if len(choices) > 1:
            self.notes.add(
                named("on_error"),
                f" changed along the way ({', then '.join(choices)}): if that choice was made "
                "after seeing scores, the guarantee does not hold",
            )

    @property
    def joined(self) -> dict[str, int]:
        return self._check_line.joined

    @property
    def episodes(self) -> tuple[Episode, ...]:
        return tuple(self._places.values())

    def add(self, episode: Episode) -> None:
        """Append one episode; it is with the system before this returns."""
        self._write(episode.to_dict())

    def join(self, policy: str, row: int, identity: str) -> None:
        self._write({"joined": policy, "row": row, "policy": identity})

    def close(self) -> None:
        self._file.close()

    def _write(self, content: Mapping[str, Any]) -> None:
        line = json.dumps(content).encode() + b"\n"
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            raise RaceStopped(
                f"{self.path}: the journal cannot be written: {error.strerror}; make room there"
            ) from error

    def _read(self, identity: Mapping[str, Any]) -> bool:
        """Take in what is there; return False if not even the first line is whole."""
        data = self.path.read_bytes()
        whole, _, torn = data.rpartition(b"\n")
        first = whole or torn
        require(
            first.startswith(OPENING) or (not whole and OPENING.startswith(first)),
            f"{self.path}: this is not a race journal, and nothing was written to it; name a new "
            "file, or the journal of an earlier run, with ",
            Setting("journal"),
        )
        lines = whole.split(b"\n") if whole else []
        for number, line in enumerate(lines, start=1):
            try:
                content = json.loads(line)
                if number == 1:
                    self._begin(content, identity)
                else:
                    self._take(number, content)
            except StopwiseError:
                raise
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                raise InvalidState(f"{self.path}, line {number}: {DAMAGED}") from error
        if torn:  # only now is it known to be a journal
            cut = "the last line of the journal was cut off; its episode was run again"
            self.notes.add(cut, code="journal-cut")
            with self.path.open("r+b") as file:
                file.truncate(len(data) - len(torn))
        return bool(whole)

    def _begin(self, line: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
        begun = f"{self.path}: the race was started"
        refusal = other_format(begun, line.get("version"), VERSION)
        if refusal is not None:
            raise InvalidState(refusal)
        self._choices.append(str(line.get("on_error")))
        known = dict(line["race"])
        edition = known.pop("edition", None)
        for name in dict.fromkeys([*identity, *known]):
            require(
                name == "edition" or identity.get(name) == known.get(name),
                f"{self.path}: this journal belongs to another race: its {name} is "
                f"{shortened(known.get(name))}, not {shortened(identity.get(name))}",
            )
        refusal = other_edition(identity["method"], edition, begun)
        if refusal is not None:
            raise InvalidState(refusal)

    def _take(self, number: int, line: dict[str, Any]) -> None:
        wrong = self._check_line(line)
        if wrong is not None:
            raise InvalidState(f"{self.path}, line {number}: {wrong}")
        if "score" in line:
            episode = Episode(**line)
            self._places[episode.place] = episode
        elif "joined" in line:
            self.newcomers[line["joined"]] = str(line.get("policy"))
        else:
            self._choices.append(str(line.get("on_error")))


def recorded_race(path: str | Path) -> dict[str, Any]:
    """Header of a journal; empty if the file has none.

    A race that goes on takes from here what it would otherwise choose or draw anew. Whether the
    file is fit to go on with is for ``Journal`` to say.
    """
    if not Path(path).is_file():  # to open a pipe would wait for its other end
        return {}
    try:
        with Path(path).open("rb") as file:
            first = json.loads(file.readline())
        return dict(first["race"]) if first["kind"] == KIND else {}
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return {}


def _reserve(file: BinaryIO, path: Path) -> None:
    """Keep other races from the file until it is closed, be it by a crash."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InvalidInput(f"{path}: another race is writing to this journal right now") from error
    except OSError:
        return  # a file system without locks


def plain(identity: Mapping[str, Any]) -> dict[str, Any]:
    """Return the identity as it is after a journey through JSON."""
    document: dict[str, Any] = json.loads(json.dumps(identity))
    return document

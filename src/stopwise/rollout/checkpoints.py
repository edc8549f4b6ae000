"""Checkpoints by the pattern of their paths, each a policy that one loader makes."""

import math
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from itertools import takewhile
from pathlib import Path
from typing import Any

from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting
from stopwise.policies import import_path

Loader = Callable[[str], Any] | str
# Seconds between two looks at a folder. More: newcomers wait. Less: half-written ones are taken.
PAUSE = 1.0


@dataclass(frozen=True)
class Checkpoint:
    """A factory of a policy that can be sent to other processes."""

    path: str  # where it is, as it was matched; the journal of a race knows it by this
    place: str  # the same from the root, since a worker may run in another folder
    load: Loader  # returns the policy, given the place; or where to find that function

    def __call__(self) -> Any:
        load = import_path.load(self.load) if isinstance(self.load, str) else self.load
        return load(self.place)


class Checkpoints:
    """The checkpoints of a folder or pattern: those that are there, and those that appear.

    Of a race that goes on, ``begun`` has the names by ``identity_of`` the checkpoint; what else is
    there by now appeared later.
    """

    def __init__(
        self,
        given: Any,
        load: Loader | None,
        begun: Mapping[str, str] | None = None,
        *,
        least: int = 2,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = _checked(given, load)
        self._pattern, self._clock = str(given), clock
        there = {path: self._checkpoint(path) for path in _matching(self._pattern)}
        if begun:
            there = {
                path: checkpoint
                for path, checkpoint in there.items()
                if identity_of(checkpoint) in begun
            }
        require(there != {}, f"{given}: no checkpoint matches")
        require(
            len(there) >= least,
            f"{given}: only {next(iter(there))} matches, but a comparison needs at least 2 "
            "checkpoints",
        )
        self._name = naming([Path(path) for path in there])
        self._names = {
            path: begun[str(identity_of(checkpoint))] if begun else self._name(Path(path))
            for path, checkpoint in there.items()
        }
        self.first = {self._names[path]: checkpoint for path, checkpoint in there.items()}
        self.left_out: list[str] = []  # that appeared and may not join
        self._stamps: dict[str, tuple[int, int]] = {}
        self._looked = -math.inf

    def appeared(self, awaited: Collection[str]) -> dict[str, Checkpoint]:
        """Return the awaited ones that came since the last look, once nobody writes to them.

        That is, when they are as they were at the look before; looks are some time apart.
        """
        newcomers: dict[str, Checkpoint] = {}
        if self._clock() < self._looked + PAUSE:
            return newcomers
        self._looked = self._clock()
        for path in _matching(self._pattern):
            stamp = None if path in self._names else _stamp(Path(path))
            if stamp is None:
                continue
            if self._stamps.get(path) == stamp:
                name = self._name(Path(path))
                name = Path(path).as_posix() if name in self._names.values() else name
                self._names[path] = name
                if name in awaited:
                    newcomers[name] = self._checkpoint(path)
                else:
                    self.left_out.append(name)
            self._stamps[path] = stamp
        return newcomers

    def joined(self, newcomers: Mapping[str, str]) -> dict[str, Checkpoint]:
        """Return those that joined an earlier run of the race, given ``identity_of`` each."""
        there = {
            identity_of(checkpoint): checkpoint
            for checkpoint in map(self._checkpoint, _matching(self._pattern))
        }
        for name, identity in newcomers.items():
            gone = f"{self._pattern}: {name}, which joined this race, is no longer there"
            require(identity in there, gone)
            self._names[there[identity].path] = name
        return {name: there[identity] for name, identity in newcomers.items()}

    def _checkpoint(self, path: str) -> Checkpoint:
        return Checkpoint(path, str(Path(path).absolute()), self._load)


def identity_of(thing: Any) -> str | float | None:
    """Texts and numbers as they are, other objects by name: code has no identity."""
    if thing is None or isinstance(thing, str | bool | int | float):
        return thing
    if isinstance(thing, Checkpoint):
        return f"{thing.path}, by {identity_of(thing.load)}"
    spec = getattr(thing, "spec", None)
    if spec is not None and hasattr(spec, "id"):
        return str(spec.id)
    return f"{type(thing).__name__} {getattr(thing, '__qualname__', '')}".strip()


def _checked(given: Any, load: Loader | None) -> Loader:
    require(
        isinstance(given, str | Path),
        "policies must be given by name, as in {'old': ..., 'new': ...}, or as a folder or pattern "
        f"of checkpoints, but got {given!r}",
    )
    if load is None or (isinstance(load, str) and not import_path.is_place(load)):
        raise InvalidInput(
            f"{given}: checkpoints need ",
            Setting("load"),
            ", a function that makes a policy of a path, or package.module:name of one",
        )
    return load


def _stamp(path: Path) -> tuple[int, int] | None:
    """Newest time and total size of all files, which change during a write; None if gone."""
    try:
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        stats = [file.stat() for file in files]
    except OSError:
        return None
    return max((stat.st_mtime_ns for stat in stats), default=0), sum(s.st_size for s in stats)


def _matching(pattern: str) -> list[str]:
    """Return the paths in a folder, or those that match; ckpt_9 comes before ckpt_10."""
    if Path(pattern).is_dir():
        paths = [str(path) for path in Path(pattern).iterdir() if not path.name.startswith(".")]
    else:
        paths = glob(pattern, recursive=True)

    def with_numbers(path: str) -> list[tuple[int, str]]:
        pieces = re.split(r"(\d+)", path)
        return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in pieces]

    return sorted(paths, key=with_numbers)


def naming(paths: Sequence[Path]) -> Callable[[Path], str]:
    """Name each path by the parts in which they differ.

    Examples
    --------
    >>> paths = [Path("runs/a/ckpt_1.zip"), Path("runs/a/ckpt_2.zip")]
    >>> list(map(naming(paths), paths))
    ['ckpt_1', 'ckpt_2']
    >>> paths = [Path("runs/a/last.zip"), Path("runs/b/last.zip")]
    >>> list(map(naming(paths), paths))
    ['a', 'b']
    """
    endings = {path.suffix for path in paths}

    def parts(path: Path) -> tuple[str, ...]:
        return (path.with_suffix("") if {path.suffix} == endings else path).parts

    def alike(step: int) -> int:
        """Number of parts that are the same in all paths, from one end."""
        side_by_side = zip(*(parts(path)[::step] for path in paths), strict=False)
        return sum(1 for _ in takewhile(lambda names: len({*names}) == 1, side_by_side))

    shortest = min(len(parts(path)) for path in paths)
    first = min(alike(1), shortest - 1)
    last = min(alike(-1), shortest - 1 - first)
    return lambda path: "/".join(parts(path)[first : len(parts(path)) - last] or parts(path))

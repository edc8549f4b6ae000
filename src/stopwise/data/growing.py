"""Files that others write: read again only where they have changed, in whole lines."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from stopwise.data.frames import is_path

# Seconds after which a time stamp tells: within the resolution of a clock a file can change twice.
SETTLED = 2.0
_current: ContextVar["GrowingFiles | None"] = ContextVar("growing_files", default=None)
Stamp = tuple[int, int, object]
T = TypeVar("T")


class GrowingFiles:
    """What was read of the files of a source, as long as their times and sizes are the same."""

    def __init__(self, source: Any) -> None:
        places = source.values() if isinstance(source, Mapping) else source
        listed = [source] if is_path(source) else places
        several = isinstance(listed, Sequence) or isinstance(source, Mapping)
        named = several and all(map(is_path, listed))
        self._places = [Path(place) for place in listed] if named else None
        self._stamps: dict[str, Stamp] = {}
        self._kept: dict[tuple[Callable[..., Any], str], tuple[object, Any]] = {}

    def changed(self) -> bool:
        """Stat all files; True if any differs from the last call."""
        if self._places is None:
            return True
        before, now = self._stamps, time.time_ns()
        self._stamps = {path: _stamp(status, now) for path, status in _files(self._places)}
        return self._stamps != before or not self._stamps

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Cache in this block."""
        token = _current.set(self)
        try:
            yield
        finally:
            _current.reset(token)

    def kept(self, make: Callable[..., T], path: str, mark: object, *given: Any) -> T:
        """Return ``make(*given)``, or what it returned last if the mark of the path is the same."""
        kept = self._kept.get((make, path))
        if kept is None or kept[0] != mark:
            kept = self._kept[make, path] = mark, make(*given)
        made: T = kept[1]
        return made

    def stamp(self, path: str) -> Stamp | None:
        """Value that changes with the file; None if it is not one of those looked at."""
        return self._stamps.get(path)


def growing() -> GrowingFiles | None:
    """The files being watched right now, or None."""
    return _current.get()


def unless_changed(make: Callable[[Path], T], path: Path) -> T:
    """``make(path)``, from the cache for a watched file that has not changed."""
    files = growing()
    stamp = None if files is None else files.stamp(str(path))
    if files is None or stamp is None:
        return make(path)
    return files.kept(make, str(path), stamp, path)


def _files(places: Sequence[Path]) -> Iterator[tuple[str, os.stat_result]]:
    for place in places:
        if place.is_dir():
            for folder, _, names in os.walk(place, followlinks=True):
                yield from _files([Path(folder, name) for name in names])
            continue
        try:
            yield str(place), place.stat()
        except OSError:
            continue  # gone, or not there yet


def _stamp(status: os.stat_result, now: int) -> Stamp:
    settled = now - status.st_mtime_ns > SETTLED * 1e9
    return status.st_mtime_ns, status.st_size, None if settled else object()

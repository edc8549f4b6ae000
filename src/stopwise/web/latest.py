"""Slow results, computed once for all readers, and not too often."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from stopwise.errors import StopwiseError
from stopwise.study.study import Study

# Pause between two computations, in multiples of the last one's duration.
REST = 0.25


class _Found(Protocol):
    @property
    def seq(self) -> int: ...


Result = TypeVar("Result", bound=_Found)


class Latest(Generic[Result]):
    """The newest known result; the next one is computed in the background."""

    def __init__(self, study: Study, compute: Callable[[], Result]) -> None:
        self._study, self._compute = study, compute
        self._lock = threading.Lock()
        self._found: Result | None = None
        self._not_before = 0.0
        self._work: threading.Thread | None = None

    def shown(self) -> Result:
        """The newest; many readers at once cost one computation, and only the first one waits."""
        latest, began = self._found, time.monotonic()
        if latest is not None and not (self._is_due(latest) and self._lock.acquire(blocking=False)):
            return latest
        if latest is None:
            self._lock.acquire()
        try:
            if self._found is latest:
                self._found = self._compute()
                self._not_before = time.monotonic() + REST * (time.monotonic() - began)
            assert self._found is not None
            return self._found
        finally:
            self._lock.release()

    def known(self) -> Result | None:
        """What is known already; the next is found while nobody waits."""
        idle = self._work is None or not self._work.is_alive()
        if idle and (self._found is None or self._is_due(self._found)):
            self._work = threading.Thread(target=self._find, daemon=True)
            self._work.start()
        return self._found

    def close(self) -> None:
        if self._work is not None:
            self._work.join()

    def _is_due(self, latest: Result) -> bool:
        return time.monotonic() >= self._not_before and latest.seq < self._study.seq

    def _find(self) -> None:
        with suppress(StopwiseError):  # an unreachable store may come back
            self.shown()

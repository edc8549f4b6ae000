"""Hooks for progress bars: the library never prints, the terminal layer does."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

# Told how much of how much is done.
Progress = Callable[[int, int], None]
# Shows, under a title, what it is told until its context ends.
Announcer = Callable[[str], AbstractContextManager[Progress]]


def _silent(title: str) -> AbstractContextManager[Progress]:  # noqa: ARG001
    return nullcontext(lambda done, total: None)  # noqa: ARG005


announcer: Announcer = _silent


def watched(title: str) -> AbstractContextManager[Progress]:
    """Return the context that shows the progress of one piece of work."""
    return announcer(title)

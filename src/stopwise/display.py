"""What a person at a terminal sees while the library works: progress bars on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

from stopwise.core import progress

__all__ = ["bar", "install"]

# A bar need not move more often than this; drawing costs more than most steps of the work.
MOVES = 200


def install() -> None:
    """Let long work show its progress, if standard error is a terminal."""
    progress.announcer = bar


@contextmanager
def bar(title: str) -> Iterator[progress.Progress]:
    """Show a bar under a title, until the work is done."""
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None  # noqa: ARG005
        return
    with Progress(console=console, transient=True) as shown:
        task = shown.add_task(escape(title), total=None)

        def move(done: int, total: int) -> None:
            if done == total or done % max(total // MOVES, 1) == 0:
                shown.update(task, completed=done, total=total)

        yield move

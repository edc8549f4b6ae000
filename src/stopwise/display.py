"""What a person at a terminal sees while the library works: progress bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

__all__ = ["install", "progress_bar", "synthesis_bar"]


def install() -> None:
    """Let long work of the core show its progress, if standard error is a terminal."""
    from stopwise.core.step import design

    design.announcer = synthesis_bar


def synthesis_bar(n_max: int, seconds: float) -> AbstractContextManager[Callable[[int, int], None]]:
    """Show a bar, and the estimated time, while the table of ``step`` is made."""
    return progress_bar(f"table of step for n_max = {n_max}, about {max(seconds, 1):.0f} s")


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar that is told (done, total)."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)

"""What a person at a terminal sees while the library works: progress bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["install", "synthesis_bar"]


def install() -> None:
    """Let long work of the core show its progress, if standard error is a terminal."""
    from stopwise.core.step import design

    design.announcer = synthesis_bar


@contextmanager
def synthesis_bar(n_max: int, seconds: float) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, and the estimated time, while the table of ``step`` is made."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"table of step for n_max = {n_max}, about {max(seconds, 1):.0f} s")
        yield lambda done, total: bar.update(task, completed=done, total=total)

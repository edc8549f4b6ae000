"""What a person at a terminal sees while the library works: progress bars on standard error."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["install", "progress_bar", "synthesis_bar"]

# The bars on the screen at this moment, if any.
_shown: list["Progress"] = []


def install() -> None:
    """Let long work of the core show its progress, if standard error is a terminal."""
    from stopwise.core.step import design

    design.announcer = synthesis_bar


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[float, float], None]]:
    """Show a bar while something long runs; work within it that has a bar too adds a line."""
    from rich.console import Console
    from rich.progress import Progress

    with ExitStack() as stack:
        if _shown:
            bars = _shown[-1]
        else:
            console = Console(stderr=True)
            disable = not console.is_terminal
            bars = stack.enter_context(Progress(console=console, transient=True, disable=disable))
            _shown.append(bars)
            stack.callback(_shown.remove, bars)
        task = bars.add_task(label)
        stack.callback(bars.remove_task, task)
        yield lambda done, total: bars.update(task, completed=done, total=total)


@contextmanager
def synthesis_bar(n_max: int, seconds: float) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, and the estimated time, while the table of ``step`` is made."""
    with progress_bar(f"table of step for n_max = {n_max}, about {max(seconds, 1):.0f} s") as bar:
        yield bar

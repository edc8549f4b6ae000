"""Progress bars on standard error."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from stopwise.core import progress

if TYPE_CHECKING:
    from rich.progress import Progress

# A bar need not move more often than this; drawing costs more than most steps of the work.
MOVES = 200
# The bars on the screen at this moment, if any: only one set can be.
_shown: list["Progress"] = []


def install() -> None:
    """Let long work show its progress, if standard error is a terminal."""
    progress.announcer = bar


@contextmanager
def bar(title: str) -> Iterator[progress.Progress]:
    """Show a bar under a title while something long runs; work within it adds a line."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None  # noqa: ARG005
        return
    from rich.markup import escape
    from rich.progress import Progress

    with ExitStack() as stack:
        inner = bool(_shown)
        if not inner:
            _shown.append(stack.enter_context(Progress(console=console, transient=True)))
            stack.callback(_shown.clear)
        bars = _shown[0]
        task = bars.add_task(escape(title), total=None)
        if inner:
            stack.callback(bars.remove_task, task)

        drawn = -1

        def move(done: int, total: int) -> None:
            nonlocal drawn
            if done * MOVES // max(total, 1) != drawn:
                drawn = done * MOVES // max(total, 1)
                bars.update(task, completed=done, total=total)

        yield move

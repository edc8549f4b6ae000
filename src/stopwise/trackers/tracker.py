"""The interface of a tracker."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

# Before every name, so that nothing of a run that others write to is touched.
PREFIX = "stopwise/"

RowFunction = Callable[[int, dict[str, float]], object]


class Tracker(Protocol):
    """A run in some tracker; all calls come from one thread, in order.

    What a call raises is said once and changes nothing else.
    """

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Keep what was declared, plain values by name."""

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:
        """Add the numbers after a row, by names without special characters.

        ``verdict`` is what is shown by then, in words, or None where that has not changed.
        """

    def finish(self, verdict: str | None, page: Path | None) -> None:
        """Keep the answer and the report, a page of HTML, if there are any; close what was opened.

        The page is gone afterwards. A run that was open before stays open.
        """


@dataclass(frozen=True)
class OnRow:
    """A function of the user that is called with each row and its values."""

    function: RowFunction

    def begin(self, settings: Mapping[str, Any]) -> None: ...
    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None) -> None:  # noqa: ARG002
        self.function(row, dict(numbers))

    def finish(self, verdict: str | None, page: Path | None) -> None: ...

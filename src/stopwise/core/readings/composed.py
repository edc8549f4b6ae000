"""Readings: how what was observed becomes the numbers that are compared, a file each."""

from functools import cache
from typing import TYPE_CHECKING

from stopwise.core.readings.against import Against
from stopwise.core.readings.averages import Averages
from stopwise.core.readings.by_task import ByTask
from stopwise.core.readings.control import Control, Judge
from stopwise.core.readings.list_rules import Listed
from stopwise.core.readings.rounds import Rounds
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.core.readings.wins import WINS, Wins
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# Each may change what those behind it give.
PARTS: tuple[type[Scores], ...] = (
    *(Judge, Control, Listed, Rounds, ByTask),
    *(Against, Averages, Wins),
)
COMPARED_BY = ("means", WINS)


def bounds_of(rules: "Rules") -> tuple[float, float]:
    """Return the bounds of the score; wins have their own."""
    require(
        isinstance(rules.lower_is_better, bool),
        f"lower_is_better must be True or False, but got {rules.lower_is_better!r}",
        parameter="lower_is_better",
    )
    return (0.0, 1.0) if rules.by == WINS else Scale.declared(rules.bounds).ends


def reading_of(rules: "Rules") -> Scores:
    """Return the readings that the rules declare, composed to one."""
    return _composed(tuple(part for part in PARTS if part.declared(rules)))(rules)


@cache
def _composed(parts: tuple[type[Scores], ...]) -> type[Scores]:
    return type("Reading", (*parts, Scores), {})

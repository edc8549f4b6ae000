"""The readings that rules declare, composed to one, and which settings do not go together."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stopwise.core.readings.against import Against
from stopwise.core.readings.averages import Averages
from stopwise.core.readings.control import Control, Judge
from stopwise.core.readings.fixed_list import Listed
from stopwise.core.readings.rounds import ByTask, Rounds
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.core.readings.wins import WINS, Wins
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules

# Beside any value that is not the usual one.
ANY = object()


# What follows from other settings, in words.
CALLED = {
    "rounds": "a bet held through rounds of tasks",
    "groups": "an average of several trials",
    "proxy_mean": "a proxy",
}


class Apart(NamedTuple):
    """A setting, another with the value that it does not go with, and the reason."""

    first: str
    second: str
    value: Any
    reason: str
    given: Any = ANY  # the value of the first


APART = (
    Apart("reference", "by", "wins", "a number has no trials that could win"),
    Apart("reference", "stored", ANY, "a number has no trials to wait for"),
    Apart("reference", "groups", ANY, "a number has no trials to wait for"),
    Apart("reference", "goal", "best", "the best is sought among policies that are tried"),
    Apart(
        "by",
        "goal",
        "best",
        "a may win more often against b, b against c and c against a, so a best policy need not "
        "exist; ask for the order",
        given="wins",
    ),
    Apart("groups", "by", "wins", "it is no trial that wins"),
    Apart(
        "groups",
        "design",
        "paired",
        "a row is one environment that all policies share",
    ),
    Apart("groups", "goal", "best", "the numbers of trials of candidates are not known beforehand"),
    Apart("audit", "design", "independent", "a pair is audited as a whole, drawn before it is run"),
    Apart("audit", "groups", ANY, "an audit is drawn before a row is run, stored trials were run"),
    Apart("list_size", "groups", ANY, "each scene of a list is tried once by each policy"),
    Apart("rounds", "goal", "best", "its bets are proven for pairs"),
    Apart("rounds", "groups", ANY, "a product over tasks is fair for single trials of each"),
    Apart("rounds", "list_size", ANY, "a list has no rounds of tasks: its scenes are one list"),
    Apart("list_size", "later", ANY, "a policy that joins late has missed scenes of the list"),
    *(
        Apart(name, *other)
        for name in ("proxy_mean", "audit")
        for other in (
            ("reference", ANY, "its bets are for a difference of two policies"),
            ("equivalence", ANY, "its bets are for one margin"),
            ("list_size", ANY, "its bets are not proven for scenes without replacement"),
            ("goal", "best", "its bets are proven for pairs"),
            ("by", "wins", "its bets rest on the bounds of the scores"),
        )
    ),
    Apart("equivalence", "margin", ANY, "sameness is two claims with margins of its own"),
    Apart("equivalence", "alternative", "greater", "sameness is a claim in both directions"),
    Apart("equivalence", "alternative", "less", "sameness is a claim in both directions"),
    Apart("equivalence", "goal", "best", "sameness is a claim about pairs"),
    Apart("equivalence", "by", "wins", "sameness is a claim about means"),
)


def require_together(given: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Raise at the first settings that do not go together; what is usual goes with everything."""
    apart = apart_in(given, usual)
    if apart is not None:
        first, second, value, reason, _ = apart
        subject = CALLED.get(first, named(first))
        other = CALLED.get(second, named(second)) if value is ANY else Setting(second, value)
        raise InvalidInput(subject, " does not go with ", other, f": {reason}", parameter=first)


def apart_in(given: Mapping[str, Any], usual: Mapping[str, Any]) -> Apart | None:
    """Return the first settings that do not go together, or None."""
    for apart in APART:
        first = _asked(given, usual, apart.first, apart.given)
        if first and _asked(given, usual, apart.second, apart.value):
            return apart
    return None


def _asked(given: Mapping[str, Any], usual: Mapping[str, Any], name: str, value: Any = ANY) -> bool:
    value_given = given.get(name)
    if value is not ANY:
        return bool(value_given == value)
    empty = isinstance(value_given, Mapping | Sequence) and not value_given
    return not (value_given is None or empty or bool(np.all(value_given == usual.get(name))))


# Each may change what those behind it give.
PARTS: tuple[type[Scores], ...] = (
    *(Judge, Control, Listed, Rounds, ByTask),
    *(Against, Averages, Wins),
)
COMPARED_BY = ("means", WINS)


def bounds_of(rules: "Rules") -> tuple[float, float]:
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

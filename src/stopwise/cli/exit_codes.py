"""Exit codes for answers, with ``--exit-code``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.cli.command import Mistyped

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

# The same as of a gate; 2 is bad input.
SHOWN, WORSE, OPEN = 0, 1, 3


def require_baseline(policies: int, baseline: str | None, goal: str) -> None:
    """Raise unless it is clear which policy is the baseline."""
    if policies > 2 and baseline is None and goal != "best":
        raise Mistyped("--exit-code needs --baseline: there are more than two policies")


def code_of(analyses: Sequence["Analysis"]) -> int:
    """The exit code of all tasks: one that is worse counts most, then one undecided."""
    codes = [_code(analysis) for analysis in analyses]
    return next((code for code in (WORSE, OPEN) if code in codes), SHOWN)


def _code(analysis: "Analysis") -> int:
    rules = analysis.rules
    require_baseline(len(rules.policies), rules.baseline, rules.goal)
    if rules.goal == "best":
        return OPEN if analysis.best is None else SHOWN
    baseline = rules.baseline or rules.policies[0]
    if any(pair.better == baseline for pair in analysis.pairs):
        return WORSE
    return SHOWN if all(pair.decided and not pair.same for pair in analysis.pairs) else OPEN

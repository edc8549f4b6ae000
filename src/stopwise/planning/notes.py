"""What has to be said beside the rows of a plan."""

from collections.abc import Sequence
from dataclasses import replace

from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.rules import Rules
from stopwise.planning.fixed_sample import MOST_POWER, WELCH
from stopwise.planning.plan_row import PlanRow
from stopwise.questions import pose
from stopwise.questions.reach import out_of_reach

GENEROUS = (
    "declare n_max generously: a study stops as soon as it can, a larger n_max costs few trials, "
    "and extending a smaller one later costs many"
)

STEP_ASSUMES = "step assumes success rates that stay the same throughout the study"
HOPELESS = 0.01  # below this power it is asked whether an n_max can decide anything
STORED = (
    "the {} stored trials of the first policy are assumed to come from the conditions of the new "
    "ones; all counts are of new trials"
)
LISTED = (
    "the list of {} scenes is assumed to be drawn from such scores: the right verdict is which "
    "policy is better on that list, or that they are equal there"
)


def notes_on(rows: Sequence[PlanRow], rules: Rules) -> list[str]:
    """Notes on rows, by their rules."""
    found: list[str] = []
    for n_max in sorted({row.n_max for row in rows if row.power < HOPELESS}):
        found += out_of_reach(pose(replace(rules, n_max=n_max)))
    # It plans for n_max, and yet it can be extended; stored trials make groups by n_max.
    if rules.reading.finite:
        found.append(LISTED.format(rules.list_size))
    elif rules.method == NScorePlus.name and not rules.reading.new:
        found.append(GENEROUS)
    found += [STORED.format(number) for number in (rules.groups or {}).values()]
    if any(row.power > MOST_POWER and row.fixed_n is not None for row in rows):
        found.append(
            f"where power exceeds {MOST_POWER:g}, the fixed-sample plan has a power of "
            f"{MOST_POWER:g}"
        )
    if any(row.fixed_test == WELCH for row in rows):
        found.append(
            "the fixed-sample plan uses Welch's t-test, which is approximate for bounded scores"
        )
    return found

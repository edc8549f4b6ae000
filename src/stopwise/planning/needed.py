"""What to declare: the n_max that reaches the target power, and what else would do."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from stopwise.core.futility import MayBeFutile
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.rules import Rules
from stopwise.core.step.method import Step
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.planned_study import PlannedStudy
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.scenarios import GapFamily, Scenario
from stopwise.planning.smallest_gap import crossing

# No study of more trials per policy is advised.
MOST_N = 5000
# So much more power is aimed at, since the search stops within an error of this size.
AHEAD = 0.006
# How much the scores of one start have in common, where nobody has measured it.
USUAL_CORRELATION = 0.3
# The exact table of ``step`` takes long beyond.
MOST_STEP = 200

RowOf = Callable[[PlannedStudy, Scenario], PlanRow]


@dataclass(frozen=True, kw_only=True)
class Needed:
    """The study that reaches the target power, if the policies perform as assumed.

    Attributes
    ----------
    row
        What to expect of it.
    equal
        The same with binding futility if the policies are equal; None where there is no such stop.
    """

    row: PlanRow
    equal: PlanRow | None


def needed_study(
    rules: Rules,
    scenario: Scenario,
    family: GapFamily,
    *,
    power: float,
    known: list[PlanRow],
    row_of: RowOf,
) -> Needed | None:
    """Return the smallest study with the target power, or None if even ``MOST_N`` are too few.

    The search begins between the n_max of the rows that are known.
    """

    def study(n: int) -> PlannedStudy:
        return PlannedStudy(replace(rules, n_max=n))

    @cache
    def row_at(n: int) -> PlanRow:
        return row_of(study(n), scenario)

    def evaluate(root: float) -> tuple[float, float]:
        row = row_at(max(round(root * root), 2))
        return row.power, row.power_error

    # Power is nearly a straight line in the root of n_max, on the scale of normal quantiles.
    root, _ = crossing(
        evaluate,
        power=power + min(AHEAD, (1 - power) / 2),
        largest=math.sqrt(MOST_N),
        known=[(math.sqrt(row.n_max), row.power) for row in known],
    )
    if root is None:
        return None
    row = row_at(max(round(root * root), 2))
    while row.power < power and row.n_max < MOST_N:  # the search stops within its error
        row = row_at(math.ceil(1.02 * row.n_max))
    n = row.n_max
    test, nothing = study(n).comparison.test, None
    if isinstance(test, MayBeFutile):
        binding = replace(rules, n_max=n, parameters={**rules.parameters, "futility": "binding"})
        nothing = row_of(PlannedStudy(binding), family.equal)
    return Needed(row=row, equal=nothing)


def alternatives(rules: Rules, scenario: Scenario, row_of: RowOf) -> dict[tuple[str, str], PlanRow]:
    """What else could be declared with the same n_max, by method and design."""
    return {
        (other.method, design): row_of(
            PlannedStudy(other), replace(scenario, population=population)
        )
        for design, other, population in _others(rules, scenario.population)
    }


def _others(rules: Rules, population: Population) -> list[tuple[str, Rules, Population]]:
    """Return what else two policies could be compared with, each with its design in words."""
    usual = rules.method == NScorePlus.name and not rules.parameters and not rules.groups
    if not (usual and isinstance(population, Guessed) and len(population.guesses) == 2):
        return []
    found: list[tuple[str, Rules, Population]] = []
    most = population.most_correlation
    if rules.design == "independent" and most > 0:
        alike = min(USUAL_CORRELATION, most)
        name = f"paired, correlation {alike:.2g}"
        paired = replace(population, correlation=alike)
        found.append((name, replace(rules, design="paired"), paired))
    few = rules.n_max is not None and rules.n_max <= MOST_STEP
    if population.binary and few and rules.design == "independent":
        found.append((rules.design, replace(rules, method=Step.name), population))
    return found

"""Studies with the same rules, planned: their rows, the smallest gap, and what to declare.

Power is nearly a straight line in the gap, and in the root of n_max, on the scale of normal
quantiles, and all studies are simulated with the same random numbers; so a few points between
brackets are enough to find where it meets the target.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

from stopwise.core.futility import MayBeFutile
from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.rules import Rules
from stopwise.core.step.method import Step
from stopwise.planning.exact import exact_ends, is_exact
from stopwise.planning.fixed_sample import fixed_plan
from stopwise.planning.plan_result import Detectable, Needed, PlanRow
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.scenarios import GapFamily, Scenario
from stopwise.planning.simulation import CHUNK, Simulator
from stopwise.planning.studies import OrderStudy, PlannedOrder

# Runs of one power on the way to the smallest gap; all gaps share their random numbers.
GAP_RUNS = 2 * CHUNK
STEPS = 30
# Power at no gap, for the first line to draw.
WITHOUT_GAP = 0.02
# Without any simulation error, the power is met to within this.
TOLERANCE = 1e-5
# The smallest gap of a sequential test, as a multiple of that of a fixed-sample test.
SEQUENTIAL = 1.15
# So far from the target, in normal quantiles, the line from a simulated power to it is straight.
STRAIGHT = 0.25
# No study of more trials per policy is advised.
MOST_N = 5000
# So much more power is aimed at, since the search stops within an error of this size.
AHEAD = 0.006
# How much the scores of one start have in common, where nobody has measured it.
USUAL_CORRELATION = 0.3
# The exact table of ``step`` takes long beyond.
MOST_STEP = 200
STEP_ASSUMES = "step assumes success rates that stay the same throughout the study"
GENEROUS = (
    "declare n_max generously: a study stops as soon as it can, a larger n_max costs few trials, "
    "and extending a smaller one later costs many"
)


@dataclass(frozen=True)
class Planner:
    """Studies of all pairs under such rules, with a target power."""

    rules: Rules
    power: float
    simulator: Simulator

    def study(self, n_max: int, **changes: Any) -> PlannedOrder:
        return PlannedOrder(replace(self.rules, n_max=n_max, **changes))

    def row(self, study: PlannedOrder, scenario: Scenario) -> PlanRow:
        return self.rows([study], [scenario])[0]

    def rows(self, studies: Sequence[PlannedOrder], scenarios: Sequence[Scenario]) -> list[PlanRow]:
        """Rows by scenario and then by study: exact where possible, the rest simulated together."""
        cases = [(scenario, study) for scenario in scenarios for study in studies]
        known = [is_exact(scenario.population, study) for scenario, study in cases]
        simulated = iter(
            self.simulator.run(
                [
                    OrderStudy(study, scenario.population)
                    for (scenario, study), exact in zip(cases, known, strict=True)
                    if not exact
                ]
            )
        )
        rows = []
        for (scenario, study), exact in zip(cases, known, strict=True):
            ends = exact_ends(study, scenario.population) if exact else next(simulated)
            fixed = fixed_plan(study, scenario.population, ends.power)
            rows.append(PlanRow.of(ends, scenario, study.rules, fixed=fixed))
        return rows

    def detectable(
        self, study: PlannedOrder, family: GapFamily, known: Sequence[PlanRow] = ()
    ) -> Detectable:
        """Smallest gap that this study detects; ``known`` are rows of the family."""
        span = self.rules.scale.span

        def evaluate(gap: float) -> tuple[float, float]:
            return self._power(study, family.population(gap))

        gap, error = None, 0.0
        if family.largest >= 1e-6:
            # That of a fixed-sample test, by the normal limit, made a little larger.
            deviation = 0.5 if family.base is None else max(family.base.deviation, 0.05)
            effect = SEQUENTIAL * float(ndtri(self.power) - ndtri(study.level))
            noisy = 2 if family.number is None else 1  # policies of a pair that are
            noise = math.sqrt(noisy * (1 - family.correlation) / study.n_max)
            gap, error = crossing(
                evaluate,
                power=self.power,
                largest=family.largest,
                known=[(row.gap / span, row.power) for row in known],
                start=effect * deviation * noise,
            )
        return Detectable(
            n_max=study.n_max, gap=None if gap is None else gap * span, gap_error=error * span
        )

    def _power(self, study: PlannedOrder, population: Population) -> tuple[float, float]:
        if is_exact(population, study):
            return exact_ends(study, population).power, 0.0
        # A precision out of reach: every study gets the same runs, with the same random numbers.
        model = OrderStudy(study, population)
        (ends,) = self.simulator.run([model], precision=1e-6, most=GAP_RUNS)
        return ends.power, ends.power_error

    def needed(
        self, scenario: Scenario, family: GapFamily, known: Sequence[PlanRow]
    ) -> Needed | None:
        """Smallest study with the target power, or None if even ``MOST_N`` are too few."""

        @cache
        def row_at(n: int) -> PlanRow:
            return self.row(self.study(n), scenario)

        def evaluate(root: float) -> tuple[float, float]:
            row = row_at(max(round(root * root), 2))
            return row.power, row.power_error

        root, _ = crossing(
            evaluate,
            power=self.power + min(AHEAD, (1 - self.power) / 2),
            largest=math.sqrt(MOST_N),
            known=[(math.sqrt(row.n_max), row.power) for row in known],
        )
        if root is None:
            return None
        row = row_at(max(round(root * root), 2))
        while row.power < self.power and row.n_max < MOST_N:  # the search stops within its error
            row = row_at(math.ceil(1.02 * row.n_max))
        equal = None
        if isinstance(self.study(row.n_max).comparison.test, MayBeFutile):
            parameters = {**self.rules.parameters, "futility": "binding"}
            equal = self.row(self.study(row.n_max, parameters=parameters), family.equal)
        return Needed(row=row, equal=equal)

    def others(self, scenario: Scenario, n_max: int) -> dict[tuple[str, str], PlanRow]:
        """What else two policies could be compared with, by method and design."""
        rules, population = self.rules, scenario.population
        rows: dict[tuple[str, str], PlanRow] = {}
        if not (self.usual and isinstance(population, Guessed) and len(population.guesses) == 2):
            return rows
        alike = min(USUAL_CORRELATION, population.most_correlation)
        if alike > 0:
            paired = replace(scenario, population=replace(population, correlation=alike))
            study = self.study(n_max, design="paired")
            rows[rules.method, f"paired, correlation {alike:.2g}"] = self.row(study, paired)
        if self.allows_step(population, n_max):
            step = self.study(n_max, method=Step.name)
            rows[Step.name, rules.design] = self.row(step, scenario)
        return rows

    @property
    def usual(self) -> bool:
        """Whether two policies are asked for a difference by the usual method and design."""
        rules = self.rules
        plain = rules.margin == 0 and rules.only_order and not rules.reading.constants
        usual = rules.method == NScorePlus.name and rules.design == "independent"
        return plain and usual and not (rules.parameters or rules.reading.new)

    def allows_step(self, population: Population, n_max: int) -> bool:
        """Whether ``step`` could take the place of the usual method."""
        few = n_max <= MOST_STEP and not self.rules.reading.finite
        return self.usual and few and population.binary


def crossing(
    evaluate: Callable[[float], tuple[float, float]],
    *,
    power: float,
    largest: float,
    known: Sequence[tuple[float, float]] = (),
    start: float | None = None,
) -> tuple[float | None, float]:
    """Find where power, which grows from nearly 0 at 0, meets the target, and the standard error.

    ``evaluate`` gives the power at a place in (0, largest], and its standard error. Places whose
    power is known say where to begin; without any that is ``start``. None if even the power at the
    largest is too small.
    """
    goal = float(ndtri(power))
    low, high = _Point.of(0.0, WITHOUT_GAP), None
    for place, chance in sorted(known):
        point = _Point.of(place, chance)
        if point.score >= goal:
            high = point
            break
        low = point
    place = _next(low, high, goal, largest) if known or start is None else start
    place = min(max(place, 0.01 * largest), 0.9 * largest)
    for _ in range(STEPS):
        found, error = evaluate(place)
        point = _Point.of(place, found)
        slope = low.slope(point)
        missed = goal - point.score
        if abs(found - power) <= max(error / 2, TOLERANCE):
            break
        if error and abs(missed) <= STRAIGHT and place + missed / slope <= largest:
            place += missed / slope
            break
        if missed <= 0:
            high = point
        elif place < largest:
            low = point
        else:
            return None, 0.0
        place = _next(low, high, goal, largest)
    density = math.exp(-0.5 * goal**2) / math.sqrt(2 * math.pi)
    return place, error / (density * slope)


class _Point(NamedTuple):
    place: float
    score: float  # the normal quantile of the power

    @classmethod
    def of(cls, place: float, power: float) -> "_Point":
        return cls(place, float(ndtri(np.clip(power, 1e-4, 1.0 - 1e-4))))

    def slope(self, other: "_Point") -> float:
        return max((other.score - self.score) / (other.place - self.place), 1e-9)


def _next(low: _Point, high: _Point | None, goal: float, largest: float) -> float:
    """Next place to try: on the line, but not at the very end of a bracket."""
    if high is None:
        before = _Point.of(0.0, WITHOUT_GAP)
        ahead = (goal - low.score) / before.slope(low) if low.place else largest
        return min(low.place + min(max(ahead, 0.1 * low.place), 2 * low.place or largest), largest)
    share = (goal - low.score) / max(high.score - low.score, 1e-9)
    return low.place + min(max(share, 0.05), 0.95) * (high.place - low.place)

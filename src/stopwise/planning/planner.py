"""Studies with the same rules, planned: their rows, the smallest gap, and what to declare.

Power is nearly a straight line in the gap, and in the root of n_max, on the scale of normal
quantiles, and all studies are simulated with the same random numbers; so a few points between
brackets are enough to find where it meets the target.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from stopwise.core.nscore_plus import NScorePlus
from stopwise.core.rules import Rules
from stopwise.core.step.method import Step
from stopwise.planning.fixed_sample import fixed_plan
from stopwise.planning.plan_result import Detectable, PlanRow
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.scenarios import GapFamily, Scenario
from stopwise.planning.simulation import CHUNK, Simulator
from stopwise.planning.studies import BestStudy, OrderStudy

# Runs of one power on the way to the smallest gap; all gaps share their random numbers.
GAP_RUNS = 2 * CHUNK
STEPS = 30
# The correlation of scores in a pair that a plan for pairs assumes.
USUAL_CORRELATION = 0.3
# Power at no gap, for the first line to draw.
WITHOUT_GAP = 0.02
# The smallest gap of a sequential test, as a multiple of that of a fixed-sample test.
SEQUENTIAL = 1.15
# So far from the target, in normal quantiles, the line from a simulated power to it is straight.
STRAIGHT = 0.25
# No study of more trials per policy is advised.
MOST_N = 5000
# So much more power is aimed at, since the search stops within an error of this size.
AHEAD = 0.006
# The table of ``step`` takes long beyond.
MOST_STEP = 200


@dataclass(frozen=True)
class Planner:
    """Studies under such rules, with a target power."""

    rules: Rules
    power: float
    simulator: Simulator

    def rows(
        self, scenarios: Sequence[Scenario], horizons: Sequence[int], **changes: Any
    ) -> tuple[PlanRow, ...]:
        """Rows by scenario and then by n_max, simulated together."""
        declared = [replace(self.rules, **{"n_max": n, **changes}) for n in horizons]
        cases = [(scenario, rules) for scenario in scenarios for rules in declared]
        kind = BestStudy if self.rules.goal == "best" else OrderStudy
        studies = [kind(rules, case.population) for case, rules in cases]
        return tuple(
            PlanRow.of(ends, *case, fixed_plan(study, ends.power))
            for ends, case, study in zip(self.simulator.run(studies), cases, studies, strict=True)
        )

    def detectable(self, n_max: int, family: GapFamily, **changes: Any) -> Detectable:
        """Smallest gap that a study of so many trials per policy detects."""
        gap, error = None, 0.0
        study = OrderStudy(replace(self.rules, n_max=n_max, **changes), family.at(0.0))
        if family.largest >= 1e-6:
            # That of a fixed-sample test, by the normal limit, made a little larger.
            effect = SEQUENTIAL * float(ndtri(self.power) - ndtri(study.level))
            gap, error = crossing(
                lambda gap: self._power(replace(study, population=family.at(gap))),
                power=self.power,
                largest=family.largest,
                start=effect * family.deviation / math.sqrt(n_max),
            )
        span = self.rules.scale.span
        return Detectable(
            n_max=n_max, gap=None if gap is None else gap * span, gap_error=error * span
        )

    def _power(self, study: OrderStudy) -> tuple[float, float]:
        # A precision out of reach: all studies get the same runs and random numbers.
        (ends,) = self.simulator.run([study], precision=1e-6, most=GAP_RUNS)
        return ends.power, ends.power_error

    def needed(self, scenario: Scenario, near: PlanRow) -> PlanRow | None:
        """Smallest study with the target power, or None if even ``MOST_N`` are too few."""

        @cache
        def row_of(n: int) -> PlanRow:
            return self.rows([scenario], [n])[0]

        def evaluate(root: float) -> tuple[float, float]:
            row = row_of(max(round(root * root), 2))
            return row.power, row.power_error

        power = self.power + min(AHEAD, (1 - self.power) / 2)
        least = _score(WITHOUT_GAP)
        steps = (_score(power) - least) / max(_score(near.power) - least, 0.1)
        root, _ = crossing(
            evaluate,
            power=power,
            largest=math.sqrt(MOST_N),
            start=steps * math.sqrt(near.n_max),
        )
        if root is None:
            return None
        row = row_of(max(round(root * root), 2))
        while row.power < self.power and row.n_max < MOST_N:  # the search stops within its error
            row = row_of(math.ceil(1.02 * row.n_max))
        return row

    def others(self, scenario: Scenario, n_max: int) -> dict[str, PlanRow]:
        """The same study of two rates in pairs, and by ``step``."""
        population, rows = scenario.population, {}
        if not (self.usual and isinstance(population, Guessed)):
            return {}
        alike = population.correlated(USUAL_CORRELATION)
        if alike.correlation > 0:
            paired = replace(scenario, population=alike)
            (row,) = self.rows([paired], [n_max], design="paired")
            rows[f"paired, r = {alike.correlation:.2g}"] = row
        if self.allows_step(population, n_max):
            (rows[Step.name],) = self.rows([scenario], [n_max], method=Step.name)
        return rows

    @property
    def usual(self) -> bool:
        """Whether two policies are asked for a difference by the usual method and design."""
        rules, reading = self.rules, self.rules.reading
        plain = rules.margin == 0 and rules.only_order and rules.design == "independent"
        special = reading.constants or reading.new or len(rules.policies) > 2
        return plain and rules.method == NScorePlus.name and not (rules.parameters or special)

    def allows_step(self, population: Population, n_max: int) -> bool:
        """Whether ``step`` could take the place of the usual method for two policies."""
        few = n_max <= MOST_STEP and not self.rules.reading.finite
        return self.usual and few and population.binary


def crossing(
    evaluate: Callable[[float], tuple[float, float]],
    *,
    power: float,
    largest: float,
    start: float,
) -> tuple[float | None, float]:
    """Find where power, which grows from nearly 0 at 0, meets the target, and the standard error.

    ``evaluate`` gives the power at a place in (0, largest], and its standard error. None if even
    the power at the largest is too small.
    """
    goal = _score(power)
    first = low = (0.0, _score(WITHOUT_GAP))
    high: tuple[float, float] | None = None
    place = min(max(start, 0.01 * largest), 0.9 * largest)
    for _ in range(STEPS):
        chance, error = evaluate(place)
        point = (place, _score(chance))
        slope, missed = _slope(low, point), goal - point[1]
        if abs(chance - power) <= error / 2:
            break
        if abs(missed) <= STRAIGHT and place + missed / slope <= largest:
            place += missed / slope
            break
        if missed <= 0:
            high = point
        elif place < largest:
            low = point
        else:
            return None, 0.0
        if high is None:  # ahead on the line so far
            step = (goal - low[1]) / _slope(first, low)
            place = min(low[0] + min(max(step, 0.1 * low[0]), 2 * low[0]), largest)
        else:  # on the line between, but not at the very end of it
            share = (goal - low[1]) / max(high[1] - low[1], 1e-9)
            place = low[0] + min(max(share, 0.05), 0.95) * (high[0] - low[0])
    density = math.exp(-0.5 * goal**2) / math.sqrt(2 * math.pi)
    return place, error / (density * slope)


def _score(power: float) -> float:
    return float(ndtri(np.clip(power, 1e-4, 1.0 - 1e-4)))


def _slope(low: tuple[float, float], high: tuple[float, float]) -> float:
    return max((high[1] - low[1]) / (high[0] - low[0]), 1e-9)

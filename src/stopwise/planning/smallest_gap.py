"""The smallest gap that a study can detect: where its power crosses the target.

Power is nearly a straight line in the gap on the scale of normal quantiles, and all gaps are
simulated with the same random numbers; so a few points between brackets are enough.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from stopwise.core.readings.scale import Scale
from stopwise.core.step.method import Step
from stopwise.planning.planned_study import PlanModel, PlannedStudy, exact_stopping_times, is_exact
from stopwise.planning.populations import Population
from stopwise.planning.scenarios import GapFamily
from stopwise.planning.simulation import CHUNK, Simulator

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


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """The smallest gap that is detected with the target power.

    Attributes
    ----------
    n_max
        Trials per policy.
    gap
        In units of the score; None if no gap within the bounds is detected so surely.
    gap_error
        Its standard error, 0 if exact.
    """

    n_max: int
    gap: float | None
    gap_error: float


def detectable_gap(
    study: PlannedStudy,
    family: GapFamily,
    power: float,
    scale: Scale,
    simulator: Simulator,
    *,
    known: list[tuple[float, float]],
) -> Detectable:
    """Return the smallest gap that this study detects with the target power.

    ``known`` are gaps (in units of the score) of the family, each with its power.
    """
    largest = family.largest
    if largest < 1e-6:
        return Detectable(n_max=study.n_max, gap=None, gap_error=0.0)
    gap, error = crossing(
        lambda gap: power_of(study, family.population(gap), simulator),
        power=power,
        largest=largest,
        known=[(gap / scale.span, power) for gap, power in known],
        start=_fixed_gap(study, family, power),
    )
    return Detectable(
        n_max=study.n_max,
        gap=None if gap is None else gap * scale.span,
        gap_error=error * scale.span,
    )


def _fixed_gap(study: PlannedStudy, family: GapFamily, power: float) -> float:
    """Smallest gap of a fixed-sample test, by the normal limit, made a little larger."""
    deviation = 0.5 if family.base is None else max(family.base.deviation, 0.05)
    effect = SEQUENTIAL * float(ndtri(power) - ndtri(study.level))
    noisy = 2 if family.number is None else 1  # policies of a pair that are
    return effect * deviation * math.sqrt(noisy * (1 - family.correlation) / study.n_max)


def power_of(
    study: PlannedStudy, population: Population, simulator: Simulator
) -> tuple[float, float]:
    """Return the power and its standard error, exact where possible."""
    if is_exact(population, study):
        return _exact_power(study, population), 0.0
    model = PlanModel(study, population)
    # A precision out of reach: every study gets the same runs, with the same random numbers.
    (times,) = simulator.run([model], precision=1e-6, most=GAP_RUNS)
    return times.power, times.power_error


def _exact_power(study: PlannedStudy, population: Population) -> float:
    """Return the power of ``step``: of two policies from its counts at the horizon."""
    test = study.comparison.test
    if study.rules.reference is None and isinstance(test, Step):
        rate0, rate1 = population.moments(np.random.default_rng(0), 1).means[0]
        return float(test.stopping.power(rate0, rate1))
    return exact_stopping_times(study, [population])[0].power


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
        return cls(place, float(ndtri(min(max(power, 1e-4), 1.0 - 1e-4))))

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

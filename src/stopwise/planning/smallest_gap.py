"""The smallest gap that a study can detect: where its power crosses the target.

Power is nearly a straight line in the gap on the scale of normal quantiles, and all gaps are
simulated with the same random numbers; so a few points between brackets are enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from stopwise.core.arrays import Floats
from stopwise.core.scores import Scale
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

    Gaps (in units of the score) whose power is known already say where to begin.
    """
    largest = family.largest
    if largest < 1e-6:
        return Detectable(n_max=study.n_max, gap=None, gap_error=0.0)
    start = _first_gap(
        study, family, power, np.array(sorted(known)).reshape(-1, 2) / [scale.span, 1]
    )
    gap, error = smallest_gap(
        lambda gap: power_of(study, family.population(gap), simulator),
        power=power,
        largest=largest,
        start=min(max(start, 0.01 * largest), 0.9 * largest),
    )
    return Detectable(
        n_max=study.n_max,
        gap=None if gap is None else gap * scale.span,
        gap_error=error * scale.span,
    )


def _first_gap(study: PlannedStudy, family: GapFamily, power: float, known: Floats) -> float:
    """Return where to begin: between gaps whose power is known, else by the normal limit."""
    gaps, powers = known.T
    if powers.size and powers[0] < power < powers[-1]:
        return float(np.interp(ndtri(power), ndtri(np.clip(powers, 1e-4, 1 - 1e-4)), gaps))
    deviation = 0.5 if family.base is None else max(family.base.deviation, 0.05)
    effect = float(ndtri(power) - ndtri(study.level))
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


def smallest_gap(
    evaluate: Callable[[float], tuple[float, float]], *, power: float, largest: float, start: float
) -> tuple[float | None, float]:
    """Return the gap in (0, largest] at which power meets the target, and its standard error.

    ``evaluate`` gives the power at a gap, and its standard error; the search begins at ``start``.
    """
    goal = float(ndtri(power))
    low, high = _Point(0.0, float(ndtri(WITHOUT_GAP))), None
    gap = start
    for _ in range(STEPS):
        found, error = evaluate(gap)
        point = _Point(gap, float(ndtri(min(max(found, 1e-4), 1.0 - 1e-4))))
        slope = (point.score - low.score) / (gap - low.gap)
        if abs(found - power) <= max(error / 2, TOLERANCE):
            break
        if point.score < goal:
            if gap >= largest:
                return None, 0.0
            low = point
        else:
            high = point
        gap = _next(low, high, goal, slope, largest)
    density = math.exp(-0.5 * goal**2) / math.sqrt(2 * math.pi)
    return gap, error / (density * max(slope, 1e-9))


class _Point(NamedTuple):
    gap: float
    score: float  # the normal quantile of the power


def _next(low: _Point, high: _Point | None, goal: float, slope: float, largest: float) -> float:
    """Return the next gap to try: on the line, but not at the very end of a bracket."""
    if high is None:
        ahead = (goal - low.score) / max(slope, 1e-9)
        return min(low.gap + min(max(ahead, 0.1 * low.gap), 2 * low.gap), largest)
    share = (goal - low.score) / max(high.score - low.score, 1e-9)
    return low.gap + min(max(share, 0.05), 0.95) * (high.gap - low.gap)

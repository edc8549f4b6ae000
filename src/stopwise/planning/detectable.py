"""The smallest gap that a budget can find: where power crosses what is wanted.

Power is nearly a straight line in the gap on the scale of normal quantiles, and all gaps are
simulated with the same random numbers; so a few points between brackets are enough.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scipy.special import ndtri

__all__ = ["Detectable", "smallest_gap"]

STEPS = 30
# Power at no gap, for the first line to draw.
WITHOUT_GAP = 0.02
# Without any simulation error, the power is met to within this.
TOLERANCE = 1e-5


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """The smallest gap that is found with the power wanted.

    Attributes
    ----------
    n_max
        Trials per policy.
    gap
        In units of the score; None if no gap within the bounds is found so surely.
    gap_error
        Its standard error, 0 if exact.
    """

    n_max: int
    gap: float | None
    gap_error: float


def smallest_gap(
    evaluate: Callable[[float], tuple[float, float]],
    *,
    power: float,
    largest: float,
    start: float,
) -> tuple[float | None, float]:
    """Return the gap at which power is as wanted, and its standard error.

    Parameters
    ----------
    evaluate
        Gives the power at a gap, and its standard error.
    power
        The power wanted.
    largest
        The largest gap possible, in the same units.
    start
        Where to begin, in (0, largest).
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

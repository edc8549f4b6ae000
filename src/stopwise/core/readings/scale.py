"""The range of scores: checked once, and mapped to [0, 1], where more is better."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats
from stopwise.core.scores import LEVEL_TOLERANCE, is_number
from stopwise.errors import InvalidInput
from stopwise.messages import named, shortened

# Sums of 32-bit floats miss a bound by a few units in the last place: ten times 0.1 is 1.0000001.
LAST_PLACES = 4 * 2.0**-23


class Scale(NamedTuple):
    """The declared range of the score, and which end of it is the good one."""

    low: float
    high: float
    lower_is_better: bool = False

    @classmethod
    def declared(cls, bounds: object, *, lower_is_better: bool = False) -> "Scale":
        low = high = math.nan
        if isinstance(bounds, Sequence | np.ndarray) and len(bounds) == 2:
            ends = [bound for bound in bounds if is_number(bound)]
            low, high = (float(end) for end in ends) if len(ends) == 2 else (low, high)
        if not (low < high and math.isfinite(high - low)):
            text = " must be two finite numbers (low, high), low < high, such as (0, 1), but got "
            raise InvalidInput(named("bounds"), f"{text}{shortened(bounds)}")
        return cls(low, high, lower_is_better)

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    @property
    def span(self) -> float:
        return self.high - self.low

    @property
    def slack(self) -> float:
        """How far outside a score may be by the rounding of 32-bit floats; it counts as the end."""
        return LAST_PLACES * max(abs(self.low), abs(self.high))

    def unit(self, scores: NDArray[Any]) -> Floats:
        """Return scores of the range as numbers in [0, 1], of which more is better."""
        unit: Floats = scores.astype(np.float64)  # a copy, so that no more are needed
        if self.lower_is_better:
            np.subtract(self.high, unit, out=unit)
        else:
            unit -= self.low
        unit /= self.span
        np.maximum(unit, 0.0, out=unit)
        return np.minimum(unit, 1.0, out=unit)

    def quick(self, score: float) -> float | None:
        """Return one score within the bounds as ``unit`` does, or None."""
        if not self.low <= score <= self.high:
            return None
        return (self.high - score if self.lower_is_better else score - self.low) / self.span

    def score(self, unit: Any) -> Any:
        """Return a number in [0, 1] (or an array of them) as the score that it stands for."""
        if self.lower_is_better:
            return self.high - unit * self.span
        return self.low + unit * self.span

    def interval(self, low: float, high: float) -> tuple[float, float]:
        """Return an interval within [0, 1] as one of scores, the lower end first."""
        ends = self.score(low), self.score(high)
        return (ends[1], ends[0]) if self.lower_is_better else ends

    def nearest(self, score: float) -> float:
        return min(max(score, self.low), self.high)

    def clip(self, scores: NDArray[Any]) -> Floats:
        return np.clip(scores.astype(np.float64), self.low, self.high)

    def check(self, scores: NDArray[Any], what: str) -> None:
        """Raise unless every score is finite and within the bounds, but for rounding."""
        low, high = self.low - self.slack, self.high + self.slack
        # One pass without temporaries for good data; NaN makes both comparisons false.
        if scores.size and not (scores.min() >= low and scores.max() <= high):
            outside = ~((scores >= low) & (scores <= high))
            bad = np.atleast_1d(scores)[np.atleast_1d(outside)][0]
            raise InvalidInput(
                f"scores must lie within the bounds [{self.low:g}, {self.high:g}], "
                f"but {what} got {bad:.9g}"
            )

    def check_levels(self, scores: NDArray[Any], levels: Floats, method: str, what: str) -> None:
        """Raise unless every score is one of the levels (given in [0, 1])."""
        unit = self.unit(scores)
        middles = 0.5 * (levels[1:] + levels[:-1])
        far = np.abs(levels[np.searchsorted(middles, unit)] - unit) > LEVEL_TOLERANCE
        if far.any():
            bad = np.atleast_1d(scores)[np.atleast_1d(far)][0]
            listed = ", ".join(f"{level:g}" for level in sorted(map(self.score, levels)))
            raise InvalidInput(
                f"{method} takes only the scores {listed}, but {what} got {bad:g}; "
                "nscore-plus takes any score within the bounds"
            )


class OrderScale(Scale):
    """Scores without bounds of which only the order counts; the range is that of a win."""

    def unit(self, scores: NDArray[Any]) -> Floats:
        scores = scores.astype(np.float64)
        return -scores if self.lower_is_better else scores

    def quick(self, score: float) -> float | None:  # noqa: ARG002
        return None

    def nearest(self, score: float) -> float:
        return score

    def clip(self, scores: NDArray[Any]) -> Floats:
        return scores.astype(np.float64)

    def check(self, scores: NDArray[Any], what: str) -> None:
        if scores.size and not np.isfinite(scores).all():
            bad = np.atleast_1d(scores)[~np.isfinite(np.atleast_1d(scores))][0]
            raise InvalidInput(f"scores must be finite numbers, but {what} got {bad:g}")

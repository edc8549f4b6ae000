"""A guess about one policy: the distribution of its scores, in units of [0, 1].

Every guess is a list of scores with probabilities. A beta distribution becomes ``ATOMS`` scores of
about equal probability, each the mean of its slice, so that the mean is exact.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.readings.scale import Scale
from stopwise.core.scores import is_number
from stopwise.errors import InvalidInput, number_of, require
from stopwise.messages import Setting, shortened

ATOMS = 1024
# A beta with a larger spread than this share of the largest would be all but success or failure.
MOST_SPREAD = 0.98
MOMENTS = Setting("guesses", words="(mean, standard deviation)")


@dataclass(frozen=True, eq=False)
class Guess:
    """Scores in [0, 1], ascending, with their probabilities, which sum to 1."""

    scores: Floats
    probabilities: Floats
    spread: float | None = None  # the standard deviation that the user gave, for a beta

    @classmethod
    def of_rate(cls, rate: float) -> "Guess":
        return cls(np.array([0.0, 1.0]), np.array([1.0 - rate, rate]))

    @classmethod
    def of_moments(cls, mean: float, deviation: float) -> "Guess":
        """Beta distribution with this mean and standard deviation."""
        from scipy.special import betainc

        weight = mean * (1.0 - mean) / deviation**2 - 1.0
        a, b = mean * weight, (1.0 - mean) * weight
        # Scores near 1 are found by their distance from it, which does not drown in rounding.
        below = float(betainc(a, b, 0.5))
        low, low_weights = _slices(a, b, below)
        high, high_weights = _slices(b, a, 1.0 - below)
        scores = np.concatenate([low, 1.0 - high[::-1]])
        return cls(scores, np.concatenate([low_weights, high_weights[::-1]]), deviation)

    @classmethod
    def seen(cls, scores: Floats) -> "Guess":
        """Scores that were seen, each as often; NaN is none."""
        values, times = np.unique(scores[~np.isnan(scores)], return_counts=True)
        return cls(values, times / times.sum())

    @cached_property
    def mean(self) -> float:
        return float(self.scores @ self.probabilities)

    @cached_property
    def deviation(self) -> float:
        return math.sqrt(float((self.scores - self.mean) ** 2 @ self.probabilities))

    @property
    def binary(self) -> bool:
        return bool(np.isin(self.scores, (0.0, 1.0)).all())

    @cached_property
    def cumulative(self) -> Floats:
        """Distribution function at the scores; ends at exactly 1."""
        # Sums of many shares may pass 1 by rounding before the last score.
        total = np.minimum(np.cumsum(self.probabilities), 1.0)
        total[-1] = 1.0
        return total

    def at(self, uniform: Floats) -> Floats:
        """Scores at these levels in [0, 1) of the distribution function."""
        if self.scores.size == 2:  # comparing is faster than searching
            place = (uniform >= self.cumulative[0]).astype(np.intp)
        else:
            place = np.searchsorted(self.cumulative, uniform, side="right")
        scores: Floats = self.scores[place]
        return scores

    def improved(self, gap: float) -> "Guess":
        """Return a policy whose mean is larger by the gap.

        Of a beta the mean moves and the spread stays (it shrinks where no beta could have it). Of
        other scores a share of the trials moves to the best score: a rate p becomes p + gap.
        """
        if self.spread is not None:
            mean = min(self.mean + gap, 1.0 - 1e-6)
            most = MOST_SPREAD * math.sqrt(mean * (1.0 - mean))
            return Guess.of_moments(mean, min(self.spread, most))
        share = min(gap / (1.0 - self.mean), 1.0)
        return self.mixed(Guess(np.array([1.0]), np.array([1.0])), share)

    def with_mean(self, mean: float) -> "Guess":
        """Policy with this mean: improved, or with a share of its trials scoring 0."""
        if mean >= self.mean or self.spread is not None:
            return self.improved(mean - self.mean)
        return self.mixed(Guess(np.zeros(1), np.ones(1)), 1.0 - mean / self.mean)

    def mixed(self, other: "Guess", share: float) -> "Guess":
        """Policy that behaves like the other in this share of its trials."""
        scores, place = np.unique(np.concatenate([self.scores, other.scores]), return_inverse=True)
        weights = np.concatenate([(1.0 - share) * self.probabilities, share * other.probabilities])
        return Guess(scores, np.bincount(place, weights, scores.size).astype(float))


def _slices(a: float, b: float, share: float) -> tuple[Floats, Floats]:
    """Cut the lower share of a beta into slices of equal probability: their means, and that."""
    from scipy.special import betainc, betaincinv

    count = math.ceil(ATOMS * share)
    if count == 0:
        return np.empty(0), np.empty(0)
    edges = betaincinv(a, b, np.linspace(0.0, share, count + 1))
    # The density of this beta times the score is that of another beta.
    means = a / (a + b) * np.diff(betainc(a + 1.0, b, edges)) * count / share
    return np.clip(means, 0.0, 1.0), np.full(count, share / count)


def as_guess(value: Any, scale: Scale) -> Guess:
    """Guess that a rate, (mean, deviation) or {score: probability} means, or raise."""
    if isinstance(value, Guess):
        return value
    if isinstance(value, str):
        with suppress(ValueError):  # and what is no number is refused below
            value = number_of(value)
    if isinstance(value, Mapping):
        return _of_levels(value, scale)
    if is_number(value):
        require(
            scale.ends == (0.0, 1.0),
            "a success rate needs bounds (0, 1), but they are "
            f"({scale.low:g}, {scale.high:g}); give ",
            MOMENTS,
        )
        require(0 <= value <= 1, f"a success rate must lie in [0, 1], but got {value:g}")
        return Guess.of_rate(float(scale.unit(np.asarray(value))))
    if isinstance(value, tuple | list) and len(value) == 2 and all(map(is_number, value)):
        return _of_moments(float(value[0]), float(value[1]), scale)
    raise InvalidInput(
        "a guess must be a success rate, ",
        MOMENTS,
        f" or {{score: probability}}, but got {shortened(value)}",
    )


def _of_moments(mean: float, deviation: float, scale: Scale) -> Guess:
    unit = float(scale.unit(np.asarray(mean)))
    least, most = 1e-4 * scale.span, math.sqrt(unit * (1.0 - unit)) * scale.span
    require(
        scale.low < mean < scale.high and least <= deviation < most,
        f"scores in [{scale.low:g}, {scale.high:g}] with mean {mean:g} must have a standard "
        f"deviation of at least {least:g} and below {most:.4g} (success or failure only), but got "
        f"{deviation:g}",
    )
    return Guess.of_moments(unit, deviation / scale.span)


def _of_levels(levels: Mapping[Any, Any], scale: Scale) -> Guess:
    pairs = [pair for pair in levels.items() if all(map(is_number, pair))]
    scores, probabilities = np.array(sorted(pairs), dtype=float).reshape(-1, 2).T
    total = float(probabilities.sum())
    inside = bool(((scores >= scale.low) & (scores <= scale.high)).all())
    require(
        len(pairs) == len(levels)
        and inside
        and abs(total - 1.0) < 1e-6
        and bool((probabilities >= 0).all()),
        f"milestones need scores in [{scale.low:g}, {scale.high:g}] with probabilities that sum to "
        f"1, but got {levels!r}",
    )
    unit = scale.unit(scores)
    worst_first = np.argsort(unit)
    return Guess(unit[worst_first], probabilities[worst_first] / total)

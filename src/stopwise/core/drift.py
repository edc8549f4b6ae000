"""Whether a difference, or the level of scores, changes along a study.

The trend of numbers against their place, in standard deviations of what chance alone does to it.
``Drift.found`` looks once, where sameness is claimed: a doubt, not a guarantee. ``changed`` looks
again and again, with a guarantee: if every order of the numbers was as likely, it finds something
with at most its level. At each look the trend is held against that of shuffled numbers, at a part
of the level; the parts add up to it (proof: docs/design/studies.md).
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats

# A standard normal is farther from 0 with probability .01.
UNUSUAL = 2.576
FIRST_LOOK = 12  # scores at the first look; each look comes when there are half as many more
WORTH = 10.0
FINENESS = 5  # shuffles for each that may reach the trend by chance at the level
AT_ONCE = 2000
RISES, FALLS = "rises", "falls"


class Drift(NamedTuple):
    """Sums over the differences of pairs."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    moment: float = 0.0  # of each difference times its number

    @classmethod
    def of(cls, differences: Floats) -> "Drift":
        """Return the sums of differences in their order."""
        number = np.arange(1, differences.size + 1)
        products = (differences, differences * differences, differences * number)
        return cls(differences.size, *(float(values.sum()) for values in products))

    def plus(self, difference: float) -> "Drift":
        """Return the sums with one more pair."""
        pairs = self.pairs + 1
        total, squares = self.total + difference, self.squares + difference * difference
        return Drift(pairs, total, squares, self.moment + pairs * difference)

    @property
    def trend(self) -> float:
        """How much the later ones lie above the earlier ones."""
        return self.moment - 0.5 * (self.pairs + 1) * self.total

    @property
    def spread(self) -> float:
        """The standard deviation of the trend if every order is as likely."""
        n = self.pairs
        scatter = self.squares - self.total**2 / max(n, 1)
        return max(math.sqrt(max(scatter, 0.0) * n * (n + 1) / 12), 1e-9)

    @property
    def found(self) -> str | None:
        """How the difference moves, "rises" or "falls", if more than chance lets it, else None."""
        if self.pairs < 3 or abs(self.trend) <= UNUSUAL * self.spread:
            return None
        return RISES if self.trend > 0 else FALLS


@lru_cache(maxsize=256)
def changed(scores: tuple[float, ...], level: float) -> str | None:
    """Return "rises" or "falls" if scores were ever seen to change along their order, else None.

    ``level`` is the chance of ever saying so of scores of which every order was as likely.
    """
    number, look = FIRST_LOOK, 1
    while number <= len(scores):
        part = level * _share(look)
        drift = Drift.of(np.array(scores[:number]))
        # What a normal would hardly do is worth shuffling for; to say nothing is never an error.
        unusual = math.erfc(abs(drift.trend) / drift.spread / math.sqrt(2)) <= WORTH * part
        if unusual and _p_value(np.array(scores[:number]), part) <= part:
            return RISES if drift.trend > 0 else FALLS
        number, look = number * 3 // 2, look + 1
    return None


def _share(look: int) -> float:
    """Return the part of the level that a look has, counted from 1; all parts add up to 1."""
    return 3.0 / ((look + 2) * (look + 3))


def _p_value(scores: Floats, level: float) -> float:
    """Return the p-value of a trend, by shuffles that are drawn before any score is known."""
    rng, size = np.random.default_rng(scores.size), scores.size
    shuffles = math.ceil(FINENESS / level)
    place = np.arange(size) - 0.5 * (size - 1)
    seen = abs(float(place @ scores)) - 1e-9 * size * size
    reached = 0
    for first in range(0, shuffles, AT_ONCE):
        several = np.tile(place, (min(AT_ONCE, shuffles - first), 1))
        reached += int((np.abs(rng.permuted(several, axis=1) @ scores) >= seen).sum())
    return (1 + reached) / (1 + shuffles)

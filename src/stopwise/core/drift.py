"""Whether a difference changes along a study."""

import math
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats

# A standard normal is farther from 0 with probability .01.
UNUSUAL = 2.576


class Drift(NamedTuple):
    """Sums over the differences of pairs."""

    pairs: int = 0
    total: float = 0.0
    squares: float = 0.0
    moment: float = 0.0  # of each difference times its number

    @classmethod
    def of(cls, differences: Floats) -> "Drift":
        number = np.arange(1, differences.size + 1)
        products = (differences, differences * differences, differences * number)
        return cls(differences.size, *(float(values.sum()) for values in products))

    def plus(self, difference: float) -> "Drift":
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
        return "rises" if self.trend > 0 else "falls"

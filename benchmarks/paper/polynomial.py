"""Scores with random polynomial densities, as in the paper's simulation, with both samplers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stopwise.core.arrays import Floats

GRID = np.linspace(0, 1, 2001)
# "inverse" draws F^-1(U); the paper's figures need 1 - F(U), which has the same mean.
SAMPLERS = ("paper", "inverse")
Rectify = Literal["always", "if negative"]


@dataclass(frozen=True, eq=False)
class PolynomialScores:
    cumulative: Floats
    mean: float

    @classmethod
    def random(cls, rng: np.random.Generator, rectify: Rectify) -> "PolynomialScores":
        order = rng.integers(1, 10)
        density = np.polyval(rng.uniform(-1.5, 1.5, order + 1), GRID)
        least = density.min()
        density = density - (least if rectify == "always" else min(least, 0))
        cumulative = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
        cumulative /= cumulative[-1]
        return cls(cumulative, 1 - float(np.mean((cumulative[1:] + cumulative[:-1]) / 2)))

    def sampler(self, name: str) -> Callable[[Floats], Floats]:
        if name == "inverse":
            return lambda uniform: np.interp(uniform, self.cumulative, GRID)
        return lambda uniform: 1 - np.interp(uniform, GRID, self.cumulative)


def random_pair(
    rng: np.random.Generator, gap: tuple[float, float], rectify: Rectify
) -> tuple[PolynomialScores, PolynomialScores]:
    while True:
        first = PolynomialScores.random(rng, rectify)
        second = PolynomialScores.random(rng, rectify)
        if gap[0] <= second.mean - first.mean <= gap[1]:
            return first, second

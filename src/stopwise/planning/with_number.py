"""Policies beside a number that they are compared with."""

from dataclasses import dataclass, replace

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.scores import Scale
from stopwise.planning.populations import Moments, Population, World


@dataclass(frozen=True, eq=False)
class WithNumber(Population):
    """Policies beside a number, the last column, which every trial of it scores.

    Parameters
    ----------
    population
        The policies.
    number
        The number, in [0, 1].
    """

    population: Population
    number: float

    @property
    def binary(self) -> bool:
        """Whether every score of the policies is success or failure."""
        return self.population.binary

    def begin(self, rng: np.random.Generator, runs: int) -> World:
        """Return studies before their first row."""
        world = self.population.begin(rng, runs)
        return World(self._beside(world.means), lambda n: self._beside(world.draw(n)))

    def with_tie(self) -> "Population":
        """Return the same with a tie among the policies."""
        return replace(self, population=self.population.with_tie())

    def moments(self, rng: np.random.Generator, worlds: int) -> Moments:
        """Return the moments of the policies, and of a number that never varies."""
        means, covariances = self.population.moments(rng, worlds)
        return Moments(self._beside(means), np.pad(covariances, ((0, 0), (0, 1), (0, 1))))

    def _beside(self, values: Floats) -> Floats:
        number = np.full((*values.shape[:-1], 1), self.number)
        return np.concatenate([values, number], axis=-1)


def unit_reference(reference: float | None, scale: Scale) -> float | None:
    """Return the reference in [0, 1]; the rules say what is wrong with one outside."""
    if reference is None:
        return None
    rules = Rules(policies=("policy",), bounds=scale.ends, reference=reference)
    return float(scale.unit(np.asarray(rules.reference)))

"""Policies beside a number that they are compared with."""

from dataclasses import dataclass

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.readings.scale import Scale
from stopwise.core.rules import Rules
from stopwise.planning.populations import Derived, Moments, World


@dataclass(frozen=True, eq=False)
class WithNumber(Derived):
    """Policies beside a number, the last column, which every trial of it scores."""

    number: float  # in [0, 1]

    def begin(self, rng: np.random.Generator, runs: int) -> World:
        """Return studies before their first row."""
        world = self.population.begin(rng, runs)
        return World(self._beside(world.means), lambda n: self._beside(world.draw(n)))

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

"""Policies beside a number that they are compared with, or beside a proxy that scores them too."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.scores import Scale
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


@dataclass(frozen=True, eq=False)
class WithProxy(Derived):
    """Policies, and behind their scores, along a first axis, those of a proxy.

    In a share of the rows the proxy says what happens, in the others what happens in a row of its
    own. So its scores are distributed like the real ones, and the share is their correlation: that
    of scores, and that of their differences between two policies.
    """

    correlation: float  # from 0 to 1
    audit: float | None = None  # of a judge: the chance that people score a row, else without one

    def begin(self, rng: np.random.Generator, runs: int) -> World:
        """Return studies before their first row; real scores are those without the proxy."""
        world = self.population.begin(rng, runs)
        right, asked, apart = rng.spawn(3)
        other = self.population.begin(apart, runs)

        def draw(n: int) -> Floats:
            scores = world.draw(n)
            knows = self.correlation > right.random((n, runs)).T
            guesses = np.where(knows[..., None], scores, other.draw(n))
            if self.audit is not None:
                audited = self.audit > asked.random((n, runs)).T
                scores = np.where(audited[..., None], scores, np.nan)
            return np.stack([scores, guesses])

        return World(world.means, draw)

    def declared(self, rules: Rules) -> Rules:
        """Return the rules of such a study: with audits, or with the proxy's mean, which is known.

        The mean is that of the policies, so these must be the same in every world.
        """
        if self.audit is not None:
            return replace(rules, audit=self.audit)
        (means,) = self.moments(np.random.default_rng(0), 1).means
        scores: Any = dict(zip(rules.policies, rules.scale.score(means).tolist(), strict=True))
        return replace(rules, proxy_mean=scores)

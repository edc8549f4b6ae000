"""Policies beside a proxy, a simulator or a judge that scores the same trials."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.planning.populations import Moments, Population, World


@dataclass(frozen=True, eq=False)
class WithProxy(Population):
    """Policies, and behind their scores, along a first axis, those of a proxy.

    In a share of the rows the proxy says what happens, in the others what happens in a row of its
    own. So its scores are distributed like the real ones, and the share is their correlation: that
    of scores, and that of their differences between two policies.

    Parameters
    ----------
    population
        The policies.
    correlation
        From 0 to 1.
    audit
        With a judge: the chance that people score a row, which has no score otherwise.
    """

    population: Population
    correlation: float
    audit: float | None = None

    @property
    def binary(self) -> bool:
        """Whether every score is success or failure."""
        return self.population.binary

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

    def with_tie(self) -> "WithProxy":
        """Return the same with a tie among the policies."""
        return replace(self, population=self.population.with_tie())

    def moments(self, rng: np.random.Generator, worlds: int) -> Moments:
        """Return the moments of the policies."""
        return self.population.moments(rng, worlds)

    def declared(self, rules: Rules) -> Rules:
        """Return the rules of such a study: with audits, or with the proxy's mean, which is known.

        The mean is that of the policies, so these must be the same in every world.
        """
        if self.audit is not None:
            return replace(rules, audit=self.audit)
        (means,) = self.moments(np.random.default_rng(0), 1).means
        scores: Any = dict(zip(rules.policies, rules.scale.score(means).tolist(), strict=True))
        return replace(rules, proxy_mean=scores, proxy_share=None)

"""How planned studies of the best policy end, as simulated by the rule itself."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from stopwise.core.arrays import Floats, Ints
from stopwise.core.rules import Rules
from stopwise.planning.populations import Population, World
from stopwise.planning.stopping_times import StoppingTimes, within
from stopwise.questions.best_rule import simulated_rows

# Rows that are drawn at once. More: memory. Less: time.
BLOCK = 32


@dataclass(frozen=True, eq=False)
class NamingTimes(StoppingTimes):
    """After how many rows and trials a best policy is named, and how many are left if none is.

    A study is right if the one named is the best, or within the indifference of it. In place of
    pairs it counts the policies that are not the best, and of these the ones that are ruled out.
    """

    ends: Ints  # studies by their trials of all policies together, from 0
    named_right: Ints  # those of them that are right
    left: Ints  # studies in which none is named, by the number of candidates left

    @property
    def most_trials(self) -> int:
        """The most trials of all policies that a study can take."""
        return self.ends.size - 1

    @property
    def mean_trials_error(self) -> float:
        """Standard error of ``mean_trials``."""
        squares = (np.arange(self.ends.size) - self.mean_trials) ** 2
        return math.sqrt(float(self.ends @ squares)) / self.total

    @property
    def mean_left(self) -> float | None:
        """Mean number of candidates left where none is named; None if one always is."""
        none = int(self.left.sum())
        return float(self.left @ np.arange(self.left.size)) / none if none else None

    def trial_quantile(self, level: float) -> int:
        """Return the trials of all policies within which this share of studies ends."""
        return within(self.ends, level)

    def chance_by_trial(self) -> Floats:
        """Return the chance that the right one is named by 0, 1, 2, ... trials of all policies."""
        chance: Floats = np.cumsum(self.named_right) / self.total
        return chance


@dataclass(frozen=True)
class NamingModel:
    """How studies of the best policy end if the policies are like this population."""

    rules: Rules
    population: Population

    def simulate(self, seed: np.random.SeedSequence, runs: int) -> NamingTimes:
        """Return how this many studies end."""
        world = self.population.begin(np.random.default_rng(seed), runs)
        rows, most = np.zeros(runs, dtype=np.int64), 0
        for board in simulated_rows(self.rules, partial(next, _trials(world)), runs):
            rows += board.count.any(axis=1)
            most = most or int(board.count[0].sum())  # no later row is longer than the first
        greatest = world.means.max(axis=1, keepdims=True)
        good = world.means >= greatest - self.rules.indifference / self.rules.scale.span - 1e-9
        named = board.named >= 0
        right = named & good[np.arange(runs), board.named]
        others = world.means < greatest - 1e-9
        ruled_out = np.where(right, others.sum(axis=1), (others & ~board.open).sum(axis=1))
        trials, n_max = board.asked.sum(axis=1), self.rules.n_max
        assert n_max is not None
        times = StoppingTimes.of_runs(
            rows,
            right,
            named & ~right,
            trials=float(trials.sum()),
            pairs_right=float((ruled_out / np.maximum(others.sum(axis=1), 1)).sum()),
            n_max=n_max,
        )
        return NamingTimes(
            **vars(times),
            ends=np.bincount(trials, minlength=n_max * most + 1),
            named_right=np.bincount(trials[right], minlength=n_max * most + 1),
            left=np.bincount(board.open[~named].sum(axis=1), minlength=len(good.T) + 1),
        )


def _trials(world: World) -> Iterator[Floats]:
    """Yield trials (runs, policies), one of each policy at a time."""
    while True:
        yield from np.moveaxis(world.draw(BLOCK), 1, 0)

"""When studies end, and how: from a simulation or from exact probabilities."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.planning.simulation import Tally


@dataclass(frozen=True, eq=False)
class StoppingTimes(Tally):
    """How many studies ended after 1, 2, ... n_max rows of trials, and with which verdict.

    Weights by row are counts of a simulation, or exact probabilities. With many policies a study is
    right if all that differ are ordered correctly, and wrong with any false claim.
    """

    right: Floats
    wrong: Floats
    undecided: Floats
    trials: float  # of all policies, added up over the studies
    pairs_right: float  # the share of pairs that are decided correctly, added up likewise
    runs: int | None  # simulated studies; None if the weights are exact probabilities
    pairs_same: float  # the share of pairs that end as practically the same, added up likewise

    @classmethod
    def of_runs(
        cls,
        n: Ints,
        right: Bools,
        wrong: Bools,
        *,
        trials: float,
        pairs_right: float,
        n_max: int,
        pairs_same: float = 0.0,
    ) -> "StoppingTimes":
        """Count simulated studies by their number of rows."""

        def count(which: Bools) -> Floats:
            return np.bincount(n[which] - 1, minlength=n_max).astype(float)

        neither = ~(right | wrong)
        return cls(
            count(right), count(wrong), count(neither), trials, pairs_right, n.size, pairs_same
        )

    @property
    def total(self) -> float:
        """Number of studies, or 1."""
        return 1.0 if self.runs is None else float(self.runs)

    @cached_property
    def power(self) -> float:
        """Chance of the right verdict by n_max."""
        return min(float(self.right.sum()) / self.total, 1.0)

    @property
    def power_error(self) -> float:
        """Standard error of the power; never 0 for a simulation, 0 if exact."""
        return 0.0 if self.runs is None else share_error(self.right.sum(), self.runs)

    @property
    def wrong_rate(self) -> float:
        """Chance of a false verdict."""
        return float(self.wrong.sum()) / self.total

    @property
    def undecided_rate(self) -> float:
        """Chance of reaching the end undecided."""
        return max(float(self.undecided.sum()) / self.total, 0.0)

    @property
    def pair_power(self) -> float:
        """Expected share of pairs that are decided correctly."""
        return self.pairs_right / self.total

    @property
    def same_rate(self) -> float:
        """Expected share of pairs that end as practically the same."""
        return self.pairs_same / self.total

    @cached_property
    def _ends(self) -> Floats:
        ends: Floats = (self.right + self.wrong + self.undecided) / self.total
        return ends

    @cached_property
    def mean_n(self) -> float:
        """Expected rows until the end of the study, with or without a verdict."""
        return float(self._ends @ np.arange(1, self._ends.size + 1))

    @property
    def mean_n_error(self) -> float:
        """Standard error of ``mean_n``, 0 if exact."""
        if self.runs is None:
            return 0.0
        squares = (np.arange(1, self._ends.size + 1) - self.mean_n) ** 2
        return math.sqrt(float(self._ends @ squares) / max(self.runs - 1, 1))

    @property
    def mean_trials(self) -> float:
        """Expected trials of all policies together."""
        return self.trials / self.total

    def quantile(self, level: float) -> int:
        """Return the rows within which this share of studies ends."""
        reached = np.cumsum(self._ends) >= level - 1e-12
        return int(np.argmax(reached)) + 1 if reached.any() else int(self._ends.size)

    def chance_by(self) -> Floats:
        """Return the chance of the right verdict by each row."""
        chance: Floats = np.cumsum(self.right) / self.total
        return chance

    def runs_needed(self, precision: float) -> int:
        """Return how many runs bring power and mean number of rows to the precision.

        That is a standard error of the power of this size, and one of the mean number of rows of
        twice this share of it.
        """
        assert self.runs is not None
        mean = self.runs * (self.mean_n_error / (2 * precision * self.mean_n)) ** 2
        return max(runs_for_share(self.right.sum(), self.runs, precision), math.ceil(mean))


def within(counts: Ints, level: float) -> int:
    """Return the number, counted from 0, up to which this share of the counts lies."""
    return int(np.argmax(np.cumsum(counts) >= level * counts.sum() - 1e-9))


def share_error(hits: float, runs: int) -> float:
    """Return the standard error of a share, by adding two hits and two misses."""
    share = (hits + 2.0) / (runs + 4.0)
    return math.sqrt(share * (1.0 - share) / runs)


def runs_for_share(hits: float, runs: int, precision: float) -> int:
    """Return how many runs bring the standard error of a share to the precision."""
    return math.ceil(runs * (share_error(hits, runs) / precision) ** 2)

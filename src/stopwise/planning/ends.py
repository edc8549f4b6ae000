"""How simulated studies end."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Ends:
    """Studies by their numbers of rows and trials, and by what they claim; parts add up.

    A study is right if everything that can be found was found (all pairs that differ are in order,
    the best is named), and wrong with any false claim.
    """

    # By the rows until the end, from 0.
    right: Floats
    wrong: Floats
    undecided: Floats
    spent: Floats  # by the trials of all policies, from 0
    share: float  # of the right claims that were made, added up
    same: float  # share of pairs that end as practically the same, added up
    # From the state in which the simulation began.
    claims: Floats  # studies that end with each possible claim
    decided: float  # studies in which all is decided
    further: float  # studies in which more is decided than before
    more: Floats  # studies by the further rows in which policies are tried, from 0
    runs: int

    def __add__(self, other: "Ends") -> "Ends":
        names = [field.name for field in fields(self)]
        return Ends(*(getattr(self, name) + getattr(other, name) for name in names))

    @classmethod
    def of_runs(
        cls,
        rows: Ints,
        right: Bools,
        wrong: Bools,
        *,
        n_max: int,
        trials: Ints,
        most_trials: int,
        more: Ints,
        **counts: Any,
    ) -> "Ends":
        """Count simulated studies; each array has one entry per study."""

        def count(numbers: Ints, most: int) -> Floats:
            return np.bincount(numbers, minlength=most + 1).astype(float)

        return cls(
            right=count(rows[right], n_max),
            wrong=count(rows[wrong], n_max),
            undecided=count(rows[~(right | wrong)], n_max),
            spent=count(trials, most_trials),
            more=count(more, n_max),
            runs=rows.size,
            **{"same": 0.0, **counts},
        )

    def chance(self, count: float) -> float:
        return float(count) / self.runs

    def error(self, count: float) -> float:
        """Standard error of a chance, by adding two hits and two misses."""
        share = (count + 2.0) / (self.runs + 4.0)
        return math.sqrt(share * (1.0 - share) / self.runs)

    @property
    def power(self) -> float:
        return self.chance(self.right.sum())

    @property
    def power_error(self) -> float:
        return self.error(self.right.sum())

    @cached_property
    def by_row(self) -> Floats:
        ends: Floats = (self.right + self.wrong + self.undecided) / self.runs
        return ends

    @cached_property
    def mean_n(self) -> float:
        """Expected rows until the end of the study, with or without a verdict."""
        return mean(self.by_row)

    @property
    def mean_n_error(self) -> float:
        squares = (np.arange(self.by_row.size) - self.mean_n) ** 2
        return math.sqrt(float(self.by_row @ squares) / max(self.runs - 1, 1))

    @property
    def mean_trials(self) -> float:
        return mean(self.spent) / self.runs

    @property
    def most_trials(self) -> int:
        return self.spent.size - 1

    def chance_by(self) -> Floats:
        """Chance of the right verdict by each row, from 0."""
        chance: Floats = np.cumsum(self.right) / self.runs
        return chance

    def decided_by(self) -> tuple[float, ...]:
        """Chance that all is decided, by further rows from 0."""
        most = int(np.flatnonzero(self.more).max())
        # Studies that end undecided do so with their last row.
        decided = np.minimum(np.cumsum(self.more[: most + 1]), self.decided)
        return tuple((decided / self.runs).tolist())

    def runs_for_plan(self, precision: float) -> int:
        """Runs that bring the power to the precision, and the mean rows to twice this share."""
        rows = self.runs * (self.mean_n_error / (2 * precision * self.mean_n)) ** 2
        return max(self._runs_for(self.right.sum(), precision), math.ceil(rows))

    def runs_for_forecast(self, precision: float) -> int:
        """Runs that bring both chances of a forecast to the precision."""
        return max(self._runs_for(count, precision) for count in (self.decided, self.further))

    def _runs_for(self, count: float, precision: float) -> int:
        return math.ceil(self.runs * (self.error(count) / precision) ** 2)


# How many runs bring what is asked to a standard error, judged by the runs so far.
RunsNeeded = Callable[[Ends, float], int]


def mean(chances: Floats) -> float:
    return float(chances @ np.arange(chances.size))


def quantiles(weights: Floats) -> tuple[int, int, int]:
    """Numbers, counted from 0, up to which 10, 50 and 90 % of the weight lies."""
    sums = np.cumsum(weights)
    tenth, half, most = (
        int(np.argmax(sums >= level * sums[-1] - 1e-9)) for level in (0.1, 0.5, 0.9)
    )
    return tenth, half, most

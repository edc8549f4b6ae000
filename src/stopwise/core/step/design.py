"""A synthesised table with its exact error, power and expected number of pairs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from stopwise.core.arrays import Bools, Doubles
from stopwise.core.step.alternatives import default_alternatives
from stopwise.core.step.evaluation import (
    duration_given_counts,
    mean_over_counts,
    rejection_given_counts,
    rejection_under_drift,
)
from stopwise.core.step.stopping_rule import Rule
from stopwise.core.step.worst_case import WorstCase
from stopwise.errors import InvalidInput, require


class Certificate(NamedTuple):
    """What is known for certain about a design.

    Attributes
    ----------
    expected_n : float
        Expected number of pairs, averaged over the alternatives that the design is made for.
    lower_bound : float
        No test with this level, horizon and mean power has a smaller mean expected number of pairs
        (of those that stop undecided only at the horizon, unless futility is binding).
    """

    expected_n: float
    lower_bound: float


class DecisionRegions(NamedTuple):
    """Decisions after ``n`` pairs by (successes0, successes1), for a figure.

    Attributes
    ----------
    better1, better0
        Whether policy 1, or policy 0, is declared better in this state.
    futile
        Whether the state lies in the futility region.
    """

    better1: Bools
    better0: Bools
    futile: Bools


@dataclass(frozen=True, kw_only=True)
class StepDesign:
    """A synthesised test with its exact operating characteristics.

    The outcomes of the two policies are independent, with success rates ``p0`` and ``p1``. The test
    declares ``p1 > p0`` with probability at most ``alpha`` whenever ``p1 <= p0``; the mirrored
    declaration has the same guarantee. Both rates must stay constant for the whole study; otherwise
    the error may be larger (`drift_error`). Nothing here is simulated.

    Parameters
    ----------
    alpha : float
        Level of each direction.
    n_max : int
        Horizon in pairs.
    futility
        As given to `step_design`.
    rule : Rule
        The decision tables.
    worst : WorstCase
        Proof of the level.
    objective_bound : float
        Lower bound of the design objective.
    """

    alpha: float
    n_max: int
    futility: str | None
    rule: Rule = field(repr=False)
    worst: WorstCase
    objective_bound: float = field(repr=False)

    def error(self, p: ArrayLike) -> Doubles:
        """Probability of declaring policy 1 better when both succeed with probability ``p``."""
        return self.power(p, p)

    def power(self, p0: ArrayLike, p1: ArrayLike, *, heed_futility: bool | None = None) -> Doubles:
        """Probability of declaring policy 1 better.

        Parameters
        ----------
        p0, p1 : array_like
            Success rates in [0, 1]; broadcast against each other.
        heed_futility : bool, optional
            Whether the study ends at a futility stop. By default only if they are binding.
        """
        return self._mean(rejection_given_counts, p0, p1, heed_futility)

    def expected_n(
        self, p0: ArrayLike, p1: ArrayLike, *, heed_futility: bool | None = None
    ) -> Doubles:
        """Return the expected number of pairs until a decision in either direction, or n_max."""
        return self._mean(duration_given_counts, p0, p1, heed_futility)

    def worst_case(self) -> WorstCase:
        """Proven bound of the error over all ``p1 <= p0``, and where it is nearly attained."""
        return self.worst

    @cached_property
    def drift_error(self) -> float:
        """Largest error if the rates may change from pair to pair, in response to the outcomes.

        In every pair policy 1 has at most the rate of policy 0. The level is proven for rates that
        stay the same; this says how much it depends on that.
        """
        return rejection_under_drift(self.rule, heed_futility=self._heeded(None))

    @cached_property
    def certificate(self) -> Certificate:
        """Expected number of pairs, and its lower bound for every test."""
        purpose = "binding" if self.futility == "binding" else "decision"
        rates0, rates1, weights, stakes = default_alternatives(self.n_max, purpose)
        expected = float(np.sum(weights * self.expected_n(rates0, rates1)))
        missed = float(np.sum(stakes * (1.0 - self.power(rates0, rates1))))
        return Certificate(expected, self.objective_bound - missed)

    def decision_regions(self, n: int) -> DecisionRegions:
        """Decisions after ``n`` pairs in every state, as arrays over (successes0, successes1)."""
        require(1 <= n <= self.n_max, f"n must be between 1 and n_max = {self.n_max}, got {n}")
        better1 = self.rule.table(n) > 0
        return DecisionRegions(better1, better1.T, self.rule.futility_table(n))

    def _heeded(self, heed_futility: bool | None) -> bool:
        heeded = self.futility == "binding" if heed_futility is None else heed_futility
        if self.futility == "binding" and not heeded:
            raise InvalidInput(
                "futility stops of this design are binding: its level does not hold without them"
            )
        return heeded and self.futility is not None

    @cached_property
    def _matrices(self) -> dict[tuple[object, bool], Doubles]:
        """Matrices given the final counts, with and without futility stops, made on first use."""
        return {}

    def _mean(
        self, make: Callable[..., Doubles], p0: ArrayLike, p1: ArrayLike, heed_futility: bool | None
    ) -> Doubles:
        heeded = self._heeded(heed_futility)
        if (make, heeded) not in self._matrices:
            self._matrices[make, heeded] = make(self.rule, heed_futility=heeded)
        rates0, rates1 = np.broadcast_arrays(
            np.asarray(p0, dtype=np.float64), np.asarray(p1, dtype=np.float64)
        )
        for rates in (rates0, rates1):
            if not np.all((rates >= 0.0) & (rates <= 1.0)):
                raise InvalidInput("success rates must lie between 0 and 1")
        matrix = self._matrices[make, heeded]
        return mean_over_counts(matrix, rates0.ravel(), rates1.ravel()).reshape(rates0.shape)

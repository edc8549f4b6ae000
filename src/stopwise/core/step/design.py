"""Public face of the synthesised tables: exact error, power and expected number of pairs."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stopwise.core.arrays import Bools, Doubles
from stopwise.core.progress import Progress, watched
from stopwise.core.step import cache
from stopwise.core.step.alternatives import default_alternatives
from stopwise.core.step.evaluation import (
    duration_given_counts,
    mean_over_counts,
    rejection_given_counts,
    rejection_under_drift,
)
from stopwise.core.step.risk_budget import RiskBudget
from stopwise.core.step.rule import Rule
from stopwise.core.step.synthesis import synthesise
from stopwise.core.step.worst_case import WorstCase
from stopwise.errors import InvalidInput

_TABLES = ("optimal", "paper")
_FUTILITY = (None, "advisory", "binding")
_LARGEST = 2000


class Certificate(NamedTuple):
    """What is known for certain about a design.

    Attributes
    ----------
    expected_n : float
        Expected number of pairs, averaged over the alternatives that the design is made for.
    power : float
        Power, averaged over the same alternatives with their stakes.
    lower_bound : float
        No test with this level, horizon and mean power has a smaller mean expected number of pairs
        (of those that stop undecided only at the horizon, unless futility is binding). It is nan
        for the published rule, which does not come with a bound.
    worst_case : WorstCase
        Proven bound of the type-1 error over all ``p1 <= p0``, and where it is nearly attained.
    """

    expected_n: float
    power: float
    lower_bound: float
    worst_case: WorstCase


class DecisionRegions(NamedTuple):
    """Decisions after ``n`` pairs by (successes0, successes1), for a figure.

    Attributes
    ----------
    rejection_probability : array
        Probability of declaring policy 1 better on arrival in this state.
    mirrored_probability : array
        The same for policy 0.
    futile : bool array
        Whether the state lies in the futility region.
    """

    rejection_probability: Doubles
    mirrored_probability: Doubles
    futile: Bools


class _Lazy(dict[bool, Doubles]):
    """Matrices given the final counts, with and without futility stops, made on first use."""

    def __init__(self, make: Callable[..., Doubles], rule: Rule) -> None:
        self._make = make
        self._rule = rule

    def __missing__(self, heed_futility: bool) -> Doubles:
        self[heed_futility] = self._make(self._rule, heed_futility=heed_futility)
        return self[heed_futility]


@dataclass(frozen=True, kw_only=True)
class StepDesign:
    """A synthesised test with its exact operating characteristics.

    The outcomes of the two policies are independent, with success rates ``p0`` and ``p1``. The test
    declares ``p1 > p0`` with probability at most ``alpha`` whenever ``p1 <= p0``; the mirrored
    declaration has the same guarantee. Both rates stay as they are for the whole study, else the
    error may be larger (`drift_error`). Nothing here is simulated.

    Parameters
    ----------
    alpha : float
        Level of each direction.
    n_max : int
        Horizon in pairs.
    table, futility, risk_budget
        As given to `step_design`.
    rule : Rule
        The decision tables.
    worst : WorstCase
        Proof of the level.
    objective_bound : float
        Lower bound of the design objective, nan if unknown.
    """

    alpha: float
    n_max: int
    table: str
    futility: str | None
    risk_budget: RiskBudget
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
        return self._mean(self._rejection[self._heeded(heed_futility)], p0, p1)

    def expected_n(
        self, p0: ArrayLike, p1: ArrayLike, *, heed_futility: bool | None = None
    ) -> Doubles:
        """Return the expected number of pairs until a decision in either direction, or n_max."""
        return self._mean(self._duration[self._heeded(heed_futility)], p0, p1)

    def worst_case(self) -> WorstCase:
        """Proven bound of the error over all ``p1 <= p0``, and where it is nearly attained."""
        return self.worst

    @cached_property
    def drift_error(self) -> float:
        """Largest error if the rates may change from pair to pair, in reply to all outcomes so far.

        In every pair policy 1 has at most the rate of policy 0. The level is proven for rates that
        stay the same; this says how much it depends on that.
        """
        return rejection_under_drift(self.rule, heed_futility=self._heeded(None))

    @cached_property
    def certificate(self) -> Certificate:
        """Expected number of pairs, its lower bound for every test, and the worst-case error."""
        purpose = "binding" if self.futility == "binding" else "decision"
        rates0, rates1, weights, stakes = default_alternatives(self.n_max, purpose)
        expected = float(np.sum(weights * self.expected_n(rates0, rates1)))
        powers = self.power(rates0, rates1)
        missed = float(np.sum(stakes * (1.0 - powers)))
        power = float(np.sum(stakes * powers) / np.sum(stakes))
        return Certificate(expected, power, self.objective_bound - missed, self.worst)

    def decision_regions(self, n: int) -> DecisionRegions:
        """Decisions after ``n`` pairs in every state, as arrays over (successes0, successes1)."""
        if not 1 <= n <= self.n_max:
            raise InvalidInput(f"n must be between 1 and n_max = {self.n_max}, got {n}")
        table = self.rule.table(n)
        return DecisionRegions(table, table.T.copy(), self.rule.futility_table(n))

    def _heeded(self, heed_futility: bool | None) -> bool:
        heeded = self.futility == "binding" if heed_futility is None else heed_futility
        if self.futility == "binding" and not heeded:
            raise InvalidInput(
                "futility stops of this design are binding: its level does not hold without them"
            )
        return heeded and self.futility is not None

    @cached_property
    def _rejection(self) -> _Lazy:
        return _Lazy(rejection_given_counts, self.rule)

    @cached_property
    def _duration(self) -> _Lazy:
        return _Lazy(duration_given_counts, self.rule)

    @staticmethod
    def _mean(matrix: Doubles, p0: ArrayLike, p1: ArrayLike) -> Doubles:
        rates0, rates1 = np.broadcast_arrays(
            np.asarray(p0, dtype=np.float64), np.asarray(p1, dtype=np.float64)
        )
        for rates in (rates0, rates1):
            if not np.all((rates >= 0.0) & (rates <= 1.0)):
                raise InvalidInput("success rates must lie between 0 and 1")
        means = mean_over_counts(matrix, rates0.ravel(), rates1.ravel())
        return means.reshape(rates0.shape)


def step_design(
    alpha: float,
    n_max: int,
    *,
    table: str = "optimal",
    futility: str | None = "advisory",
    risk_budget: RiskBudget | None = None,
    progress: Progress | None = None,
) -> StepDesign:
    """Near-optimal sequential test of two success rates, from the disk or synthesised now.

    Parameters
    ----------
    alpha : float
        Level of each direction, in (0, 1/2).
    n_max : int
        Horizon: the largest number of pairs, between 2 and 2000.
    table : {"optimal", "paper"}
        The design by backward induction, or the published STEP rule.
    futility : {None, "advisory", "binding"}
        Advisory stops may be ignored: the level is computed without them. Binding stops end the
        study, which pays with fewer pairs; the level holds only if they are obeyed.
    risk_budget : RiskBudget, optional
        Shape of the error budget of the published rule; linear by default.
    progress : callable, optional
        Called with (done, total) while a table is synthesised.

    Examples
    --------
    >>> design = step_design(0.05, 20)
    >>> bool(design.worst_case().error <= 0.05)
    True
    >>> float(design.power(0.2, 0.9)) > 0.9
    True
    """
    _validate(alpha, n_max, table, futility)
    budget = RiskBudget() if risk_budget is None else risk_budget
    if table == "optimal" and budget != RiskBudget():
        raise InvalidInput('risk_budget belongs to table="paper"')
    binding = futility == "binding"

    def make(renew: Callable[[], None]) -> cache.Arrays:
        seconds = max(estimated_seconds(n_max), 1)
        title = f"table of step for n_max = {n_max}, about {seconds:.0f} s"
        shown = nullcontext(progress) if progress else watched(title)
        with shown as show:

            def tell(done: int, total: int) -> None:
                renew()
                show(done, total)

            return _arrays(
                alpha, n_max, table=table, binding=binding, risk_budget=budget, progress=tell
            )

    shape = f"-{budget.shape}-{budget.exponent!r}" if table == "paper" else ""
    kind = "-binding" if binding else ""
    arrays = cache.load_or_make(f"{table}{kind}{shape}-n{n_max}-a{float(alpha)!r}", make)
    return StepDesign(
        alpha=float(alpha),
        n_max=int(n_max),
        table=table,
        futility=futility,
        risk_budget=budget,
        rule=_rule(arrays, keep_futility=futility is not None),
        worst=WorstCase(*(float(value) for value in arrays["worst_case"])),
        objective_bound=float(arrays["lower_bound"]),
    )


def estimated_seconds(n_max: int, *, table: str = "optimal") -> float:
    """Rough time to synthesise a table on one core of a common machine, for display."""
    scale: float = n_max / 200.0
    if table == "paper":
        return float(1.5 * scale**1.6 + 0.4 * scale**3)
    return float(2.0 * scale**1.3 + 0.5 * scale**3)


def _arrays(alpha: float, n_max: int, **options: Any) -> dict[str, NDArray[Any]]:
    rule, worst, lower_bound = synthesise(alpha, n_max, **options)
    return {
        "reject_from": rule.reject_from,
        "continue_from": rule.continue_from,
        "random_state": rule.random_state,
        "random_probability": rule.random_probability,
        "worst_case": np.array(worst),
        "lower_bound": np.array(lower_bound),
    }


def _rule(arrays: cache.Arrays, *, keep_futility: bool) -> Rule:
    continue_from = arrays["continue_from"]
    return Rule(
        arrays["reject_from"],
        continue_from if keep_futility else np.zeros_like(continue_from),
        arrays["random_state"],
        arrays["random_probability"],
    )


def _validate(alpha: float, n_max: int, table: str, futility: str | None) -> None:
    if not (math.isfinite(alpha) and 0.0 < alpha < 0.5):
        raise InvalidInput(f"alpha must lie between 0 and 1/2, got {alpha!r}")
    if n_max != int(n_max) or not 2 <= n_max <= _LARGEST:
        raise InvalidInput(f"step needs n_max between 2 and {_LARGEST}, got {n_max!r}")
    if table not in _TABLES:
        raise InvalidInput(f"table must be one of {_TABLES}, got {table!r}")
    if futility not in _FUTILITY:
        raise InvalidInput(f"futility must be one of {_FUTILITY}, got {futility!r}")
    if table == "paper" and futility == "binding":
        raise InvalidInput('the published rule has no binding futility stops; use table="optimal"')

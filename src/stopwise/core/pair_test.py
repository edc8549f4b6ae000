"""One pair under the rules: what streams and simulations share."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import NO_MARGIN, ConfidenceSequence, Interval, Pairs
from stopwise.core.method import Method
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import as_float, numeric_array
from stopwise.errors import InvalidInput


class SamenessState(NamedTuple):
    """What the tests of "policy 1 is not worse" and "policy 0 is not worse" have seen."""

    tests: Any
    p_value: Floats  # (..., 2): the least so far


@dataclass(frozen=True)
class Sameness:
    """Both tests of "not worse", with the policies swapped for the second."""

    test: Method[Any]

    def start(self, shape: tuple[int, ...]) -> SamenessState:
        return SamenessState(self.test.start((*shape, 2)), np.ones((*shape, 2)))

    def step(self, state: SamenessState, low: Floats, high: Floats) -> SamenessState:
        tests = self.test.step(state.tests, low, high)
        return SamenessState(tests, np.minimum(state.p_value, self._p_value(tests)))

    def _p_value(self, tests: Any) -> Floats:
        """p-values at the whole level, also of a method that gives each direction half of it."""
        evidence = self.test.evidence(tests)
        if not self.test.splits_itself or evidence.log_e is None:
            return evidence.p_value
        return np.minimum(0.5 * np.exp(-evidence.log_e), 1.0)

    def not_worse(self, state: SamenessState) -> Bools:
        """Policies (last axis: 1, 0) that were ever shown to be not worse."""
        shown: Bools = state.p_value <= self.test.alpha
        return shown

    def chance(self, state: SamenessState) -> Floats | None:
        """Return the chance that both are shown by n_max, if the policies are equal, or None."""
        chance = self.test.chance(state.tests)
        if chance is None:
            return None
        both: Floats = np.where(self.not_worse(state), 1.0, chance).sum(axis=-1) - 1.0
        return np.maximum(both, 0.0)

    def futile(self, state: SamenessState) -> Bools:
        chance = self.chance(state)
        if chance is None:
            return np.zeros(state.p_value.shape[:-1], dtype=bool)
        return np.asarray(chance < self.test.least_chance)


@dataclass(frozen=True)
class PairTest:
    """The test of one pair under the rules, one of so many pairs that share alpha."""

    rules: Rules
    pairs: int = 1

    def __post_init__(self) -> None:
        _ = self.test  # builds the method now, so that its parameters are checked here

    method = FromRules[str]("method", "The method's name.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of pairs.")
    bounds = FromRules[tuple[float, float]]("bounds", "The declared range of the score.")
    alternative = FromRules[str]("alternative", "Which policies may be declared better.")

    @cached_property
    def alpha(self) -> float:
        return self.rules.alpha / self.pairs

    @cached_property
    def test(self) -> Method[Any]:
        parameters = dict(self.rules.parameters)
        for key in registry.find(self.method).score_parameters:
            if parameters.get(key) is not None:
                values = np.atleast_1d(numeric_array(parameters[key], key))
                self.reading.tested_scale.check(values, key)
                parameters[key] = tuple(self.reading.tested_scale.unit(values).tolist())
        test = registry.create(
            self.method,
            parameters=parameters,
            alpha=self.alpha / self.shares,
            n_max=self.n_max,
            margin=self.rules.margin / self.scale.span * self.reading.share,
            design=self.reading.tested_design,
            **self.reading.for_method(),
        )
        return self.reading.test(test)

    @cached_property
    def reading(self) -> Scores:
        return self.rules.reading

    @cached_property
    def scale(self) -> Scale:
        """The declared range of the score."""
        return self.reading.scale

    @cached_property
    def directions(self) -> tuple[int, ...]:
        """Which policies may be declared better."""
        return self.rules.directions

    @cached_property
    def sameness(self) -> Sameness | None:
        """The tests of "practically the same", each at the whole level, or None."""
        within = self.rules.equivalence
        if within is None:
            return None
        return Sameness(self.test.not_worse(self.alpha, within / self.reading.tested_scale.span))

    @property
    def rests_on_independence(self) -> bool:
        """Whether dependence within pairs would matter: then it is watched for."""
        return self.test.design == "independent" and self.test.needs_independence

    @cached_property
    def confidence(self) -> ConfidenceSequence:
        return self.confidence_at(self.interval_level)

    @cached_property
    def interval_level(self) -> float:
        """The probability that one bound of the interval ever fails: that of its direction."""
        if not self.test.inverts:
            return self.alpha / len(self.directions)
        return self.test.alpha * float(np.exp(self.start))

    def confidence_at(self, level: Floats | float) -> ConfidenceSequence:
        lower, upper = (level if policy in self.directions else None for policy in (1, 0))
        return self.reading.sequence(
            levels=(lower, upper),
            margin=self.test.margin if self.test.inverts else NO_MARGIN,
            bettor=self.test if self.test.inverts else None,
            number=self.test.number,
        )

    @cached_property
    def start(self) -> float:
        """Log-evidence before the first pair: a method may begin with half of its wealth."""
        return float(self.test.evidence(self.test.start((1,))).log_e[0])

    def pair_seen(
        self,
        before: Any,
        after: Any,
        scores: tuple[Floats, Floats],
        directed: tuple[Floats, Floats],
        *,
        log_e: Floats,
        rejected: Bools,
    ) -> Pairs:
        """Return one pair of scores as a confidence sequence sees it."""
        gained: Floats = np.zeros(rejected.shape)
        fall = gained
        if self.test.inverts:
            gained = log_e - self.start
            fall = self.test.margin_fall(before, after, *directed)
        r0, r1 = self.reading.alone(*scores)
        difference = r1 - r0
        return Pairs(1, r0, r1, difference * difference, gained, fall, rejected)

    def difference_interval(self, low: float, high: float) -> Interval:
        return Interval(self.difference(low), self.difference(high))

    def difference(self, tested: float) -> float:
        """Return a difference as the test sees it, in units of the score."""
        share, span = self._gap
        return min(max(tested / share, -1.0), 1.0) * span

    @cached_property
    def _gap(self) -> tuple[float, float]:
        return self.reading.share, self.scale.span

    @cached_property
    def shares(self) -> int:
        """Into how many equal parts alpha is split over the directions."""
        split = self.rules.ties == "strict" and not registry.find(self.method).splits_itself
        return len(self.directions) if split else 1

    @cached_property
    def levels(self) -> Floats | None:
        return self.test.score_values()

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        return self.reading.directed(*self.reading.met(r0, r1))

    def unit_pair(self, r0: Any, r1: Any) -> tuple[float, float, float, float]:
        """Return one pair as it was scored and scaled to [0, 1]; NaN if it has no scores."""
        pair = self.reading.pair(r0, r1)
        if pair is None:
            return math.nan, math.nan, math.nan, math.nan
        unit0, unit1 = map(self.unit_score, pair, self.reading.pair_names)
        score0, score1 = (self.scale.nearest(as_float(score)) for score in pair)
        return score0, score1, unit0, unit1

    def check_both(self, scores0: NDArray[Any], scores1: NDArray[Any]) -> None:
        both = self.reading.scored(scores0, scores1)
        for scores, name in zip(both, self.reading.pair_names, strict=True):
            self.check(scores, name)

    def check(self, scores: np.typing.NDArray[Any], policy: str) -> None:
        self.scale.check(scores, policy)
        if self.levels is not None and policy not in self.reading.constants:
            self.scale.check_levels(scores, self.levels, self.method, policy)

    def unit_score(self, score: object, policy: str) -> float:
        if type(score) is float and self.levels is None:
            unit = self.scale.quick(score)
            if unit is not None:
                return unit
        array = numeric_array(score, policy)
        if array.ndim != 0:
            raise InvalidInput(f"a score must be one number, but {policy} got {score!r}")
        self.check(array, policy)
        return float(self.scale.unit(array))

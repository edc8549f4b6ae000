"""The test of one pair under the rules, of one study or of thousands side by side."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.confidence import NO_MARGIN, ConfidenceSequence, Interval, Pairs
from stopwise.core.method import Evidence, Method
from stopwise.core.readings.scale import Scale
from stopwise.core.readings.score import Scores
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import as_float, numeric_array
from stopwise.errors import InvalidInput

# The end of a study, beside 1 and 0 for the policy that is better: practically the same.
EQUIVALENT = 2


class Seen(NamedTuple):
    """What the tests of some runs have seen; the last axis of its arrays is that of directions."""

    tests: Any
    evidence: Evidence
    p_value: Floats  # the least so far
    # Of "policy 1 is not worse" and "policy 0 is not worse", where sameness is asked.
    not_worse: Any = None
    p_not_worse: Floats | None = None


@dataclass(frozen=True)
class PairTest:
    """The test of one pair under the rules, one of so many pairs that share alpha."""

    rules: Rules
    pairs: int = 1

    def __post_init__(self) -> None:
        _ = self.test  # builds the method now, so that its parameters are checked here

    method = FromRules[str]("method", "The method's name.")

    # What the rules say of the pair.

    @cached_property
    def alpha(self) -> float:
        return self.rules.alpha / self.pairs

    @cached_property
    def shares(self) -> int:
        """Into how many equal parts alpha is split over the directions."""
        split = self.rules.ties == "strict" and not registry.find(self.method).splits_itself
        return len(self.directions) if split else 1

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
            n_max=self.rules.n_max,
            margin=self.rules.margin / self.scale.span * self.reading.share,
            design=self.reading.tested_design,
            **self.reading.for_method(),
        )
        return self.reading.test(test)

    @cached_property
    def not_worse(self) -> Method[Any]:
        """The test by which sameness is shown, of both policies at the whole level."""
        within = self.rules.alike / self.reading.tested_scale.span
        return self.test.not_worse(self.alpha, within)

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
    def levels(self) -> Floats | None:
        return self.test.score_values()

    @property
    def asks_sameness(self) -> bool:
        return self.rules.equivalence is not None

    @property
    def rests_on_independence(self) -> bool:
        """Whether dependence within pairs would matter: then it is watched for."""
        return self.test.design == "independent" and self.test.needs_independence

    # What comes in.

    def check_both(self, scores0: NDArray[Any], scores1: NDArray[Any]) -> None:
        both = self.reading.scored(scores0, scores1)
        for scores, name in zip(both, self.reading.pair_names, strict=True):
            self.check(scores, name)

    def check(self, scores: NDArray[Any], policy: str) -> None:
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

    def unit_pair(self, r0: Any, r1: Any) -> tuple[float, float, float, float]:
        """Return one pair as it was scored and scaled to [0, 1]; NaN if it has no scores."""
        pair = self.reading.pair(r0, r1)
        if pair is None:
            return math.nan, math.nan, math.nan, math.nan
        unit0, unit1 = map(self.unit_score, pair, self.reading.pair_names)
        score0, score1 = (self.scale.nearest(as_float(score)) for score in pair)
        return score0, score1, unit0, unit1

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        return self.reading.directed(*self.reading.met(r0, r1))

    # The tests, pair by pair.

    def start(self, shape: tuple[int, ...]) -> Seen:
        directed = (*shape, len(self.directions))
        tests = self.test.start(directed)
        seen = Seen(tests, self.test.evidence(tests), np.ones(directed))
        if not self.asks_sameness:
            return seen
        both = (*shape, 2)
        return seen._replace(not_worse=self.not_worse.start(both), p_not_worse=np.ones(both))

    def observe(self, seen: Seen, low: Floats, high: Floats) -> Seen:
        """State after one more pair of scores, as ``directed`` gives them."""
        tests = self.test.step(seen.tests, low, high)
        evidence = self.test.evidence(tests)
        p_value = np.minimum(seen.p_value, evidence.p_value)
        if seen.p_not_worse is None:
            return Seen(tests, evidence, p_value)
        not_worse = self.not_worse.step(seen.not_worse, low, high)
        shown = self.not_worse.evidence(not_worse)
        now = shown.p_value
        if self.not_worse.splits_itself:  # each of these two tests has the whole level
            now = np.minimum(0.5 * np.exp(-shown.log_e), 1.0)
        return Seen(tests, evidence, p_value, not_worse, np.minimum(seen.p_not_worse, now))

    def leap(self, seen: Seen, low: Floats, high: Floats) -> tuple[Seen, Floats]:
        """State after pairs (first axis) that decide nothing, and log e-values after each."""
        tests, path = self.test.leap(seen.tests, low, high)
        p_value = np.minimum(seen.p_value, np.exp(-path.max(axis=0)))
        after = seen._replace(tests=tests, evidence=self.test.evidence(tests), p_value=p_value)
        return after, path

    def end(self, seen: Seen) -> tuple[Bools, Ints]:
        """Whether a study ends, and its decision; 2 for practically the same."""
        rejected = seen.evidence.rejected
        if seen.p_not_worse is not None:
            not_worse = seen.p_not_worse <= self.not_worse.alpha
            better = (seen.p_value <= self.test.alpha) & not_worse
            differ = better[..., 0] != better[..., 1]
            ends: Bools = differ | not_worse.all(axis=-1)
            return ends, np.where(differ, better[..., 0], EQUIVALENT)
        if len(self.directions) == 1:
            return rejected[..., 0], np.asarray(self.directions[0])
        # Were both directions rejected at once (absurd levels only), nothing would be known.
        differ = rejected[..., 0] != rejected[..., 1]
        if not self.test.ends:
            return differ, rejected[..., 0].astype(np.int64)
        equal = self.equal(seen)
        return differ | equal, np.where(equal & ~differ, EQUIVALENT, rejected[..., 0])

    def equal(self, seen: Seen) -> Bools:
        """Whether both policies are equal for certain: neither can be shown to be better."""
        if not self.test.ends or self.test.margin or len(self.directions) < 2:
            return np.zeros(seen.p_value.shape[:-1], dtype=bool)
        return np.asarray(self.test.closed(seen.tests).all(axis=-1))

    def log_e(self, seen: Seen) -> Floats:
        """Return log e-values to be held against log(1/alpha), over all directions."""
        log_e = seen.evidence.log_e
        if log_e.shape[-1] == 1:
            return log_e[..., 0]
        return np.asarray(log_e.max(axis=-1) - float(np.log(self.shares)))

    def p_value(self, seen: Seen, equivalent: Bools | bool = False) -> Floats:
        """Return p-values to be held against alpha: of a difference, or where shown of sameness."""
        if seen.p_value.shape[-1] == 1:
            return seen.p_value[..., 0]
        shared: Floats = np.minimum(self.shares * seen.p_value, 1.0)
        if seen.p_not_worse is None:
            least: Floats = shared.min(axis=-1)
            return least if equivalent is False else np.where(equivalent, 0.0, least)
        backed = np.maximum(shared, seen.p_not_worse).min(axis=-1)
        return np.where(equivalent, np.asarray(seen.p_not_worse.max(axis=-1)), backed)

    # What is to be expected by n_max.

    def chances(self, seen: Seen) -> Floats | None:
        """The chance of a decision by n_max, by run: of the likeliest end, if the truth is such."""
        chance = self.test.chance(seen.tests)
        if chance is None:
            return None
        likeliest: Floats = np.asarray(chance.max(axis=-1))
        same = self._chance_of_sameness(seen)
        return likeliest if same is None else np.maximum(likeliest, same)

    def hopeless(self, seen: Seen) -> Bools:
        hopeless: Bools = np.asarray(self.test.futile(seen.tests).all(axis=-1))
        same = self._chance_of_sameness(seen)
        if same is not None:
            return hopeless & (same < self.not_worse.least_chance)
        return hopeless & (seen.p_not_worse is None)

    def _chance_of_sameness(self, seen: Seen) -> Floats | None:
        """The chance that both are shown to be not worse, if the policies are equal."""
        if seen.p_not_worse is None:
            return None
        chance = self.not_worse.chance(seen.not_worse)
        if chance is None:
            return None
        shown = seen.p_not_worse <= self.not_worse.alpha
        both: Floats = np.where(shown, 1.0, chance).sum(axis=-1) - 1.0
        return np.maximum(both, 0.0)

    # Intervals.

    @cached_property
    def confidence(self) -> ConfidenceSequence:
        return self.confidence_at(self.interval_level)

    @cached_property
    def interval_level(self) -> float:
        """The probability that one bound of the interval ever fails: that of its direction."""
        if not self.test.inverts:
            return self.alpha / len(self.directions)
        return self.test.alpha * float(np.exp(self.first_log_e))

    def confidence_at(self, level: Floats | float) -> ConfidenceSequence:
        lower, upper = (level if policy in self.directions else None for policy in (1, 0))
        return self.reading.sequence(
            levels=(lower, upper),
            margin=self.test.margin if self.test.inverts else NO_MARGIN,
            bettor=self.test if self.test.inverts else None,
            number=self.test.number,
        )

    @cached_property
    def first_log_e(self) -> float:
        """Log-evidence before the first pair: a method may begin with half of its wealth."""
        return float(self.test.evidence(self.test.start((1,))).log_e[0])

    def pair_seen(
        self,
        before: Seen,
        after: Seen,
        scores: tuple[Floats, Floats],
        directed: tuple[Floats, Floats],
        rejected: Bools,
    ) -> Pairs:
        """Return one pair of scores as a confidence sequence sees it."""
        gained: Floats = np.zeros(rejected.shape)
        fall = gained
        if self.test.inverts:
            gained = after.evidence.log_e - self.first_log_e
            fall = self.test.margin_fall(before.tests, after.tests, *directed)
        r0, r1 = self.reading.alone(*scores)
        difference = r1 - r0
        return Pairs(1, r0, r1, difference * difference, gained, fall, rejected)

    def difference_interval(self, low: float, high: float) -> Interval:
        return Interval(self.difference(low), self.difference(high))

    def difference(self, tested: float) -> float:
        """Return a difference as the test sees it, in units of the score."""
        return min(max(tested / self.reading.share, -1.0), 1.0) * self.scale.span

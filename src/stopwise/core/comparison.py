"""One pair under the rules: what streams and simulations share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import NO_MARGIN, ConfidenceSequence
from stopwise.core.confidence_state import Interval, Pairs
from stopwise.core.dependence import FALSE_ALARMS
from stopwise.core.equivalence import Sameness
from stopwise.core.method import Method
from stopwise.core.nscore_plus import Proxied
from stopwise.core.proxy import means_of_pairs
from stopwise.core.readings.fixed_list import ListSequence, OnList
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scene_watch import SceneTests
from stopwise.core.scores import Scale, numeric_array, without_gradient
from stopwise.errors import InvalidInput, require


@dataclass(frozen=True)
class Comparison:
    """The test of one pair under the rules, one of so many pairs that share alpha."""

    rules: Rules
    pairs: int = 1

    def __post_init__(self) -> None:
        _ = self.test  # builds the method now, so that its parameters are checked here

    method = FromRules[str]("method", "The method's name.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of pairs.")
    bounds = FromRules[tuple[float, float]]("bounds", "The declared range of the score.")
    alternative = FromRules[str]("alternative", "Which policies may be declared better.")
    scale = FromRules[Scale]("scale", "The declared range of the score.")

    @cached_property
    def alpha(self) -> float:
        """The share of alpha that this pair aims at."""
        return self.rules.alpha / self.pairs

    @cached_property
    def test(self) -> Method[Any]:
        """The method of one direction, with its share of alpha."""
        parameters = dict(self.rules.parameters)
        for key in registry.find(self.method).score_parameters:
            if parameters.get(key) is not None:
                values = np.atleast_1d(numeric_array(parameters[key], key))
                self._tested_scale.check(values, key)
                parameters[key] = tuple(self._tested_scale.unit(values).tolist())
        test = registry.create(
            self.method,
            parameters=parameters,
            alpha=self.alpha / self.shares,
            n_max=self.n_max,
            margin=self.rules.margin / self.scale.span * (self.rules.audit or 1.0),
            design=self._tested_design,
            reference=tuple(self._unit_references),
            averages=bool(self.rules.groups),
        )
        if self.rules.list_size is not None:
            return OnList.of(test, self.rules.list_size)
        if self.rules.proxy_mean is None:
            return test
        unit = self.rules.advantage(1.0) / self.scale.span
        signs = [unit if policy else -unit for policy in self.directions]
        return Proxied.of(
            test,
            proxy_means=tuple(
                tuple(sign * mean for sign in signs) for mean in means_of_pairs(self.rules)
            ),
            proxy_batches=tuple(
                tuple(tuple(sign * each for each in own) for sign in signs)
                for own in self.rules.proxy_batches or ()
            ),
            audit=self.rules.audit,
        )

    @cached_property
    def scenes(self) -> SceneTests | None:
        """The watch on the scenes of one pair with a proxy, or None without."""
        return self.scenes_of(0, 1)

    def scenes_of(self, pair: int, pairs: int) -> SceneTests | None:
        """Return the watch on one of so many pairs, which share its level; None without a proxy."""
        level = FALSE_ALARMS / (pairs * len(self.directions))
        return SceneTests.of(self.test, pair, level) if isinstance(self.test, Proxied) else None

    @property
    def _tested_design(self) -> str:
        # A number is independent of everything, and the paired design assumes the least; the two
        # ends of a meeting always go against each other.
        apart = self.rules.reference is None and self.rules.by == "means"
        apart = apart and self.rules.proxy_mean is None  # proven for differences only
        return self.rules.design if apart else "paired"

    @property
    def _tested_scale(self) -> Scale:
        """The range of what the test sees: that of the scores, or of wins."""
        return Scale(*self.bounds) if self.rules.by == "wins" else self.scale

    @cached_property
    def sameness(self) -> Sameness | None:
        """The tests of "practically the same", each at the whole level, or None."""
        within = self.rules.equivalence
        if within is None:
            return None
        return Sameness(self.test.not_worse(self.alpha, within / self._tested_scale.span))

    @cached_property
    def _unit_references(self) -> list[float]:
        """The reference in [0, 1] as each direction sees it, or nothing without one."""
        if self.rules.reference is None:
            return []
        start, sign = self._mirror
        return list(start + sign * self.scale.unit(np.asarray(self.rules.reference)))

    @property
    def rests_on_independence(self) -> bool:
        """Whether dependence within pairs would matter: then it is watched for."""
        declared = self.test.design == "independent" and self.rules.by == "means"
        return declared and self.test.needs_independence

    @cached_property
    def confidence(self) -> ConfidenceSequence:
        """The confidence sequence that goes with the test, of one study."""
        return self.confidence_at(self.interval_level)

    @cached_property
    def interval_level(self) -> float:
        """The probability that one bound of the interval ever fails: that of its direction."""
        if not self.test.inverts:
            return self.alpha / len(self.directions)
        return self.test.alpha * float(np.exp(self.start))

    def confidence_at(self, level: Floats | float) -> ConfidenceSequence:
        """Return the confidence sequence whose bounds have this level each."""
        lower, upper = (level if policy in self.directions else None for policy in (1, 0))
        return self.sequence(
            levels=(lower, upper),
            margin=self.test.margin if self.test.inverts else NO_MARGIN,
            bettor=self.test if self.test.inverts else None,
            reference=self.test.reference,
        )

    def sequence(self, **settings: Any) -> ConfidenceSequence:
        """Make a confidence sequence of the mean of scenes without end, or of those of a list."""
        size = self.rules.list_size
        if size is None:
            return ConfidenceSequence(**settings)
        return ListSequence(**settings, list_size=size)

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
        r0, r1 = scores if self.rules.proxy_mean is None else self.scores_alone(*scores)
        difference = r1 - r0
        return Pairs(1, r0, r1, difference * difference, gained, fall, rejected)

    def scores_alone(self, r0: Floats, r1: Floats, axis: int = 0) -> tuple[Floats, Floats]:
        """Return the scores without those of the proxy; 0 for pairs that were not audited."""
        score0, score1 = np.take(r0, 0, axis=axis), np.take(r1, 0, axis=axis)
        if self.rules.audit is None:
            return score0, score1
        return np.nan_to_num(score0), np.nan_to_num(score1)

    def difference_interval(self, low: float, high: float) -> Interval:
        """Return the interval of a difference as the test sees it, in units of the score."""
        return Interval(self.difference(low), self.difference(high))

    def difference(self, tested: float) -> float:
        """Return a difference as the test sees it, in units of the score."""
        share = self.rules.audit or 1.0
        return float(np.clip(tested / share, -1.0, 1.0)) * self.scale.span

    @property
    def directions(self) -> tuple[int, ...]:
        """The policies that may be declared better, one test each."""
        return {"greater": (1,), "less": (0,), "two-sided": (1, 0)}[self.alternative]

    @cached_property
    def shares(self) -> int:
        """Into how many equal parts alpha is split over the directions."""
        split = self.rules.ties == "strict" and not registry.find(self.method).splits_itself
        return len(self.directions) if split else 1

    @cached_property
    def _takes_all(self) -> bool:
        """Whether any score within the bounds will do."""
        return self.levels is None and self.rules.by == "means"

    @cached_property
    def levels(self) -> Floats | None:
        """The only normalised scores that the method accepts, or None for all."""
        return self.test.score_values()

    def met(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Return two scores as the test sees them; of wins what each has won: 1, 1/2 or 0."""
        if self.rules.by == "means":
            return r0, r1
        won: Floats = 0.5 * (1.0 + (r1 > r0) - (r1 < r0))
        return 1.0 - won, won

    def directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Return both scores with a last axis of directions, swapped where policy 0 is tested.

        A number in place of policy 0 stays there: number and scores are mirrored instead.
        """
        if self.rules.audit is not None:
            r0, r1 = self._audited(r0), self._audited(r1)
        if self.test.reference:
            start, sign = self._mirror
            return start + sign * r0[..., None], start + sign * r1[..., None]
        if self.alternative == "greater":
            return r0[..., None], r1[..., None]
        if self.alternative == "less":
            return r1[..., None], r0[..., None]
        both = np.stack((r0, r1), axis=-1)
        return both, np.ascontiguousarray(both[..., ::-1])

    def _audited(self, both: Floats) -> Floats:
        """Return scores and a judge's as the test bets on them, in pairs audited or not."""
        kind, share = max(both.ndim - 2, 0), self.rules.audit
        score, judged = both.take(0, axis=kind), both.take(1, axis=kind)
        audited = ~np.isnan(score)
        return np.stack([np.where(audited, score, 0.0), (audited - share) * judged], axis=kind)

    @cached_property
    def _mirror(self) -> tuple[Floats, Floats]:
        """What makes 1 - x of x in the direction of policy 0, and leaves x in the other."""
        start = np.array([float(policy == 0) for policy in self.directions])
        return start, 1.0 - 2.0 * start

    def unit_pair(self, r0: Any, r1: Any) -> tuple[float, float, float, float]:
        """Return one pair as it was scored and scaled to [0, 1]; NaN if it was not audited."""
        (name0, name1), reference = self.rules.pair_names, self.rules.reference
        if r0 is None or (r1 is None and self.rules.audit is not None):
            require(
                self.rules.audit is not None and r0 is r1,
                "a pair without scores is one that was not audited: declare audit, and give the "
                "scores of both policies, or of neither",
                parameter="audit",
            )
            return math.nan, math.nan, math.nan, math.nan
        if r1 is None or reference is not None:
            self.both(r0, r1)  # raises unless one score comes with a reference
            r0, r1 = reference or 0.0, r0
            unit0 = float(self.scale.unit(np.asarray(r0)))
        else:
            unit0 = self.unit_score(r0, name0)
        unit1 = self.unit_score(r1, name1)
        near = self.scale.nearest
        return near(float(without_gradient(r0))), near(float(without_gradient(r1))), unit0, unit1

    def both(self, scores0: object, scores1: object | None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the scores of both policies; with a reference, it and those of the policy."""
        reference, (name0, name1) = self.rules.reference, self.rules.pair_names
        if reference is None:
            alone = "two policies are compared, but got scores of one; declare a reference, the "
            require(scores1 is not None, f"{alone}number to compare with, or give those of both")
            return numeric_array(scores0, name0), numeric_array(scores1, name1)
        require(
            scores1 is None,
            f"one policy is compared with the number {name0}: give its scores alone, but got two",
        )
        array = numeric_array(scores0, name1)
        return np.full(array.shape, reference), array

    def proxy(
        self, proxy: object, shape: tuple[int, ...]
    ) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the scores (g0, g1) of a proxy, of the shape of the scores, or None without."""
        require(
            (proxy is None) == (self.rules.proxy_mean is None),
            "scores of a proxy go with the mean of their difference (proxy_mean or proxy_scores): "
            "give both, or neither",
        )
        if proxy is None:
            return None
        if not isinstance(proxy, Sequence | np.ndarray) or len(proxy) != 2:
            raise InvalidInput(f"a proxy has a score of each policy, (g0, g1), but got {proxy!r}")
        array0, array1 = (numeric_array(scores, "the proxy") for scores in proxy)
        for array in (array0, array1):
            text = f"a proxy needs scores of the same shape as the policies, {shape}, but got "
            require(array.shape == shape, f"{text}{array.shape}")
            self.scale.check(array, "the proxy")
        return array0, array1

    def check_both(self, scores0: NDArray[Any], scores1: NDArray[Any]) -> None:
        """Raise unless every score of both policies is allowed; a reference is checked before."""
        name0, name1 = self.rules.pair_names
        if self.rules.audit is not None:
            audited = ~np.isnan(scores0)
            require(
                bool((audited == ~np.isnan(scores1)).all()),
                "a pair is audited or not: give the scores of both policies, or of neither",
                parameter="audit",
            )
            scores0, scores1 = scores0[audited], scores1[audited]
        if self.rules.reference is None:
            self.check(scores0, name0)
        self.check(scores1, name1)

    def check(self, scores: np.typing.NDArray[Any], policy: str) -> None:
        """Raise unless every score is finite, within the bounds and of an accepted value."""
        self.scale.check(scores, policy)
        if self.levels is not None:
            self.scale.check_levels(scores, self.levels, self.method, policy)

    def unit_score(self, score: object, policy: str) -> float:
        """Return one score normalised to [0, 1], or raise."""
        low, high = self.bounds
        if type(score) is float and self._takes_all and low <= score <= high:
            return (high - score if self.rules.lower_is_better else score - low) / (high - low)
        array = numeric_array(score, policy)
        if array.ndim != 0:
            raise InvalidInput(f"a score must be one number, but {policy} got {score!r}")
        self.check(array, policy)
        return float(self.scale.unit(array))

"""One pair under the rules: what streams and simulations share."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.confidence import NO_MARGIN, ConfidenceSequence
from stopwise.core.confidence_state import Pairs
from stopwise.core.method import Evidence, Method
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import Scale, numeric_array
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting


@dataclass(frozen=True)
class Comparison:
    """The test of one pair under the rules.

    Parameters
    ----------
    rules
        What was declared.
    pairs
        Among how many pairs alpha is shared.
    """

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
        return registry.create(
            self.method,
            parameters=parameters,
            alpha=self.alpha / self.shares,
            n_max=self.n_max,
            margin=self.rules.margin / self.scale.span,
            # The two ends of a meeting always go against each other.
            design="paired" if self.rules.by == "wins" else self.rules.design,
            averages=bool(self.rules.groups),
        )

    @property
    def _tested_scale(self) -> Scale:
        """The range of what the test sees: that of the scores, or of wins."""
        return Scale(*self.bounds) if self.rules.by == "wins" else self.scale

    def require_no_futility_stop(self) -> None:
        """Raise if the rules say that a test of two policies ends early: others do not."""
        require(
            self.test.closes_at_futility or not self.test.stops_at_futility,
            f"binding futility stops of {self.method} are for a test of two policies; here choose ",
            Setting("futility", "advisory"),
            code="futility-of-many",
        )

    @property
    def rests_on_independence(self) -> bool:
        """Whether dependence within pairs would matter: then it is watched for."""
        declared = self.rules.design == "independent" and self.rules.by == "means"
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
        margin = self.test.margin if self.test.inverts else NO_MARGIN
        lower, upper = (level if policy in self.directions else None for policy in (1, 0))
        return ConfidenceSequence(
            levels=(lower, upper),
            margins=(margin, margin),
            bettor=self.test if self.test.inverts else None,
        )

    @cached_property
    def start(self) -> float:
        """Log-evidence before the first pair: a method may begin with half of its wealth."""
        return float(self.test.evidence(self.test.start((1,))).log_e[0])

    def pair_seen(
        self, before: Any, after: Any, r0: Floats, r1: Floats, *, log_e: Floats, rejected: Bools
    ) -> Pairs:
        """Return one pair of scores as a confidence sequence sees it."""
        gained: Floats = np.zeros(rejected.shape)
        fall = gained
        if self.test.inverts:
            gained = log_e - self.start
            fall = self.test.margin_fall(before, after, *self.directed(r0, r1))
        difference = r1 - r0
        return Pairs(1, r0, r1, difference * difference, gained, fall, rejected)

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
        """Return both scores with a last axis of directions, swapped where policy 0 is tested."""
        if self.alternative == "greater":
            return r0[..., None], r1[..., None]
        if self.alternative == "less":
            return r1[..., None], r0[..., None]
        both = np.stack((r0, r1), axis=-1)
        return both, np.ascontiguousarray(both[..., ::-1])

    def decide(self, evidence: Evidence) -> tuple[Bools, Ints]:
        """Return whether a decision falls, and for which policy (one for all, or per run)."""
        rejected = evidence.rejected
        if self.alternative != "two-sided":
            return rejected[..., 0], np.asarray(self.directions[0])
        # Were both directions rejected at once (absurd levels only), nothing would be known.
        return rejected[..., 0] != rejected[..., 1], rejected[..., 0].astype(np.int64)

    def combined_log_e(self, log_e: Floats) -> Floats:
        """Return the e-value to be held against 1/alpha, over all directions."""
        if log_e.shape[-1] == 1:
            return log_e[..., 0]
        combined: Floats = log_e.max(axis=-1) - np.log(self.shares)
        return combined

    def combined_p_value(self, p_value: Floats) -> Floats:
        """Return the p-value to be held against alpha, over all directions."""
        if p_value.shape[-1] == 1:
            return p_value[..., 0]
        combined: Floats = np.minimum(self.shares * p_value.min(axis=-1), 1.0)
        return combined

    def check(self, scores: np.typing.NDArray[Any], policy: str) -> None:
        """Raise unless every score is finite, within the bounds and of an accepted value."""
        self.scale.check(scores, policy)
        if self.levels is not None:
            self.scale.check_levels(scores, self.levels, self.method, policy)

    def unit_score(self, score: object, policy: str) -> float:
        """Return one score normalised to [0, 1], or raise."""
        low, high = self.bounds
        if type(score) is float and self._takes_all and low <= score <= high:
            gained = high - score if self.rules.lower_is_better else score - low
            return gained / (high - low)
        array = numeric_array(score, policy)
        if array.ndim != 0:
            raise InvalidInput(f"a score must be one number, but {policy} got {score!r}")
        self.check(array, policy)
        return float(self.scale.unit(array))

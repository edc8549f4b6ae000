"""The engine: tests of one study or of thousands side by side, pair by pair."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.method import Evidence
from stopwise.core.pair_test import PairTest, SamenessState

# The end of a study, beside 1 and 0 for the policy that is better: practically the same.
EQUIVALENT = 2


class Seen(NamedTuple):
    """What the tests of some runs have seen; the last axis of its arrays is that of directions."""

    tests: Any
    evidence: Evidence
    p_value: Floats  # the least so far
    same: SamenessState | None


@dataclass(frozen=True, eq=False)
class Outlook:
    """What is to be expected of studies by n_max, computed when it is asked for."""

    comparison: PairTest
    seen: Seen

    @property
    def chances(self) -> Floats | None:
        """The chance of a decision by n_max, by run: of the likeliest end, if the truth is such."""
        chance = self.comparison.test.chance(self.seen.tests)
        if chance is None:
            return None
        likeliest: Floats = np.asarray(chance.max(axis=-1))
        if self.comparison.sameness is None or self.seen.same is None:
            return likeliest
        same = self.comparison.sameness.chance(self.seen.same)
        return likeliest if same is None else np.maximum(likeliest, same)

    @property
    def hopeless(self) -> Bools:
        hopeless: Bools = np.asarray(self.comparison.test.futile(self.seen.tests).all(axis=-1))
        if self.comparison.sameness is None or self.seen.same is None:
            return hopeless
        return hopeless & self.comparison.sameness.futile(self.seen.same)


@dataclass(frozen=True)
class Engine:
    """The tests that a comparison asks for: one for each direction, and those of sameness."""

    comparison: PairTest

    def start(self, shape: tuple[int, ...]) -> Seen:
        test, sameness = self.comparison.test, self.comparison.sameness
        directed = (*shape, len(self.comparison.directions))
        tests = test.start(directed)
        same = None if sameness is None else sameness.start(shape)
        return Seen(tests, test.evidence(tests), np.ones(directed), same)

    def observe(self, seen: Seen, low: Floats, high: Floats) -> Seen:
        """State after one more pair of scores, as ``PairTest.directed`` gives them."""
        test, sameness = self.comparison.test, self.comparison.sameness
        tests = test.step(seen.tests, low, high)
        evidence, same = test.evidence(tests), seen.same
        if sameness is not None and same is not None:
            same = sameness.step(same, low, high)
        return Seen(tests, evidence, np.minimum(seen.p_value, evidence.p_value), same)

    def leap(self, seen: Seen, low: Floats, high: Floats) -> tuple[Seen, Floats]:
        """State after pairs (first axis) that decide nothing, and log e-values after each."""
        tests, path = self.comparison.test.leap(seen.tests, low, high)
        p_value = np.minimum(seen.p_value, np.exp(-path.max(axis=0)))
        return Seen(tests, self.comparison.test.evidence(tests), p_value, seen.same), path

    def outlook(self, seen: Seen) -> Outlook:
        return Outlook(self.comparison, seen)

    def end(self, seen: Seen) -> tuple[Bools, Ints]:
        """Whether a study ends, and its decision; 2 for practically the same."""
        sameness, rejected = self.comparison.sameness, seen.evidence.rejected
        if sameness is not None and seen.same is not None:
            not_worse = sameness.not_worse(seen.same)
            better = (seen.p_value <= self.comparison.test.alpha) & not_worse
            differ = better[..., 0] != better[..., 1]
            ends: Bools = differ | not_worse.all(axis=-1)
            return ends, np.where(differ, better[..., 0], EQUIVALENT)
        if len(self.comparison.directions) == 1:
            return rejected[..., 0], np.asarray(self.comparison.directions[0])
        # Were both directions rejected at once (absurd levels only), nothing would be known.
        differ = rejected[..., 0] != rejected[..., 1]
        if not self.comparison.test.ends:
            return differ, rejected[..., 0].astype(np.int64)
        equal = self.equal(seen)
        return differ | equal, np.where(equal & ~differ, EQUIVALENT, rejected[..., 0])

    def equal(self, seen: Seen) -> Bools:
        """Whether both policies are equal for certain: neither can be shown to be better."""
        test = self.comparison.test
        if not test.ends or test.margin or len(self.comparison.directions) < 2:
            return np.zeros(seen.p_value.shape[:-1], dtype=bool)
        return np.asarray(test.closed(seen.tests).all(axis=-1))

    def log_e(self, seen: Seen) -> Floats:
        """Return log e-values to be held against log(1/alpha), over all directions."""
        log_e = seen.evidence.log_e
        if log_e.shape[-1] == 1:
            return log_e[..., 0]
        return np.asarray(log_e.max(axis=-1) - self._log_shares)

    def p_value(self, seen: Seen, equivalent: Bools | bool = False) -> Floats:
        """Return p-values to be held against alpha: of a difference, or where shown of sameness."""
        if seen.p_value.shape[-1] == 1:
            return seen.p_value[..., 0]
        shared: Floats = np.minimum(self.comparison.shares * seen.p_value, 1.0)
        if seen.same is None:
            least: Floats = shared.min(axis=-1)
            return least if equivalent is False else np.where(equivalent, 0.0, least)
        backed = np.maximum(shared, seen.same.p_value).min(axis=-1)
        return np.where(equivalent, np.asarray(seen.same.p_value.max(axis=-1)), backed)

    @cached_property
    def _log_shares(self) -> float:
        return float(np.log(self.comparison.shares))

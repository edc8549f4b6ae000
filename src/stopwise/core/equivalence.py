"""Practically the same: the two tests that show it, beside those of a difference."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.method import Method


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

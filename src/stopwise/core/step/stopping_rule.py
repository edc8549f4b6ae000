"""A symmetric stopping rule for two success counts, as integer tables."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Doubles


@dataclass(frozen=True)
class Rule:
    """When to stop, by the number of pairs ``t``, the total ``s = x + y`` and ``d = y - x``.

    With ``d >= reject_from[t, s]`` the rule declares "policy 1 better", with
    ``d <= -reject_from[t, s]`` "policy 0 better"; ``|d| < continue_from[t, s]`` is a futility
    stop. A few states below ``reject_from`` may stop with a probability: they are listed apart, by
    sorted codes ``(t (n_max + 1) + x) (n_max + 1) + y`` with ``y > x``.
    """

    reject_from: NDArray[np.int16]
    continue_from: NDArray[np.int16]
    random_state: NDArray[np.int64]
    random_probability: Doubles

    @cached_property
    def n_max(self) -> int:
        """Largest number of pairs."""
        return len(self.reject_from) - 1

    def rejection_probability(
        self, n: NDArray[np.int64], successes0: NDArray[np.int64], successes1: NDArray[np.int64]
    ) -> Doubles:
        """Probability of declaring policy 1 better on arrival in these states, elementwise."""
        certain = successes1 - successes0 >= self.reject_from[n, successes0 + successes1]
        probability: Doubles = certain.astype(np.float64)
        if self.random_state.size:
            width = self.n_max + 1
            code = (n * width + successes0) * width + successes1
            place = np.searchsorted(self.random_state, code)
            place = np.minimum(place, self.random_state.size - 1)
            found = (self.random_state[place] == code) & ~certain
            probability = np.where(found, self.random_probability[place], probability)
        return probability

    def is_futile(
        self, n: NDArray[np.int64], successes0: NDArray[np.int64], successes1: NDArray[np.int64]
    ) -> Bools:
        """Whether these states lie in the futility region (never in the last pair), elementwise."""
        distance = np.abs(successes1 - successes0)
        result: Bools = distance < self.continue_from[n, successes0 + successes1]
        return result

    def is_monotone(self) -> bool:
        """Whether rejection only becomes likelier with a success of 1 or a failure of 0.

        Checked in all states, at every time: this is the premise of the coupling argument in
        `worst_case`. Futility stops are left out.
        """
        if self.random_state.size == 0:
            return all(_is_even(self.reject_from[t, : 2 * t + 1]) for t in range(1, self.n_max + 1))
        for t in range(1, self.n_max + 1):
            table = self.table(t)
            if np.any(np.diff(table, axis=1) < 0.0) or np.any(np.diff(table, axis=0) > 0.0):
                return False
        return True

    def table(self, t: int) -> Doubles:
        """Rejection probabilities of all states at time ``t``, by (x, y)."""
        return self.rejection_probability(*_all_states(t))

    def futility_table(self, t: int) -> Bools:
        """Futility stops of all states at time ``t``, by (x, y)."""
        return self.is_futile(*_all_states(t))


def _all_states(t: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    counts = np.arange(t + 1)
    return np.full((1, 1), t), counts[:, np.newaxis], counts[np.newaxis, :]


def _is_even(reject_from: NDArray[np.int16]) -> bool:
    """Whether neighbouring totals differ by at most one in their least difference that rejects.

    One more success of policy 1, or one less of policy 0, moves both the total and the
    difference by one; so this says that neither leaves the rejection region.
    """
    total = np.arange(reject_from.size)
    # Bounds that no state can reach all mean the same.
    unreachable = np.minimum(total, total[::-1]) + 2
    return bool(np.all(np.abs(np.diff(np.minimum(reject_from, unreachable))) <= 1))

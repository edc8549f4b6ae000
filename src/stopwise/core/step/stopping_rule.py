"""A symmetric stopping rule for two success counts, as integer tables."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Doubles


@dataclass(frozen=True)
class Rule:
    """When to stop, by the number of pairs ``t``, the total ``s = x + y`` and ``d = y - x``."""

    reject_from: NDArray[np.int16]
    continue_from: NDArray[np.int16]

    @cached_property
    def n_max(self) -> int:
        return len(self.reject_from) - 1

    def rejects(
        self, n: NDArray[np.int64], successes0: NDArray[np.int64], successes1: NDArray[np.int64]
    ) -> Bools:
        result: Bools = successes1 - successes0 >= self.reject_from[n, successes0 + successes1]
        return result

    def is_futile(
        self, n: NDArray[np.int64], successes0: NDArray[np.int64], successes1: NDArray[np.int64]
    ) -> Bools:
        """Whether these states lie in the futility region (never in the last pair), elementwise."""
        distance = np.abs(successes1 - successes0)
        result: Bools = distance < self.continue_from[n, successes0 + successes1]
        return result

    def is_monotone(self) -> bool:
        """Whether rejection only becomes likelier with a success of 1 or a failure of 0."""
        return all(_is_even(self.reject_from[t, : 2 * t + 1]) for t in range(1, self.n_max + 1))

    def table(self, t: int) -> Doubles:
        """1 in the states at time ``t`` that reject, else 0, by (x, y)."""
        return self.rejects(*all_states(t)).astype(np.float64)

    def futility_table(self, t: int) -> Bools:
        """Futility stops of all states at time ``t``, by (x, y)."""
        return self.is_futile(*all_states(t))


def all_states(t: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of pairs and both counts of every state at time ``t``, by (x, y)."""
    counts = np.arange(t + 1)
    return np.full((1, 1), t), counts[:, np.newaxis], counts[np.newaxis, :]


def _is_even(reject_from: NDArray[np.int16]) -> bool:
    """Whether neighbouring totals differ by at most one in their least difference that rejects."""
    total = np.arange(reject_from.size)
    # Bounds that no state can reach all mean the same.
    unreachable = np.minimum(total, total[::-1]) + 2
    return bool(np.all(np.abs(np.diff(np.minimum(reject_from, unreachable))) <= 1))

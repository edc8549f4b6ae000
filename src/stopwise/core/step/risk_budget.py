"""How the published rule spreads its error over time."""

import math
from dataclasses import dataclass

import numpy as np

from stopwise.core.arrays import Doubles
from stopwise.errors import InvalidInput, require_choice

_SHAPES = ("power", "partial_sums")


@dataclass(frozen=True)
class RiskBudget:
    """Share of alpha that may be spent by each number of pairs.

    ``power`` spends ``((t - d + 1) / (n + 1 - d)) ** exponent`` by ``t``, after a dead time ``d``
    without stops; exponent 1 is the published default (linear). ``partial_sums`` spends in
    proportion to ``sum_{i <= t - d + 1} i ** -exponent``: more of it early as the exponent grows.

    Parameters
    ----------
    shape : {"power", "partial_sums"}
        Family of budgets.
    exponent : float
        Positive for ``power``, at least 0 for ``partial_sums``.
    """

    shape: str = "power"
    exponent: float = 1.0

    def __post_init__(self) -> None:
        """Refuse shapes and exponents that are no budget."""
        require_choice("risk_budget", self.shape, _SHAPES)
        if not math.isfinite(self.exponent) or self.exponent < 0.0:
            raise InvalidInput(f"risk budget exponent must be at least 0, got {self.exponent!r}")
        if self.shape == "power" and self.exponent == 0.0:
            raise InvalidInput("a power risk budget needs an exponent above 0, got 0")

    def dead_time(self, n_max: int) -> int:
        """Return the number of pairs up to which the rule never stops (below ``n_max``)."""
        return min(max(4, int(math.log2(n_max)) + 1), n_max - 1)

    def shares(self, n_max: int) -> Doubles:
        """Share of alpha available by each ``t = 0, ..., n_max``; zero during the dead time."""
        dead = self.dead_time(n_max)
        steps = np.arange(1, n_max - dead + 2, dtype=np.float64)
        if self.shape == "power":
            spent = (steps / steps[-1]) ** self.exponent
        else:
            sums = np.cumsum(steps**-self.exponent)
            spent = sums / sums[-1]
        shares = np.zeros(n_max + 1)
        shares[dead + 1 :] = spent[1:]
        return shares

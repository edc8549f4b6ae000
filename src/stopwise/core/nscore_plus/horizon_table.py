"""The bets of ``nscore-plus`` that are planned for a declared horizon, as a table to look up.

The rule "Plan for the horizon" in section 4 of ``docs/design/nscore-plus.md``; the table is made by
``horizon_induction``.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats, between
from stopwise.core.nscore_plus.constants import (
    NEED_POINTS,
    SOFTENING,
    STATISTIC_HIGH,
    STATISTIC_LOW,
    STATISTIC_POINTS,
)

__all__ = ["STATISTIC", "STATISTIC_STEP", "BetTable", "need_index"]

STATISTIC: Floats = np.linspace(STATISTIC_LOW, STATISTIC_HIGH, STATISTIC_POINTS)
STATISTIC_STEP = float(STATISTIC[1] - STATISTIC[0])
TINY = 1e-9  # keeps the upper neighbour of the last cell inside the table


class BetTable(NamedTuple):
    """Planned bets on a grid (row of time, statistic, need)."""

    row: NDArray[np.intp]  # row of the table for each number of pairs seen, 0 .. n_max - 1
    bet: Floats  # (rows, statistic, need), standardised bet g
    need_max: float  # largest log-wealth to go in the table

    def planned_bet(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        """Return the bet after so many pairs (fewer than n_max), by bilinear interpolation.

        Parameters
        ----------
        pairs, total, need : ndarray
            Pairs seen, sum of standardised differences, log-wealth to go.
        """
        statistic = (total / np.sqrt(pairs + SOFTENING) - STATISTIC_LOW) * (1 / STATISTIC_STEP)
        statistic = between(statistic, 0.0, STATISTIC.size - 1 - TINY)
        remaining = np.minimum(need_index(need, self.need_max), NEED_POINTS - 1 - TINY)
        i, j = statistic.astype(np.intp), remaining.astype(np.intp)
        a, b = statistic - i, remaining - j
        corner = (self.row.take(pairs.astype(np.intp)) * STATISTIC.size + i) * NEED_POINTS + j
        bets = self.bet.reshape(-1)
        low, above = bets.take(corner), bets.take(corner + NEED_POINTS)
        low = low + b * (bets.take(corner + 1) - low)
        high = above + b * (bets.take(corner + (NEED_POINTS + 1)) - above)
        bet: Floats = low + a * (high - low)
        return bet


def need_index(need: Floats, need_max: float) -> Floats:
    """Fractional index of a need in the quadratically spaced grid."""
    return np.sqrt(between(need / need_max, 0.0, 1.0)) * (NEED_POINTS - 1)

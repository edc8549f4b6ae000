"""The bets that ``nscore-plus`` plans for a declared horizon, and its chances."""

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

STATISTIC: Floats = np.linspace(STATISTIC_LOW, STATISTIC_HIGH, STATISTIC_POINTS)
STATISTIC_STEP = float(STATISTIC[1] - STATISTIC[0])
TINY = 1e-9  # keeps the upper neighbour of the last cell inside the table


class PlanTable(NamedTuple):
    """Planned bets, or the chances that go with them, on a grid (row of time, statistic, need)."""

    row: NDArray[np.intp]  # row of the table for each number of pairs seen
    values: Floats  # (rows, statistic, need): standardised bets g, or chances of a decision
    need_max: float  # largest log-wealth to go in the table

    def at(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        """Return the value after so many pairs, by bilinear interpolation."""
        statistic = (total / np.sqrt(pairs + SOFTENING) - STATISTIC_LOW) * (1 / STATISTIC_STEP)
        statistic = between(statistic, 0.0, STATISTIC.size - 1 - TINY)
        remaining = np.minimum(need_index(need, self.need_max), NEED_POINTS - 1 - TINY)
        i, j = statistic.astype(np.intp), remaining.astype(np.intp)
        a, b = statistic - i, remaining - j
        corner = (self.row.take(pairs.astype(np.intp)) * STATISTIC.size + i) * NEED_POINTS + j
        values = self.values.reshape(-1)
        low, above = values.take(corner), values.take(corner + NEED_POINTS)
        low = low + b * (values.take(corner + 1) - low)
        high = above + b * (values.take(corner + (NEED_POINTS + 1)) - above)
        value: Floats = low + a * (high - low)
        return value


def interpolated(values: Floats, position: Floats) -> Floats:
    position = np.minimum(position, values.shape[-1] - 1 - TINY)
    low = position.astype(np.intp)
    left = np.take_along_axis(values, low, -1)
    between_them: Floats = left + (position - low) * (
        np.take_along_axis(values, low + 1, -1) - left
    )
    return between_them


def need_index(need: Floats, need_max: float) -> Floats:
    """Fractional index of a need in the quadratically spaced grid."""
    return np.sqrt(between(need / need_max, 0.0, 1.0)) * (NEED_POINTS - 1)

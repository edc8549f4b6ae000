"""The random walk of two success counts, folded by its two symmetries.

After ``t`` pairs with ``x`` and ``y`` successes put ``m = t - x - y`` and ``d = y - x``; row ``d``,
column ``j`` of an array holds ``m = 2 j + (t - d) mod 2``. Probabilities are fractions of the
``C(2t, x + y)`` strings with that total: so they hold for every common success rate.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Doubles

Integers = NDArray[np.int16]
Number = TypeVar("Number", np.float64, np.int16, np.int64)


class Weights(NamedTuple):
    """Weights of the neighbours ``m + 1``, ``m - 1``, ``d +- 1``, by ``m`` and by (row, column)."""

    by_total: tuple[Doubles, Doubles, Doubles]
    above: Doubles
    below: Doubles
    beside: Doubles


def by_rows(vector: NDArray[Number], t: int) -> NDArray[Number]:
    """View a vector over ``m = 0, 1, ...`` as (parity of the row, column) at time ``t``."""
    columns = t // 2 + 1
    pairs = vector[: 2 * columns].reshape(columns, 2).T
    return pairs[::-1] if t % 2 else pairs


def by_total(rows: NDArray[Number], t: int) -> NDArray[Number]:
    """Invert `by_rows`: a vector over ``m``, with one entry too many when ``t`` is even."""
    return (rows[::-1] if t % 2 else rows).T.reshape(-1)


@dataclass(frozen=True)
class Walk:
    """Geometry and weights of the folded walk up to a horizon."""

    n_max: int
    band: float

    def row_pairs(self, t: int) -> int:
        """Half the number of rows kept at time ``t`` (never fewer than at an earlier time)."""
        return min(t, math.ceil(self.band * math.sqrt(t / 2)) + 6) // 2 + 1

    def shape(self, t: int) -> tuple[int, int, int]:
        """Shape (row pairs, row parity, columns) of the arrays at time ``t``."""
        return self.row_pairs(t), 2, t // 2 + 1

    def row_numbers(self, t: int) -> NDArray[np.int16]:
        """Value of ``d`` in every row, with a trailing axis for the columns."""
        return np.arange(2 * self.row_pairs(t), dtype=np.int16).reshape(-1, 2, 1)

    def backward_weights(self) -> list[Weights]:
        """Weights of the successors (time ``t + 1``) of a state at time ``t``, for all ``t``."""
        return [_weights(t, *_successors(t)) for t in range(self.n_max)]

    def forward_weights(self) -> list[Weights]:
        """Weights of the predecessors (time ``t - 1``) of a state at time ``t``, for all ``t``."""
        return [_weights(t, *_predecessors(t)) for t in range(self.n_max + 1)]

    def buffers(self) -> Iterator[Doubles]:
        """Two zeroed arrays in turn, with a margin of one row and one column on each side."""
        rows, _, columns = self.shape(self.n_max)
        pair = np.zeros((2, 2 * rows + 4, columns + 3))
        while True:
            yield pair[0]
            yield pair[1]


def interior(padded: Doubles, shape: tuple[int, int, int]) -> Doubles:
    """View without margins, as (row pairs, row parity, columns)."""
    return _view(padded, shape, 1, 1, padded.strides[0])


def combine(padded: Doubles, t: int, shape: tuple[int, int, int], weights: Weights) -> Doubles:
    """Weighted sum over the four neighbours of every state at time ``t``."""
    height, width = padded.strides
    # The first row (d = 0) is mirrored to d = -1, and the first column to m = -1.
    padded[0] = padded[2]
    padded[:, 0] = padded[:, 1]
    odd = t % 2
    slanted = height - width if odd else height + width
    above = _view(padded, shape, 1, 1 + odd, slanted)
    below = _view(padded, shape, 1, odd, slanted)
    left = _view(padded, shape, 0, 1, height)
    right = _view(padded, shape, 2, 1, height)
    total = left + right
    total *= weights.beside
    total += above * weights.above
    total += below * weights.below
    return total


def combine_totals(vector: Doubles, weights: Weights) -> Doubles:
    """Take the same sum of a function of ``m`` alone, equal at ``d + 1`` and ``d - 1``."""
    above, below, beside = weights.by_total
    size = above.size
    extended = np.zeros(size + 2)
    kept = min(vector.size, size + 1)
    extended[1 : kept + 1] = vector[:kept]
    extended[0] = extended[2]
    return above * extended[2:] + below * extended[:size] + 2.0 * beside * extended[1 : size + 1]


def _view(
    padded: Doubles, shape: tuple[int, int, int], row: int, column: int, parity_step: int
) -> Doubles:
    """View from a first entry, with ``parity_step`` bytes from an even row to the odd one."""
    height, width = padded.strides
    start = row * height + column * width
    # Ten times quicker than `as_strided`, which counts here.
    return np.ndarray(shape, np.float64, padded, start, (2 * height, parity_step, width))


def _successors(t: int) -> tuple[Doubles, Doubles, Doubles]:
    total = t - np.arange(2 * (t // 2 + 1), dtype=np.float64)
    scale = (2.0 * t + 2.0) * (2.0 * t + 1.0)
    both_fail = (2 * t + 2 - total) * (2 * t + 1 - total) / scale
    both_succeed = (total + 2) * (total + 1) / scale
    one_each = (total + 1) * (2 * t + 1 - total) / scale
    return both_fail, both_succeed, one_each


def _predecessors(t: int) -> tuple[Doubles, Doubles, Doubles]:
    total = t - np.arange(2 * (t // 2 + 1), dtype=np.float64)
    possible = total >= 0
    scale = max(2.0 * t * (2.0 * t - 1.0), 1.0)
    both_succeeded = total * (total - 1) / scale
    both_failed = (2 * t - total) * (2 * t - total - 1) / scale
    one_each = total * (2 * t - total) / scale
    return both_succeeded * possible, both_failed * possible, one_each * possible


def _weights(t: int, above: Doubles, below: Doubles, beside: Doubles) -> Weights:
    return Weights(
        (above, below, beside),
        np.ascontiguousarray(by_rows(above, t)),
        np.ascontiguousarray(by_rows(below, t)),
        np.ascontiguousarray(by_rows(beside, t)),
    )

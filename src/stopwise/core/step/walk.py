"""The random walk of two success counts, folded by its two symmetries, and passes over it.

After ``t`` pairs with ``x`` and ``y`` successes put ``m = t - x - y`` and ``d = y - x``; row ``d``,
column ``j`` of an array holds ``m = 2 j + (t - d) mod 2``. Probabilities are fractions of the
``C(2t, x + y)`` strings with that total: so they hold for every common success rate. Costs are
relative to ending undecided, which so costs nothing at any time.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Doubles

# Larger than any value; finite, so that a zero weight times it is zero.
_FORBIDDEN = 1e200

Integers = NDArray[np.int16]
Number = TypeVar("Number", np.float64, np.int16, np.int64)


class Costs(NamedTuple):
    """Cost arrays by time: stake times the likelihood, and the cost of one more pair."""

    gain: list[Doubles]
    running: list[Doubles]


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
    above, below, level = weights.by_total
    size = above.size
    extended = np.zeros(size + 2)
    kept = min(vector.size, size + 1)
    extended[1 : kept + 1] = vector[:kept]
    extended[0] = extended[2]
    return above * extended[2:] + below * extended[:size] + 2.0 * level * extended[1 : size + 1]


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


def _weights(t: int, above: Doubles, below: Doubles, level: Doubles) -> Weights:
    return Weights(
        (above, below, level),
        np.ascontiguousarray(by_rows(above, t)),
        np.ascontiguousarray(by_rows(below, t)),
        np.ascontiguousarray(by_rows(level, t)),
    )


def best_rejection(
    walk: Walk, weights: list[Weights], costs: Costs, price: Doubles, tilt: float
) -> tuple[float, Integers]:
    """Least Lagrangian of all rules, and from which ``d`` on its rule rejects, by (time, m)."""
    n_max = walk.n_max
    reject_from = never_rejects(n_max)
    parity = np.array([[0], [1]])
    for t, dear, ahead, value in backwards(walk, weights, costs, price):
        stop = (1.0 + tilt * (t / n_max - 0.5)) * by_rows(dear, t) - costs.gain[t]
        stop[0, 0] = _FORBIDDEN
        going_on = stop > ahead
        first = 2 * np.count_nonzero(going_on, axis=0) + parity
        reject_from[t, : first.size] = by_total(first, t)
        value[...] = np.where(going_on, ahead, stop)
    return float(value[0, 0, 0]), reject_from


def best_advice(
    walk: Walk, weights: list[Weights], costs: Costs, reject_from: Integers
) -> Integers:
    """From which ``d`` on to continue, by (time, m), under a rule and at no price for errors."""
    continue_from = np.zeros_like(reject_from)
    parity = np.array([[0], [1]])
    for t, _, ahead, value in backwards(walk, weights, costs, np.zeros(walk.n_max + 1)):
        going_on = walk.row_numbers(t) < by_rows(reject_from[t], t)
        if t < walk.n_max:
            hopeless = np.logical_and.accumulate(going_on & (ahead >= 0.0), axis=0)
            first = 2 * np.count_nonzero(hopeless, axis=0) + parity
            # A row that starts at d = 1 has no hopeless state when its first entry is 1.
            continue_from[t, : first.size] = by_total(np.where(first > 1, first, 0), t)
            np.minimum(ahead, 0.0, out=ahead)
        stop = -costs.gain[t]
        stop[0, 0] = _FORBIDDEN
        value[...] = np.where(going_on, ahead, stop)
    return continue_from


def backwards(
    walk: Walk, weights: list[Weights], costs: Costs, price: Doubles
) -> Iterator[tuple[int, Doubles, Doubles, Doubles]]:
    """Yield times from the last, the price of a wrong "+", the cost to go on, values to fill in."""
    buffers = walk.buffers()
    padded = next(buffers)
    for t in range(walk.n_max, -1, -1):
        shape = walk.shape(t)
        if t == walk.n_max:
            price, ahead = np.append(price, np.zeros(2)), np.zeros(shape)
        else:
            ahead = combine(padded, t, shape, weights[t])
            ahead += costs.running[t]
            price = combine_totals(price, weights[t])
        padded = next(buffers)
        yield t, price, ahead, interior(padded, shape)
        padded[2 * shape[0] + 1] = _FORBIDDEN


def error_coefficients(walk: Walk, weights: list[Weights], reject_from: Integers) -> Doubles:
    """Probability of "+" given the total at the horizon, over ``m = 0, ..., n_max``."""
    rejected = np.zeros(2)
    for t, arriving, beyond in arrivals(walk, weights, reject_from):
        rejected = combine_totals(rejected, weights[t])
        rejected += by_total(np.sum(arriving * (beyond >= 0), axis=0), t)
    return rejected[: walk.n_max + 1]


def arrivals(
    walk: Walk, weights: list[Weights], reject_from: Integers
) -> Iterator[tuple[int, Doubles, Integers]]:
    """Yield each ``t >= 1``, the fraction of strings that arrive, and how far beyond rejection."""
    buffers = walk.buffers()
    padded = next(buffers)
    padded[1, 1] = 1.0
    for t in range(1, walk.n_max + 1):
        shape = walk.shape(t)
        arriving = combine(padded, t, shape, weights[t])
        beyond = walk.row_numbers(t) - by_rows(reject_from[t], t)
        yield t, arriving, beyond
        arriving *= beyond < 0
        padded = next(buffers)
        interior(padded, shape)[...] = arriving


def never_rejects(n_max: int) -> Integers:
    """A table over (time, m) without any stop, to be filled in."""
    return np.full((n_max + 1, n_max + 2), n_max + 1, np.int16)


def unfold(half: Integers) -> Integers:
    """Table over (time, total ``s``) from one over (time, m)."""
    n_max = half.shape[0] - 1
    table = np.zeros((n_max + 1, 2 * n_max + 1), dtype=np.int16)
    for t in range(n_max + 1):
        table[t, : t + 1] = half[t, t::-1]
        table[t, t : 2 * t + 1] = half[t, : t + 1]
    return table

"""One round of the design: backward induction for a rule, forward pass for its errors.

Costs are relative to ending undecided, which so costs nothing at any time.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Doubles
from stopwise.core.step.walk import (
    Integers,
    Walk,
    Weights,
    by_rows,
    by_total,
    combine,
    combine_totals,
    interior,
)

# Larger than any value; finite, so that a zero weight times it is zero.
_FORBIDDEN = 1e200


class Regions(NamedTuple):
    """Decision regions by (time, m): go on for ``continue_from <= d < reject_from``."""

    continue_from: Integers
    reject_from: Integers


class Costs(NamedTuple):
    """Cost arrays by time: stake times the likelihood, and the cost of one more pair."""

    gain: list[Doubles]
    running: list[Doubles]


def best_regions(
    walk: Walk,
    weights: list[Weights],
    costs: Costs,
    price: Doubles,
    *,
    futility: bool,
    tilt: float = 0.0,
    reject_from: Integers | None = None,
) -> tuple[float, Regions]:
    """Minimise the Lagrangian over all rules, or over the futility stops of a given rule."""
    n_max = walk.n_max
    regions = no_regions(n_max)
    if reject_from is not None:
        regions.reject_from[...] = reject_from
    buffers = walk.buffers()
    padded = next(buffers)
    parity = np.array([[0], [1]])
    value = np.zeros(1)
    for t in range(n_max, -1, -1):
        shape = walk.shape(t)
        price, ahead = one_pair_ahead(walk, weights, costs, price, padded, t=t)
        stop = (1.0 + tilt * (t / n_max - 0.5)) * by_rows(price, t) - costs.gain[t]
        stop[0, 0] = _FORBIDDEN
        width = 2 * shape[2]
        if reject_from is None:
            going_on = stop > ahead
            first = 2 * np.count_nonzero(going_on, axis=0) + parity
            regions.reject_from[t, :width] = by_total(first, t)
        else:
            going_on = walk.row_numbers(t) < by_rows(reject_from[t], t)
        if futility and t < n_max:
            hopeless = np.logical_and.accumulate(going_on & (ahead >= 0.0), axis=0)
            first = 2 * np.count_nonzero(hopeless, axis=0) + parity
            # A row that starts at d = 1 has no hopeless state when its first entry is 1.
            regions.continue_from[t, :width] = by_total(np.where(first > 1, first, 0), t)
            np.minimum(ahead, 0.0, out=ahead)
        padded = next(buffers)
        value = interior(padded, shape)
        value[...] = np.where(going_on, ahead, stop)
        padded[2 * shape[0] + 1] = _FORBIDDEN
    return float(value[0, 0, 0]), regions


def error_coefficients(
    walk: Walk, weights: list[Weights], regions: Regions, *, futility: bool
) -> Doubles:
    """Probability of "+" given the total at the horizon, over ``m = 0, ..., n_max``."""
    rejected = np.zeros(2)
    for t, arriving, beyond in arrivals(walk, weights, regions, futility=futility):
        rejected = combine_totals(rejected, weights[t])
        rejected += by_total(np.sum(arriving * (beyond >= 0), axis=0), t)
    return rejected[: walk.n_max + 1]


def one_pair_ahead(
    walk: Walk, weights: list[Weights], costs: Costs, price: Doubles, padded: Doubles, *, t: int
) -> tuple[Doubles, Doubles]:
    """Price of a wrong "+" at time ``t``, and the cost of going on to ``t + 1`` in every state."""
    shape = walk.shape(t)
    if t == walk.n_max:
        return np.append(price, np.zeros(2)), np.zeros(shape)
    ahead = combine(padded, t, shape, weights[t])
    ahead += costs.running[t]
    return combine_totals(price, weights[t]), ahead


def arrivals(
    walk: Walk, weights: list[Weights], regions: Regions, *, futility: bool
) -> Iterator[tuple[int, Doubles, Integers]]:
    """Yield each ``t >= 1``, the fraction of strings that arrive, and how far beyond rejection."""
    buffers = walk.buffers()
    padded = next(buffers)
    padded[1, 1] = 1.0
    for t in range(1, walk.n_max + 1):
        shape = walk.shape(t)
        arriving = combine(padded, t, shape, weights[t])
        rows = walk.row_numbers(t)
        beyond = rows - by_rows(regions.reject_from[t], t)
        yield t, arriving, beyond
        arriving *= beyond < 0
        if futility:
            arriving *= rows >= by_rows(regions.continue_from[t], t)
        padded = next(buffers)
        interior(padded, shape)[...] = arriving


def no_regions(n_max: int) -> Regions:
    """Tables over (time, m) without any stop, to be filled in."""
    shape = (n_max + 1, n_max + 2)
    return Regions(np.zeros(shape, np.int16), np.full(shape, n_max + 1, np.int16))


def unfold(half: Integers) -> Integers:
    """Table over (time, total ``s``) from one over (time, m)."""
    n_max = half.shape[0] - 1
    table = np.zeros((n_max + 1, 2 * n_max + 1), dtype=np.int16)
    for t in range(n_max + 1):
        table[t, : t + 1] = half[t, t::-1]
        table[t, t : 2 * t + 1] = half[t, : t + 1]
    return table

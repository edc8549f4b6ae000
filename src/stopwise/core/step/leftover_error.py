"""Spend the error that a rule of integers leaves over."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stopwise.core.arrays import Doubles
from stopwise.core.step.induction import Costs, Regions, arrivals, one_pair_ahead
from stopwise.core.step.walk import Integers, Walk, Weights, by_rows, by_total, interior

_BLOCK = 2048
_LEAST_VALUE = 0.2


class Offer(NamedTuple):
    """States next to the boundary, best value first: time, ``m``, fraction that arrives there."""

    time: NDArray[np.int64]
    m: NDArray[np.int64]
    fraction: Doubles


def offers(values: list[Doubles], fractions: list[Doubles]) -> Offer:
    """Order the states one row below the boundary by their value for their price."""
    time = np.concatenate([np.full(part.size, t) for t, part in enumerate(fractions)])
    m = np.concatenate([np.arange(part.size) for part in fractions])
    value, fraction = np.concatenate(values), np.concatenate(fractions)
    order = np.argsort(-value, kind="stable")
    # Below this value a state costs more error than it will ever be worth.
    order = order[(fraction[order] > 0.0) & (value[order] > _LEAST_VALUE)]
    return Offer(time[order], m[order], fraction[order])


def spend(table: Integers, offer: Offer, rates: Doubles, room: Doubles) -> int:
    """Lower entries of ``table[t, m]`` in place while no null point's room is exceeded."""
    taken = 0
    room = room.copy()
    before, after = table[offer.time, np.abs(offer.m - 1)], table[offer.time, offer.m + 1]
    here = table[offer.time, offer.m]
    peaks = (before < here) & ((after < here) | (offer.m == offer.time)) & (here > 2)
    offer = Offer(*(part[peaks] for part in offer))
    for start in range(0, offer.time.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        used = _arrival(offer.time[part], offer.m[part], rates) * offer.fraction[part, np.newaxis]
        for k in np.flatnonzero(np.all(used <= room, axis=1)):
            t, m = offer.time[start + k], offer.m[start + k]
            entry = table[t, m]
            peak = table[t, abs(m - 1)] < entry and (m == t or table[t, m + 1] < entry)
            if peak and np.all(used[k] <= room):
                table[t, m] = entry - 2
                room -= used[k]
                taken += 1
    return taken


def border_values(
    walk: Walk,
    weights: list[Weights],
    costs: Costs,
    regions: Regions,
    price: Doubles,
    *,
    futility: bool,
) -> tuple[float, list[Doubles]]:
    """Cost of a rule, and what rejecting one row earlier would save per unit of its price."""
    n_max = walk.n_max
    values: list[Doubles] = [np.empty(0)] * (n_max + 1)
    buffers = walk.buffers()
    padded = next(buffers)
    cost = np.empty((1, 1, 1))
    for t in range(n_max, -1, -1):
        price, ahead = one_pair_ahead(walk, weights, costs, price, padded, t=t)
        rows = walk.row_numbers(t)
        bound = by_rows(regions.reject_from[t], t)
        if futility:
            ahead *= rows >= by_rows(regions.continue_from[t], t)
        saved = np.sum((ahead + costs.gain[t]) * (rows == bound - 2), axis=0)
        values[t] = by_total(saved / np.maximum(by_rows(price, t), 1e-100), t)[: t + 1]
        padded = next(buffers)
        cost = interior(padded, walk.shape(t))
        cost[...] = np.where(rows < bound, ahead, -costs.gain[t])
    return float(cost[0, 0, 0]), values


def border_fractions(
    walk: Walk, weights: list[Weights], regions: Regions, *, futility: bool
) -> list[Doubles]:
    """Fraction of strings that arrive one row below the boundary, by time, over ``m``."""
    return [
        np.zeros(1),
        *(
            by_total(np.sum(arriving * (beyond == -2), axis=0), t)[: t + 1]
            for t, arriving, beyond in arrivals(walk, weights, regions, futility=futility)
        ),
    ]


def _arrival(times: NDArray[np.int64], m: NDArray[np.int64], rates: Doubles) -> Doubles:
    low, high = times - m, times + m
    ways = gammaln(2 * times + 1) - gammaln(low + 1) - gammaln(high + 1)
    success, failure = np.log(rates), np.log1p(-rates)
    one = np.exp(ways[:, np.newaxis] + np.outer(low, success) + np.outer(high, failure))
    two = np.exp(ways[:, np.newaxis] + np.outer(high, success) + np.outer(low, failure))
    result: Doubles = one + two * (m > 0)[:, np.newaxis]
    return result

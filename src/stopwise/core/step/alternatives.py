"""The alternatives that the optimal design is made for, and their cost arrays."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from stopwise.core.arrays import Doubles
from stopwise.core.step.induction import Costs
from stopwise.core.step.walk import Walk


class Alternatives(NamedTuple):
    """Pairs of success rates, closed under exchanging success and failure."""

    rates0: Doubles  # each below that of policy 1
    rates1: Doubles
    weights: Doubles  # of the expected number of pairs; they sum to one
    stakes: Doubles  # so many pairs the power is worth; missing it costs so much


def default_alternatives(n_max: int, purpose: str = "decision") -> Alternatives:
    """Pairs of tenths, of odd twentieths, and of small rates, with their mirrors at one."""
    tenths = list(combinations([0.1 * k for k in range(1, 10)], 2))
    between = list(combinations([0.05 + 0.1 * k for k in range(10)], 2))
    small = [*combinations([0.002, 0.01, 0.03, 0.06, 0.1], 2), (0.002, 0.2), (0.01, 0.2)]
    extremes = small + [(1.0 - high, 1.0 - low) for low, high in small]
    rates0, rates1 = np.array(tenths + between + extremes).T
    weights = np.repeat([1.0, 0.2, 0.1], [len(tenths), len(between), len(extremes)])
    # The folded walk needs alternatives that are closed under exchanging success and failure.
    rates0, rates1 = np.append(rates0, 1.0 - rates1), np.append(rates1, 1.0 - rates0)
    weights = np.append(weights, weights)
    weights /= weights.sum()
    stakes = weights * _emphasis(n_max, purpose, 0.5 * (rates0 + rates1))
    total = n_max * _pairs_for_power(n_max, purpose)
    return Alternatives(rates0, rates1, weights, total * stakes / stakes.sum())


def _emphasis(n_max: int, purpose: str, mean_rate: Doubles) -> Doubles:
    """Relative stakes: decisions lean to the middle of the scale, futility stops must not."""
    if purpose != "decision":
        return np.ones_like(mean_rate)
    floor = min(0.7, 0.26 + 0.0012 * n_max)
    result: Doubles = np.maximum((4.0 * mean_rate * (1.0 - mean_rate)) ** 4, floor)
    return result


def _pairs_for_power(n_max: int, purpose: str) -> float:
    """Mean stake in units of the horizon."""
    if purpose == "advice":
        return 8.0
    if purpose == "binding":
        return 2.5 + 20.0 / n_max
    return 1.195 + 0.0013 * n_max


def cost_arrays(walk: Walk, alternatives: Alternatives) -> Costs:
    """Gain of a right "+" and cost of one more pair, in every state of the folded walk."""
    rates0, rates1, weights, stakes = alternatives
    failure = (np.log1p(-rates0) + np.log1p(-rates1))[:, np.newaxis]
    slope = 0.5 * ((np.log(rates0) + np.log(rates1))[:, np.newaxis] - failure)
    odds = np.log(rates1) - np.log1p(-rates1) - np.log(rates0) + np.log1p(-rates0)
    # By the parity of the row, then the row, then the alternative.
    rows = np.arange(2 * walk.row_pairs(walk.n_max)).reshape(-1, 2).T
    ratio = np.exp(0.5 * rows[:, :, np.newaxis] * odds)
    gain_factor, running_factor = ratio * stakes, (ratio + 1.0 / ratio) * weights
    gain: list[Doubles] = []
    running: list[Doubles] = []
    for t in range(walk.n_max + 1):
        shape = walk.shape(t)
        total = t - np.arange(2 * shape[2])
        possible = np.maximum(total, 0)
        ways = gammaln(2 * t + 1) - gammaln(possible + 1) - gammaln(2 * t - possible + 1)
        base = np.exp(ways + t * failure + slope * possible) * (total >= 0)
        # Subnormal numbers would slow the products down a hundredfold.
        base[base < 1e-290] = 0.0
        gain.append(np.empty(shape))
        running.append(np.empty(shape))
        for parity in (0, 1):
            # Column j of rows of this parity holds m = 2 j + (t - d) mod 2.
            columns = np.ascontiguousarray(base[:, (t + parity) % 2 :: 2])
            gain[t][:, parity] = gain_factor[parity][: shape[0]] @ columns
            running[t][:, parity] = running_factor[parity][: shape[0]] @ columns
    return Costs(gain, running)

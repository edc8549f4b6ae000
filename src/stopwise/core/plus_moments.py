"""What ``nscore-plus`` remembers of the pairs, and the estimates that size its bets."""

from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats

__all__ = [
    "SIGNAL_SHARE",
    "Moments",
    "PlusState",
    "between",
    "independent_moments",
    "inside",
    "loss_lean",
    "paired_moments",
]

# Prior scores per policy at the middle of the range, for scores as noisy as binary ones; low-noise
# scores get proportionally fewer, for there a few scores already fix the mean.
MEAN_PRIOR = 3.0
# The spread (variance over its maximum at that mean) starts as SPREAD_PRIOR scores of spread
# SPREAD: near 1 as binary scores have, and light, so that a few pairs show low-noise returns.
SPREAD_PRIOR, SPREAD = 0.5, 0.8
# Few pairs underestimate the spread as often as they overestimate it, but only the former ruins:
# raise it by this share over (pairs + 1).
CAUTION = 0.5
# Paired: prior differences, and their second moment relative to that of independent scores, which
# shared environments make smaller.
PAIRED_PRIOR, PAIRED_SHARE = 8.0, 0.6
# The spread around a common mean contains the effect itself, which is noise to binary scores but
# not to scores with little noise; take half of it out.
SIGNAL_SHARE = 0.5
# Pairs of equal variances by which the observed likeness of both variances is shrunk.
LIKE_PRIOR = 10.0
# Pairs by which the observed lean towards large losses is shrunk.
LEAN_PRIOR = 3.0


class PlusState(NamedTuple):
    """Sums over the pairs seen, the wealth, and the bet that was last computed.

    ``low`` and ``high`` are the two scores of a pair, that of policy 1 less the margin.
    """

    pairs: Floats
    low: Floats
    high: Floats
    square: Floats  # sum of high^2 + low^2
    second: Floats  # sum of high^2 - low^2; paired: of (high - low)^2
    third: Floats  # likewise of the cubes
    wins: Floats  # pairs with a positive difference: number, sum and sum of squares
    win_sum: Floats
    win_square: Floats
    log_e: Floats
    amount: Floats  # of the last bet, its centre, and the weight of its second-order term
    centre0: Floats
    cross: Floats
    luck: Floats  # of a randomised last look, uniform on [0, 1)


class Moments(NamedTuple):
    """Estimates before a pair; with a margin, those of policy 1 are less by it."""

    variance: Floats  # of a difference, under the null
    spread: Floats  # 1: all or nothing, as binary scores, 0: without noise; paired: of differences
    mean0: Floats
    mean1: Floats
    # Of known scores the product of both gets the weight share b^2 with a bet b, and doubt less
    # while their level is not known.
    share: Floats
    doubt: Floats


def between(value: Floats | float, low: Floats | float, high: Floats | float) -> Floats:
    """Clip; np.clip costs several times as much on the short arrays of a live stream."""
    clipped: Floats = np.minimum(np.maximum(value, low), high)
    return clipped


class _Scores(NamedTuple):
    variance: Floats  # of a difference of independent scores
    spread: Floats
    mean0: Floats
    mean1: Floats
    weight: Floats  # of the prior scores of each policy


def _scores(state: PlusState, margin: float) -> _Scores:
    """Return the moments with both means shrunk to the middle and the spread pooled."""
    n = state.pairs
    pooled = (state.low + state.high) / np.maximum(2 * n, 1.0)
    scatter = np.maximum(state.square - 2 * n * pooled * pooled, 0.0)
    prior = SPREAD_PRIOR / 4
    most = n * _largest_variance(inside(pooled, margin), margin)
    spread = (scatter + SPREAD * prior) / (most + prior) * (1 + CAUTION / (n + 1))
    spread = np.minimum(spread, 1.0)
    weight = MEAN_PRIOR * spread
    middle = weight * (0.5 * (1 - margin))
    mean0 = (state.low + middle) / (n + weight)
    mean1 = (state.high + middle) / (n + weight)
    variance = spread * _largest_variance(inside(0.5 * (mean0 + mean1), margin), margin)
    signal = SIGNAL_SHARE * np.minimum(0.5 * (mean1 - mean0) ** 2, variance)
    return _Scores(variance - signal, spread, mean0, mean1, weight)


def independent_moments(state: PlusState, margin: float) -> Moments:
    """Return the moments with what is known of the common level and of both variances."""
    variance, spread, mean0, mean1, weight = _scores(state, margin)
    # 1 for equal variances of both policies, 0 if one has none
    seen = np.maximum(state.pairs, 1.0)
    prior = 0.5 * LIKE_PRIOR * variance
    square0, square1 = 0.5 * (state.square - state.second), 0.5 * (state.square + state.second)
    scatter0 = np.maximum(square0 - state.low * state.low / seen, 0.0) + prior
    scatter1 = np.maximum(square1 - state.high * state.high / seen, 0.0) + prior
    alike = 4 * scatter0 * scatter1 / (scatter0 + scatter1) ** 2
    # Over the product of both variances: that of the common level, which 2 n scores and the prior
    # ones tell, each of half the variance.
    doubt = 2 / (alike * variance * (2 * (state.pairs + weight) + 1))
    return Moments(variance, spread, mean0, mean1, np.maximum(2 - 1 / alike, 0.0), doubt)


def paired_moments(state: PlusState, margin: float) -> Moments:
    """Return the moments with the variance of the differences; few of them lean on the scores."""
    scores = _scores(state, margin)
    weight = state.pairs + PAIRED_PRIOR
    square = (state.second + PAIRED_PRIOR * PAIRED_SHARE * scores.variance) / weight
    # positive: the squared mean is at most the second moment
    variance = square - SIGNAL_SHARE * ((state.high - state.low) / weight) ** 2
    spread = scores.spread * np.minimum(variance / scores.variance, 1.0)
    none = np.zeros_like(variance)
    return Moments(variance, spread, none, none, none, none)


def loss_lean(state: PlusState, moments: Moments) -> Floats:
    """Third moment towards losses, of both scores or of differences; 0 if they lean to wins."""
    centre = 0.5 * (moments.mean0 + moments.mean1)  # 0 in the paired design
    third = state.third - 3 * centre * (state.second - centre * (state.high - state.low))
    return np.maximum(-third / (state.pairs + LEAN_PRIOR), 0.0)


def _largest_variance(centre0: Floats, margin: float) -> Floats:
    """Of a difference of scores with means m0 and m0 + margin: both binary."""
    if margin == 0:
        return 2 * centre0 * (1 - centre0)
    centre1 = centre0 + margin
    return centre0 * (1 - centre0) + centre1 * (1 - centre1)


def inside(centre0: Floats, margin: float) -> Floats:
    """Keep m0 and m0 + margin strictly inside the range of scores."""
    low, high = max(0.0, -margin), min(1.0, 1.0 - margin)
    edge = 1e-4 * (high - low)
    return between(centre0, low + edge, high - edge)

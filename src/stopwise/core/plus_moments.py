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
# scores get proportionally fewer, for there a few scores already fix the mean. They fade from the
# first to the second number, half of the way after MEAN_FADES pairs: a level near the ends of the
# range, where they are too many, shows late.
MEAN_PRIOR, MEAN_LASTING, MEAN_FADES = 3.5, 1.5, 20.0
# The spread of a policy (variance over its maximum at that mean) starts as SPREAD_PRIOR scores of
# spread SPREAD: near 1 as binary scores have, and light, so that a few pairs show low-noise
# returns. A policy that has only ever scored 0, or only 1, shows nothing and keeps it.
SPREAD_PRIOR, SPREAD = 0.25, 0.8
# Paired: prior differences, and their second moment relative to that of independent scores, which
# shared environments make smaller.
PAIRED_PRIOR, PAIRED_SHARE = 8.0, 0.6
# The second moment around a common mean contains the effect itself, which is noise to binary scores
# but not to scores with little noise; leave half of it out.
SIGNAL_SHARE = 0.5
# Pairs of equal variances by which the observed likeness of both variances is shrunk.
LIKE_PRIOR = 10.0
# Means are kept so far inside the range, relative to it.
EDGE = 1e-4
# Pairs by which the observed lean towards large losses is shrunk.
LEAN_PRIOR = 3.0


class PlusState(NamedTuple):
    """Sums over the pairs seen, the wealth, and the bet that was last computed.

    ``low`` and ``high`` are the two scores of a pair, that of policy 1 less the margin.
    """

    pairs: Floats
    low: Floats
    high: Floats
    low_square: Floats
    high_square: Floats
    gap_square: Floats  # sum of (high - low)^2; paired only
    third: Floats  # sum of high^3 - low^3; paired: of (high - low)^3
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
    variances: Floats  # of both policies (first axis)
    variance: Floats  # of a difference of independent scores
    spread: Floats
    means: Floats
    weight: Floats  # of the prior scores of both policies


def _scores(state: PlusState, margin: float) -> _Scores:
    """Return the moments, each policy's spread around its own mean, means shrunk to the middle."""
    n = state.pairs
    totals = np.array((state.low, state.high))
    squares = np.array((state.low_square, state.high_square))
    seen = totals / np.maximum(n, 1.0)
    scatter = np.maximum(squares - totals * seen, 0.0)
    prior = SPREAD_PRIOR / 4
    spreads = (scatter + SPREAD * prior) / (n * _largest_variances(seen, margin) + prior)
    # Few pairs underestimate the spread as often as they overestimate it, but only the former
    # ruins.
    spreads = np.minimum(spreads * ((n + 2) / (n + 1)), 1.0)
    fading = (MEAN_PRIOR - MEAN_LASTING) * (MEAN_FADES / (n + MEAN_FADES))
    weights = (MEAN_LASTING + fading) * spreads
    means = (totals + weights * (0.5 * (1 - margin))) / (n + weights)
    variances = spreads * _largest_variances(means, margin)
    signal = 0.5 * (means[1] - means[0]) ** 2
    variance = variances[0] + variances[1] + (1 - SIGNAL_SHARE) * signal
    return _Scores(
        variances, variance, 0.5 * (spreads[0] + spreads[1]), means, weights[0] + weights[1]
    )


def independent_moments(state: PlusState, margin: float) -> Moments:
    """Return the moments with what is known of the common level and of both variances."""
    (variance0, variance1), variance, spread, (mean0, mean1), weight = _scores(state, margin)
    n = state.pairs
    # 1 for equal variances of both policies, 0 if one has none
    noise = variance0 + variance1
    prior = 0.5 * LIKE_PRIOR * noise
    alike = (
        (n * variance0 + prior) * (n * variance1 + prior) * (2 / ((n + LIKE_PRIOR) * noise)) ** 2
    )
    # Over the product of both variances: that of the common level, which 2 n scores and the prior
    # ones tell, each of half the variance.
    doubt = 2 / (alike * variance * (2 * n + weight + 1))
    return Moments(variance, spread, mean0, mean1, np.maximum(2 - 1 / alike, 0.0), doubt)


def paired_moments(state: PlusState, margin: float) -> Moments:
    """Return the moments with the variance of the differences; few of them lean on the scores."""
    scores = _scores(state, margin)
    weight = state.pairs + PAIRED_PRIOR
    square = (state.gap_square + PAIRED_PRIOR * PAIRED_SHARE * scores.variance) / weight
    # positive: the squared mean is at most the second moment
    variance = square - SIGNAL_SHARE * ((state.high - state.low) / weight) ** 2
    spread = scores.spread * np.minimum(variance / scores.variance, 1.0)
    none = np.zeros_like(variance)
    return Moments(variance, spread, none, none, none, none)


def loss_lean(state: PlusState, moments: Moments) -> Floats:
    """Third moment towards losses, of both scores or of differences; 0 if they lean to wins."""
    centre = 0.5 * (moments.mean0 + moments.mean1)  # 0 in the paired design
    second = state.high_square - state.low_square
    third = state.third - 3 * centre * (second - centre * (state.high - state.low))
    return np.maximum(-third / (state.pairs + LEAN_PRIOR), 0.0)


def _largest_variances(means: Floats, margin: float) -> Floats:
    """Of scores with these means (first axis: policies, policy 1 less the margin): binary ones."""
    levels = means
    if margin != 0:
        levels = means + np.array((0.0, margin)).reshape(2, *(1,) * (means.ndim - 1))
    levels = between(levels, EDGE, 1 - EDGE)
    return levels * (1 - levels)


def inside(centre0: Floats, margin: float) -> Floats:
    """Keep m0 and m0 + margin strictly inside the range of scores."""
    low, high = max(0.0, -margin), min(1.0, 1.0 - margin)
    edge = EDGE * (high - low)
    return between(centre0, low + edge, high - edge)

"""The estimates that size the bets of ``nscore-plus``: means, spread and variance of the scores."""

from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Floats, between
from stopwise.core.nscore_plus.constants import (
    EDGE,
    LIKENESS_WEIGHT,
    MEAN_FADES,
    MEAN_WEIGHT_FIRST,
    MEAN_WEIGHT_LASTING,
    PAIRED_SHARE,
    PAIRED_WEIGHT,
    SIGNAL_SHARE,
    SPREAD_FIRST,
    SPREAD_WEIGHT,
)
from stopwise.core.nscore_plus.state import Sums


class Estimates(NamedTuple):
    """What sizes the bet on a pair, estimated before it; means of policy 1 are less the margin."""

    variance: Floats  # of a difference, under the null
    spread: Floats  # 1: all or nothing, as binary scores, 0: without noise; paired: of differences
    mean0: Floats
    mean1: Floats
    # A bet b gives the product of both scores the weight share b^2 once their level is known, and
    # doubt less before.
    share: Floats
    doubt: Floats
    margin: Floats | float
    own_spread: Floats  # of the scores themselves, as ``spread``
    # The part of the sum of third powers that comes with two outcomes, and is no lean.
    third: Floats | float = 0.0
    widened: Floats | float = 0.0  # what a proxy adds to the loss of the worst pair


class ScoreEstimates(NamedTuple):
    """Estimates of the scores of both policies (first axis), and of their difference."""

    variances: Floats
    variance: Floats  # of a difference of independent scores
    spread: Floats
    means: Floats
    prior_weight: Floats  # of the prior scores of both policies


def independent_estimates(sums: Sums, margin: Floats | float) -> Estimates:
    """Return the estimates for independent scores."""
    scores = score_deviation(sums, margin)
    mean0, mean1 = scores.means
    share, doubt = product_worth(sums.pairs, scores)
    spread = scores.spread
    return Estimates(scores.variance, spread, mean0, mean1, share, doubt, margin, spread)


def score_deviation(sums: Sums, margin: Floats | float) -> ScoreEstimates:
    """Estimate each policy's spread around its own mean, with means shrunk to the middle."""
    n = np.array((sums.pairs, sums.pairs))  # of equal shapes: broadcasting would cost live streams
    totals = np.array((sums.low, sums.high))
    squares = np.array((sums.low_square, sums.high_square))
    seen = totals / np.maximum(n, 1.0)
    scatter = np.maximum(squares - totals * seen, 0.0)
    prior = SPREAD_WEIGHT / 4  # in units of the largest variance, 1/4
    spreads = (scatter + SPREAD_FIRST * prior) / (n * _largest_variances(seen, margin) + prior)
    # Few pairs underestimate the spread as often as they overestimate it, but only the former
    # ruins.
    spreads = np.minimum(spreads * ((n + 2) / (n + 1)), 1.0)
    fading = (MEAN_WEIGHT_FIRST - MEAN_WEIGHT_LASTING) * (MEAN_FADES / (n + MEAN_FADES))
    weights = (MEAN_WEIGHT_LASTING + fading) * spreads
    means = (totals + weights * (0.5 * (1 - margin))) / (n + weights)
    variances = spreads * _largest_variances(means, margin)
    gap = means[1] - means[0]
    signal = 0.5 * gap**2
    variance = variances[0] + variances[1] + (1 - SIGNAL_SHARE) * signal
    return ScoreEstimates(
        variances, variance, 0.5 * (spreads[0] + spreads[1]), means, weights[0] + weights[1]
    )


def paired_deviation(sums: Sums, margin: Floats | float) -> Estimates:
    """Estimate the variance of the differences; a few of them lean on all scores."""
    scores = score_deviation(sums, margin)
    weight = sums.pairs + PAIRED_WEIGHT
    square = (sums.gap_square + PAIRED_WEIGHT * PAIRED_SHARE * scores.variance) / weight
    # positive: the squared mean is at most the second moment
    variance = square - SIGNAL_SHARE * ((sums.high - sums.low) / weight) ** 2
    spread = scores.spread * np.minimum(variance / scores.variance, 1.0)
    none = np.zeros_like(variance)
    return Estimates(variance, spread, none, none, none, none, margin, scores.spread)


def number_deviation(sums: Sums, margin: Floats | float, null_mean: Floats) -> Estimates:
    """Estimate the spread of one policy's scores, and their variance at the edge of the null."""
    n = sums.pairs
    gap = sums.high - sums.low
    seen = between(null_mean + gap / np.maximum(n, 1.0), EDGE, 1 - EDGE)
    scatter = np.maximum(sums.gap_square - gap * gap / np.maximum(n, 1.0), 0.0)
    prior = SPREAD_WEIGHT / 4
    spread = (scatter + SPREAD_FIRST * prior) / (n * (seen * (1 - seen)) + prior)
    spread = np.minimum(spread * ((n + 2) / (n + 1)), 1.0)
    edge = between(null_mean, EDGE, 1 - EDGE)
    binary = edge * (1 - edge)
    variance = spread * binary
    # Of success and failure the bet of greatest growth is effect / binary: scores are their own
    # squares, so (score - edge)^3 = (1 - 2 edge) (score - edge)^2 + binary (score - edge).
    third = spread * ((1 - 2 * edge) * sums.gap_square + binary * gap)
    none = np.zeros_like(variance)
    return Estimates(variance, spread, none, none, none, none, margin, spread, third)


def product_worth(pairs: Floats, scores: ScoreEstimates) -> tuple[Floats, Floats]:
    """Return the share of the product in known scores, and the doubt while they are not known."""
    variance0, variance1 = scores.variances
    noise = variance0 + variance1
    prior = 0.5 * LIKENESS_WEIGHT * noise
    # 1 for equal variances of both policies, 0 if one has none
    likeness = (
        (pairs * variance0 + prior)
        * (pairs * variance1 + prior)
        * (2 / ((pairs + LIKENESS_WEIGHT) * noise)) ** 2
    )
    # The variance of the common level, which 2 n scores and the prior ones tell, each of half the
    # variance; over the product of both variances.
    doubt = 2 / (likeness * scores.variance * (2 * pairs + scores.prior_weight + 1))
    return np.maximum(2 - 1 / likeness, 0.0), doubt


def inside(centre0: Floats, margin: Floats | float) -> Floats:
    """Keep m0 and m0 + margin strictly inside the range of scores."""
    low, high = np.maximum(0.0, -margin), np.minimum(1.0, 1.0 - margin)
    edge = EDGE * (high - low)
    return between(centre0, low + edge, high - edge)


def _largest_variances(means: Floats, margin: Floats | float) -> Floats:
    """Variances of binary scores with these means (of policy 1 less the margin)."""
    levels = between(np.array((means[0], means[1] + margin)), EDGE, 1 - EDGE)
    return levels * (1 - levels)

"""What ``nscore-plus`` remembers, and the estimates that size its bets: means, spread, variance."""

from typing import NamedTuple, Self

import numpy as np

from stopwise.core.arrays import Floats, between
from stopwise.core.confidence import Bet

# Tuned; any value is valid. Raise the edition of the method when you change one.
MEAN_WEIGHT_FIRST = 3.5  # prior scores in the middle of the range, for scores as noisy as binary
MEAN_WEIGHT_LASTING = 1.5  # what they fade to
MEAN_FADES = 20.0  # pairs after which they are half-way there
SPREAD_WEIGHT = 0.25  # scores that tell of the first spread
SPREAD_FIRST = 0.8  # the spread of these; 1 is binary
SIGNAL_SHARE = 0.5  # of the effect's own part of the variance, left out as if it were no noise
EDGE = 1e-4  # means stay so far from the ends
PAIRED_WEIGHT = 8.0  # prior paired differences
PAIRED_SHARE = 0.6  # their variance over that of independent scores
LIKENESS_WEIGHT = 10.0  # pairs by which the likeness of both variances is shrunk

ONE, NONE = np.ones(()), np.zeros(())


class Sums(NamedTuple):
    """Sums over pairs; ``low`` and ``high`` are the scores of policy 0, and 1 less the margin."""

    pairs: Floats
    low: Floats
    high: Floats
    low_square: Floats
    high_square: Floats
    gap_square: Floats  # of (high - low)^2; paired only
    third: Floats  # of high^3 - low^3; paired: of (high - low)^3
    wins: Floats  # pairs with a positive difference: number, sum and sum of squares
    win_sum: Floats
    win_square: Floats

    @classmethod
    def of_pair(cls, low: Floats, high: Floats, difference: Floats, design: str) -> Self:
        low_square, high_square = low * low, high * high
        gap_square: Floats = NONE
        if design == "paired":
            gap_square = difference * difference
            third = gap_square * difference
        else:
            third = high_square * high - low_square * low
        win = np.maximum(difference, 0.0)
        return cls(
            pairs=ONE,
            low=low,
            high=high,
            low_square=low_square,
            high_square=high_square,
            gap_square=gap_square,
            third=third,
            wins=(difference > 0).astype(np.float64),
            win_sum=win,
            win_square=win * win,
        )

    def shifted(self, more: Floats, design: str) -> "Sums":
        """Return the sums as they would be with so much more margin (last axis: margins)."""
        old = Sums._make(array[..., None] for array in self)
        square = more * more
        high = old.high - old.pairs * more
        paired = design == "paired"
        once = old.high - old.low if paired else old.high  # whose powers the third sum is of
        squared = old.gap_square if paired else old.high_square
        shifted_square = squared - more * (2.0 * once - old.pairs * more)
        gap_square = shifted_square if paired else old.gap_square
        third = old.third - 3.0 * more * (squared - more * once) - old.pairs * (square * more)
        low, low_square = (np.broadcast_to(sum_, high.shape) for sum_ in (old.low, old.low_square))
        return old._replace(
            low=low,
            low_square=low_square,
            high=high,
            high_square=old.high_square - more * (2.0 * old.high - old.pairs * more),
            gap_square=np.maximum(gap_square, 0.0),
            third=third,
            win_sum=np.maximum(old.win_sum - old.wins * more, 0.0),
            win_square=np.maximum(
                old.win_square - more * (2.0 * old.win_sum - old.wins * more), 0.0
            ),
        )

    def plus(self, more: "Sums") -> "Sums":
        return Sums(*[old + new for old, new in zip(self, more, strict=True)])


class PlusState(NamedTuple):
    """Sums over the pairs seen, the wealth, and the last bet."""

    sums: Sums
    log_e: Floats
    bet: Bet


class Estimates(NamedTuple):
    """What sizes the bet on a pair, estimated before it; means of policy 1 are less the margin."""

    variance: Floats  # of a difference, under the null
    spread: Floats  # 1: all or nothing, as binary scores, 0: without noise; paired: of differences
    margin: Floats | float
    own_spread: Floats  # of the scores themselves, as ``spread``
    mean0: Floats = NONE
    mean1: Floats = NONE
    # A bet b gives the product of both scores the weight share b^2 once their level is known, and
    # doubt less before.
    share: Floats = NONE
    doubt: Floats = NONE
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
    spread, (mean0, mean1) = scores.spread, scores.means
    worth = product_worth(sums.pairs, scores)
    return Estimates(scores.variance, spread, margin, spread, mean0, mean1, *worth)


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
    return Estimates(variance, spread, margin, scores.spread)


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
    return Estimates(variance, spread, margin, spread, third=third)


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

"""Barnard's exact test of two success rates, with the ties of its statistic decided exactly."""

from bisect import bisect_left
from functools import lru_cache
from math import isqrt

import numpy as np

from stopwise.core.arrays import Bools, Floats

# Points of the first search: for few trials, and more by the root of their number.
LEAST_POINTS, FINENESS = 64, 16
# A peak that is lower than this share of the greatest cannot become the greatest by refinement.
NEAR = 0.98
# Around a peak: each round looks at so many points, between the neighbours of the highest.
CLOSER_POINTS, ROUNDS = 17, 5


def barnard_p_value(x0: int, n0: int, x1: int, n1: int, *, two_sided: bool = False) -> float:
    """Return the p-value of x1 successes of n1 trials against x0 of n0, with a trial each at least.

    Tables are ordered by the score statistic with pooled variance. The p-value is the probability
    of all tables at least as extreme, at the common success rate where it is largest. Given the
    sum of successes these tables are a tail of the hypergeometric distribution; where the tail
    begins is found in whole numbers, since many tables have exactly the same statistic. Unless it
    is two-sided, only tables in favour of policy 1 count.
    """
    from scipy.stats import hypergeom

    total, successes = n0 + n1, x0 + x1
    gap = x1 * n0 - x0 * n1
    if gap == 0 or (gap < 0 and not two_sided):
        return 1.0
    # The square of the statistic is gap ** 2 / (sum * (total - sum)), up to a constant. A table
    # of the same trials has gap = x1 * total - sum * n1.
    spread = successes * (total - successes)
    least = [isqrt((gap**2 * s * (total - s) - 1) // spread) + 1 for s in range(1, total)]
    sums = np.arange(1, total)
    above = [-((-s * n1 - least_gap) // total) for s, least_gap in enumerate(least, start=1)]
    share = hypergeom.sf(np.array(above) - 1, total, n1, sums)
    if two_sided:
        below = [(s * n1 - least_gap) // total for s, least_gap in enumerate(least, start=1)]
        share = share + hypergeom.cdf(np.array(below), total, n1, sums)
    return _largest_mean(np.concatenate([[0.0], share, [0.0]]))


@lru_cache(maxsize=256)
def barnard_region(n: int, level: float) -> Bools:
    """Where the one-sided test rejects, by (successes0, successes1) of n trials each."""
    first, second = np.divmod(np.arange((n + 1) ** 2), n + 1)
    together = first + second
    spread = np.maximum(together * (2 * n - together), 1)
    # Quotients of whole numbers: equal statistics give equal floats.
    square = np.where(second > first, (second - first) ** 2 / spread, 0.0)
    statistics = np.unique(square[square > 0])[::-1]
    ways, of_sum = binomial_chances(n, 0.5), binomial_chances(2 * n, 0.5)
    weights = ways[first] * ways[second] / of_sum[together]

    def exceeds(statistic: float) -> bool:
        extreme = square >= statistic
        shares: Floats = np.bincount(
            together[extreme], weights[extreme], minlength=2 * n + 1
        ).astype(float)
        largest = float((_search(2 * n)[1] @ shares).max())
        if NEAR * level < largest <= level:  # only here could refinement make a difference
            largest = _largest_mean(shares)
        return largest > level

    region = square >= np.inf
    rejected = bisect_left(statistics, True, key=exceeds)
    if rejected:
        region = square >= statistics[rejected - 1]
    region = region.reshape(n + 1, n + 1)
    region.setflags(write=False)
    return region


def _largest_mean(values: Floats) -> float:
    """Return the largest mean, over all rates, of the value at a binomial number of successes."""
    n = values.size - 1
    angles, chances = _search(n)
    means = chances @ values
    inner = means[1:-1]
    high = (inner > 0) & (inner >= NEAR * means.max())
    peaks = high & (inner >= means[:-2]) & (inner >= means[2:])
    largest = means.max()
    for at in np.flatnonzero(peaks):
        low, high = angles[at], angles[at + 2]
        for _ in range(ROUNDS):
            closer = np.linspace(low, high, CLOSER_POINTS)
            means = _chances(n, closer) @ values
            low, high = closer[np.clip(means.argmax() + np.array([-1, 1]), 0, CLOSER_POINTS - 1)]
        largest = max(largest, means.max())
    return min(float(largest), 1.0)


# The last one is kept, since many tables of the same trials are asked for in a row.
@lru_cache(maxsize=1)
def _search(n: int) -> tuple[Floats, Floats]:
    """Angles (binomials are equally wide in them), and the chances of 0 to n successes at each."""
    angles = np.linspace(0.0, np.pi / 2, LEAST_POINTS + int(FINENESS * np.sqrt(n)))
    return angles, _chances(n, angles)


def _chances(n: int, angle: float | Floats) -> Floats:
    return binomial_chances(n, np.sin(np.asarray(angle)) ** 2)


def binomial_chances(n: int, rate: float | Floats) -> Floats:
    """Probabilities (..., n + 1) of 0 to n successes at each rate."""
    from scipy.special import gammaln, xlog1py, xlogy

    successes = np.arange(n + 1)
    rates = np.asarray(rate, dtype=float)[..., None]
    ways = gammaln(n + 1) - gammaln(successes + 1) - gammaln(n - successes + 1)
    logs = ways + xlogy(successes, rates) + xlog1py(n - successes, -rates)
    chances: Floats = np.exp(logs)
    return chances

"""Barnard's exact test of two success rates, and the interval of their difference."""

from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from math import isqrt

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import Interval

# Points of the first search: for few trials, and more by the root of their number.
LEAST_POINTS, FINENESS = 64, 16
# A peak that is lower than this share of the greatest cannot become the greatest by refinement.
NEAR = 0.98
# Around a peak: each round looks at so many points, between the neighbours of the highest.
CLOSER_POINTS, ROUNDS = 17, 5
# Success rates of policy 0 at which each difference is tried, and how near to the end of the
# interval the search goes.
DIFFERENCE_RATES, NEAR_END = 200, 1e-4
# Greatest number of tables (x0, x1) for which this takes about a second.
MOST_TABLES = 300**2


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


def difference_interval(x0: int, n0: int, x1: int, n1: int, level: float) -> Interval | None:
    """Return the exact interval of rate 1 minus rate 0, or None for too many trials."""
    if (n0 + 1) * (n1 + 1) > MOST_TABLES:
        return None
    tables = _AllTables(n0, n1)
    seen = x1 / n1 - x0 / n0

    def kept(difference: float) -> bool:
        return tables.p_value(x0, x1, difference) > 1 - level

    return Interval(-_end(lambda d: kept(-d), -seen), _end(kept, seen))


def _end(kept: Callable[[float], bool], inside: float) -> float:
    """Find the greatest difference that is kept, by halving."""
    grid = np.linspace(1.0, inside, 22)[:-1]
    outer = next((at for at, value in enumerate(grid) if kept(float(value))), len(grid))
    if outer == 0:
        return 1.0
    low = float(grid[outer]) if outer < len(grid) else inside
    high = float(grid[outer - 1])
    while high - low > NEAR_END:
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return high


class _AllTables:
    """All tables of n0 and n1 trials."""

    def __init__(self, n0: int, n1: int) -> None:
        self.n0, self.n1 = n0, n1
        self.x0, self.x1 = np.arange(n0 + 1.0)[:, None], np.arange(n1 + 1.0)[None, :]
        self.angles = np.linspace(0.0, np.pi / 2, DIFFERENCE_RATES)

    def p_value(self, x0: int, x1: int, difference: float) -> float:
        """Return the greatest probability of tables as extreme as this, at rates so far apart."""
        least, most = max(0.0, -difference), min(1.0, 1.0 - difference)
        rates = least + (most - least) * np.sin(self.angles) ** 2
        statistic = np.abs(self._statistic(difference))
        extreme = statistic >= statistic[x0, x1] * (1 - 1e-9)
        chances = self._chances(extreme, rates, difference)
        peak = int(chances.argmax())
        near = np.linspace(rates[max(peak - 1, 0)], rates[min(peak + 1, DIFFERENCE_RATES - 1)], 21)
        return float(max(chances[peak], self._chances(extreme, near, difference).max()))

    def _chances(self, extreme: Bools, rates: Floats, difference: float) -> Floats:
        first = binomial_chances(self.n0, rates)
        second = binomial_chances(self.n1, np.clip(rates + difference, 0, 1))
        chances: Floats = ((first @ extreme.astype(float)) * second).sum(axis=1)
        return chances

    def _statistic(self, difference: float) -> Floats:
        rate0 = _restricted_rate(self.x0, self.n0, self.x1, self.n1, difference)
        rate1 = np.clip(rate0 + difference, 0.0, 1.0)
        gap = self.x1 / self.n1 - self.x0 / self.n0 - difference
        variance = rate0 * (1 - rate0) / self.n0 + rate1 * (1 - rate1) / self.n1
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic: Floats = gap / np.sqrt(variance)
        return np.where(np.abs(gap) < 1e-12, 0.0, statistic)


def _restricted_rate(x0: Floats, n0: int, x1: Floats, n1: int, difference: float) -> Floats:
    """Return the most likely rate of policy 0 if that of policy 1 is greater by the difference."""
    theta, r1, r0 = n0 / n1, x1 / n1, x0 / n0
    a = 1 + theta
    b = -(1 + theta + r1 + theta * r0 + difference * (theta + 2))
    c = difference**2 + difference * (2 * r1 + theta + 1) + r1 + theta * r0
    d = -r1 * difference * (1 + difference)
    v = b**3 / (3 * a) ** 3 - b * c / (6 * a**2) + d / (2 * a)
    u = np.where(v < 0, -1.0, 1.0) * np.sqrt(np.maximum(b**2 / (3 * a) ** 2 - c / (3 * a), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(u == 0, 0.0, v / u**3)
    angle = (np.pi + np.arccos(np.clip(ratio, -1, 1))) / 3
    rate1 = 2 * u * np.cos(angle) - b / (3 * a)
    least, most = max(0.0, difference), min(1.0, 1.0 + difference)
    rate0: Floats = np.clip(rate1, least, most) - difference
    return np.clip(rate0, 0.0, 1.0)

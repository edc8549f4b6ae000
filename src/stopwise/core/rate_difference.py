"""An exact interval of the difference of two success rates: Barnard's test, inverted."""

from collections.abc import Callable

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.confidence import Interval

# Success rates of policy 0 at which each difference is tried, and how near to the end of the
# interval the search goes.
RATES, NEAR = 200, 1e-4
# Greatest number of tables (x0, x1) for which this takes about a second.
MOST_TABLES = 300**2


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
    while high - low > NEAR:
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return high


class _AllTables:
    """All tables of n0 and n1 trials."""

    def __init__(self, n0: int, n1: int) -> None:
        self.n0, self.n1 = n0, n1
        self.x0, self.x1 = np.arange(n0 + 1.0)[:, None], np.arange(n1 + 1.0)[None, :]
        self.angles = np.linspace(0.0, np.pi / 2, RATES)

    def p_value(self, x0: int, x1: int, difference: float) -> float:
        """Return the greatest probability of tables as extreme as this, at rates so far apart."""
        least, most = max(0.0, -difference), min(1.0, 1.0 - difference)
        rates = least + (most - least) * np.sin(self.angles) ** 2
        statistic = np.abs(self._statistic(difference))
        extreme = statistic >= statistic[x0, x1] * (1 - 1e-9)
        chances = self._chances(extreme, rates, difference)
        peak = int(chances.argmax())
        near = np.linspace(rates[max(peak - 1, 0)], rates[min(peak + 1, RATES - 1)], 21)
        return float(max(chances[peak], self._chances(extreme, near, difference).max()))

    def _chances(self, extreme: Bools, rates: Floats, difference: float) -> Floats:
        first = _binomial(self.n0, rates)
        second = _binomial(self.n1, np.clip(rates + difference, 0, 1))
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


def _binomial(n: int, rates: Floats) -> Floats:
    from scipy.special import gammaln, xlog1py, xlogy

    x = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    chances: Floats = np.exp(ways + xlogy(x, rates[:, None]) + xlog1py(n - x, -rates[:, None]))
    return chances


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

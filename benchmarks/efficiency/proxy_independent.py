"""What a product increment would add to a proxy in the independent design: best growth, exactly.

Run ``python -m benchmarks.efficiency.proxy_independent``. Success and failure; the proxy's score is
the real one with a probability, which is then the correlation, and else a fresh draw. For each case
the greatest mean log-growth of a pair is found numerically over bet, weight, centre and product
(docs/design/proxy.md): pairs, in the limit of small alpha, relative to the product without a proxy.
"""

import itertools
from collections.abc import Callable, Sequence

import numpy as np
from rich.table import Table
from scipy.optimize import minimize
from scipy.special import expit

from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

MEANS = ((0.5, 0.58), (0.5, 0.7), (0.8, 0.9), (0.5, 0.8), (0.2, 0.8))
CORRELATIONS = (0.5, 0.75, 0.9)


def outcomes(mean: float, same: float) -> list[tuple[int, int, float]]:
    """Return score, proxy and chance of every outcome of one policy."""
    chances = (1 - mean, mean)
    return [
        (score, guess, chances[score] * (same * (score == guess) + (1 - same) * chances[guess]))
        for score, guess in itertools.product((0, 1), repeat=2)
    ]


def growths(mean0: float, mean1: float, same: float) -> tuple[float, float, float]:
    """Return the best growth of the product alone, of differences with a proxy, and of both."""
    both = itertools.product(outcomes(mean0, same), outcomes(mean1, same))
    r0, g0, r1, g1, chance = np.array(
        [(r0, g0, r1, g1, p0 * p1) for (r0, g0, p0), (r1, g1, p1) in both]
    ).T
    effect = mean1 - mean0

    def log_growth(factor: Floats) -> float:
        return -float((chance * np.log(np.maximum(factor, 1e-300))).sum())

    def difference(free: Sequence[float]) -> float:
        weight = abs(free[1])
        bet = expit(free[0]) / (1 + weight * (1 - effect))
        return log_growth(1 + bet * (r1 - r0 - weight * (g1 - g0 - effect)))

    def product(free: Sequence[float]) -> float:
        weight, centre = abs(free[1]), expit(free[2])
        above, below = 1 - centre + weight * mean0, centre + weight * (1 - mean1)
        bet = expit(free[0]) / max(above, below)
        least = bet**2 - (1 - bet * above) * (1 - bet * below) / (above * below)
        least = max(least, 0.0)
        cross = least + (bet**2 - least) * expit(free[3])
        x0, x1 = r0 - weight * (g0 - mean0) - centre, r1 - weight * (g1 - mean1) - centre
        return log_growth(1 + bet * (x1 - x0) - cross * x0 * x1)

    def alone(free: Sequence[float]) -> float:
        return product((free[0], 0.0, *free[1:]))

    def best(growth: Callable[[Sequence[float]], float], number: int) -> float:
        tight = {"maxiter": 4000, "xatol": 1e-7, "fatol": 1e-13}
        starts = ([-1.0] + [0.5] * (number - 1), [0.0] + [0.0] * (number - 1))
        found = (minimize(growth, at, method="Nelder-Mead", options=tight).fun for at in starts)
        return -float(min(found))

    return best(alone, 3), best(difference, 2), best(product, 4)


@benchmark()
def main() -> Table:
    """Print one row per pair of means."""
    table = Table("means", *(f"{each:g}: differences, product" for each in CORRELATIONS))
    for mean0, mean1 in MEANS:
        cells = []
        for same in CORRELATIONS:
            alone, difference, product = growths(mean0, mean1, same)
            cells.append(f"{alone / difference:.2f}, {alone / product:.2f}")
        table.add_row(f"{mean0:g} {mean1:g}", *cells)
    return table

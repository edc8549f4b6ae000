"""How much a proxy can help at best: the fastest growth of any valid bet on pairs, by scores.

Run ``python -m benchmarks.efficiency.proxy_law``. A pair multiplies the wealth by at most
1 + b (D - l h), with D the difference of scores, h that of the proxy less its mean, l at least 0
and b at most 1 / (1 + l (1 - G)): docs/design/proxy.md. The greatest mean logarithm of that, over b
and l, is found numerically on drawn pairs; its ratio to the best without a proxy (l = 0) is what
the pairs can shrink to in the limit of small alpha.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table
from scipy.optimize import minimize_scalar

from benchmarks.efficiency.proxy import CASES, proxied
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

CORRELATIONS = (0.4, 0.6, 0.75, 0.9, 1.0)
WEIGHTS = np.linspace(0.0, 1.5, 31)


def growth(left: Floats, most: float) -> float:
    """Return the greatest mean log-growth of bets up to ``most`` on these differences."""
    found = minimize_scalar(
        lambda bet: -float(np.log1p(bet * left).mean()),
        bounds=(0.0, most * (1 - 1e-9)),
        method="bounded",
    )
    return -float(found.fun)


@benchmark(pairs=200_000, seed=1)
def main(options: Namespace) -> Table:
    """Print one row per kind of score."""
    table = Table("scores", "means", "e / v", *(f"{each:g}" for each in CORRELATIONS))
    rows = []
    for draw, _, mean0, mean1 in CASES:
        cells = []
        for same in CORRELATIONS:
            rng = np.random.default_rng(options.seed)
            size = (1, options.pairs)
            pairs = [proxied(rng, draw, mean, same, size) for mean in (mean0, mean1)]
            ((scores0,), (proxy0,)), ((scores1,), (proxy1,)) = pairs
            difference, effect = scores1 - scores0, mean1 - mean0
            hint = proxy1 - proxy0 - effect
            best = max(
                growth(difference - weight * hint, 1 / (1 + weight * (1 - effect)))
                for weight in WEIGHTS
            )
            cells.append(f"{growth(difference, 1.0) / best:.2f}")
        ratio = effect / float(difference.var())
        kind = draw.__name__.replace("_", " ")
        rows.append((ratio, [kind, f"{mean0:g} {mean1:g}", f"{ratio:.2f}", *cells]))
    for _, row in sorted(rows):
        table.add_row(*row)
    return table

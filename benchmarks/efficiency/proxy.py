"""Pairs with a proxy relative to ``nscore-plus`` without one, by the correlation of the two.

Run ``python -m benchmarks.efficiency.proxy``. The proxy's score is the real one with a probability,
which is then the correlation, and else a fresh draw. The mean of its difference is known;
``benchmarks.efficiency.proxy_scenes`` takes it from simulated scenes.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

CORRELATIONS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
# Kind of score, n_max, both means: effects that most studies of that length find.
CASES: tuple[tuple[Draw, int, float, float], ...] = (
    (success, 50, 0.5, 0.8),
    (success, 200, 0.5, 0.7),
    (success, 200, 0.8, 0.9),
    (success, 1000, 0.5, 0.58),
    (partial_credit, 50, 0.5, 0.65),
    (partial_credit, 200, 0.5, 0.58),
    (partial_credit, 1000, 0.5, 0.54),
    (returns, 50, 0.5, 0.6),
    (returns, 200, 0.5, 0.55),
    (returns, 1000, 0.5, 0.53),
)


def proxied(
    rng: np.random.Generator, draw: Draw, mean: float, same: float, size: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Return scores of one policy, and of its proxy."""
    scores, others = draw(rng, mean, size) * 1.0, draw(rng, mean, size) * 1.0
    return scores, np.where(rng.random(size) < same, scores, others)


@benchmark(
    alpha=0.05,
    runs=1000,
    n=([int], "cases of these n_max only"),
    design=("paired", "or independent: neither shares scenes"),
    seed=0,
    workers=int,
)
def main(options: Namespace) -> Table:
    """Print one row per case."""
    table = Table("scores", "means", "N", "without", *(f"{each:g}" for each in CORRELATIONS))
    for index, (draw, n_max, mean0, mean1) in enumerate(CASES):
        if options.n and n_max not in options.n:
            continue
        own: dict[str, Any] = {"alpha": options.alpha, "n_max": n_max, "workers": options.workers}
        own["design"] = options.design
        cells = []
        for same in CORRELATIONS:
            rng = np.random.default_rng([options.seed, index])  # the same scores in every column
            size = options.runs, n_max
            scores0, proxy0 = proxied(rng, draw, mean0, same, size)
            scores1, proxy1 = proxied(rng, draw, mean1, same, size)
            without = sw.simulate("nscore-plus", scores0, scores1, **own, alternative="greater")
            known: dict[str, Any] = {"proxy": (proxy0, proxy1), "proxy_mean": mean1 - mean0}
            found = sw.simulate(
                "nscore-plus", scores0, scores1, **known, **own, alternative="greater"
            )
            cells.append(f"{found.n.mean() / without.n.mean():.3f}\n{found.rate(1):.3f}")
        table.add_row(
            draw.__name__.replace("_", " "),
            f"{mean0:g} {mean1:g}",
            str(n_max),
            f"{without.n.mean():.1f}\n{without.rate(1):.3f}",
            *cells,
        )
    return table

"""How often real scenes are said to look different from the simulated ones, by how much they do.

Run ``python -m benchmarks.efficiency.proxy_doubt``. Success and failure of equal policies at .6; in
some of the real scenes the proxy has policy 0 succeed, which lowers the mean of g1 - g0. Two-sided,
so each direction has half of 1 %.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table

from benchmarks.program import benchmark
from stopwise.core.comparison import Comparison
from stopwise.core.pair_rules import pair_rules

LENGTHS = (50, 100, 200, 300, 1000)
SHIFTS = (0.0, 0.08, 0.16, 0.3)


@benchmark(runs=1000, seed=0)
def main(options: Namespace) -> Table:
    """Print one row per shift of the mean."""
    table = Table("mean off by", *(f"N = {n}" for n in LENGTHS))
    for shift in SHIFTS:
        cells = []
        for n in LENGTHS:
            rng = np.random.default_rng([options.seed, n])
            both = (rng.random((2, n, options.runs)) < 0.6) * 1.0
            both[0] = np.maximum(both[0], rng.random((n, options.runs)) < shift / 0.4)
            own = {"n_max": n, "design": "paired", "alternative": "two-sided"}
            comparison = Comparison(pair_rules(method="nscore-plus", proxy_mean=0.0, **own))
            tests = comparison.scenes
            assert tests is not None
            watch = tests.start((options.runs,))
            for guesses0, guesses1 in zip(*comparison.directed(both[0], both[1]), strict=True):
                watch = tests.step(watch, guesses0, guesses1)
            cells.append(f"{tests.differ(watch).mean():.3f}")
        table.add_row(f"{shift:g}", *cells)
    return table

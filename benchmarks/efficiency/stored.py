"""What stored trials of a baseline save.

Run ``python -m benchmarks.efficiency.stored``: new trials and power by how many stored trials there
are per new one.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table

from benchmarks.program import benchmark
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.simulate import Simulation, run_studies

# Success rates of the baseline and of the new policy, n_max.
CASES = ((0.5, 0.7, 100), (0.6, 0.8, 50), (0.5, 0.9, 100), (0.2, 0.4, 100), (0.8, 0.95, 50))
SIZES = (1, 2, 4, 8)


def study(
    means: tuple[float, float], numbers: tuple[int, int], runs: int, seed: int, **settings: object
) -> Simulation:
    stored, n_max = numbers
    groups = {"policy 0": stored} if stored > n_max else None
    rules = Rules.of(n_max=n_max, groups=groups, **settings)
    rng = np.random.default_rng(seed)
    sizes = np.array([len(rules.reading.trials("policy 0", row)) for row in range(n_max)])
    scores0: Floats = rng.binomial(sizes, means[0], (runs, n_max)) / sizes
    return run_studies(rules, scores0, rng.random((runs, n_max)) < means[1])


def saved(runs: int, seed: int) -> Table:
    table = Table("means", "N", "per new trial", "one-sided", "StopRule")
    for mean0, mean1, n_max in CASES:
        for size in SIZES:
            cells = []
            for settings in ({"alternative": "greater"}, {}):
                numbers = size * n_max, n_max
                found = study((mean0, mean1), numbers, runs, seed, **settings)
                cells.append(f"{found.n.mean():.1f} / {found.rate(1):.3f}")
            table.add_row(f"{mean0:g} {mean1:g}", str(n_max), str(size), *cells)
    return table


@benchmark(runs=20_000, seed=0)
def main(options: Namespace) -> Table:
    return saved(options.runs, options.seed)

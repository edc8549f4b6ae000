"""What declaring "paired" buys: both designs on the same pairs, by correlation of their scores.

Run ``python -m benchmarks.efficiency.pairing``. Scores depend on a common difficulty as in
``correlation``; "independent" is then declared by somebody who overlooks what is shared.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.correlation import CORRELATIONS, coupled, latent_correlation
from benchmarks.efficiency.suite import Case, bernoulli, discrete
from benchmarks.program import benchmark

LEVELS = tuple(np.linspace(0, 1, 5).tolist())
CASES = (
    Case("success .5 / .7", "Bernoulli", bernoulli(0.5), bernoulli(0.7), (0.0, 1.0)),
    Case(
        "partial credit .5 / .62 (5 levels)",
        "levels",
        discrete(LEVELS, (2, 2, 2, 2, 2)),
        discrete(LEVELS, (1.2, 1.5, 1.9, 2.3, 3.1)),
        LEVELS,
    ),
)


@benchmark(n=200, runs=1000, seed=3)
def main(options: Namespace) -> Table:
    """Print one row per case and correlation."""
    title = f"Mean pairs / power, n_max = {options.n}, alpha = .05, {options.runs} runs"
    table = Table("case", "correlation", "independent", "paired", title=title)
    for case in CASES:
        for wanted in CORRELATIONS:
            latent, reached = latent_correlation(case, wanted, options.seed)
            rng = np.random.default_rng([options.seed, round(1000 * wanted)])
            scores = coupled(case, latent, rng, (options.runs, options.n))
            cells = []
            for design in ("independent", "paired"):
                sim = sw.simulate(
                    "nscore-plus",
                    *scores,
                    n_max=options.n,
                    design=design,
                    workers=1,
                    alternative="greater",
                )
                cells.append(f"{sim.n.mean():.1f} / {sim.rate(1):.3f}")
            table.add_row(case.name, f"{reached:.2f}", *cells)
    return table

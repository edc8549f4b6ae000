"""Pairs where a judge scores every trial and people audit a share, by how good the judge is.

Run ``python -m benchmarks.efficiency.proxy_audit``. The judge's score is that of people with a
probability, which is then the correlation, and else a fresh draw. Beside it: audited pairs alone,
without the judge.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.efficiency.draws import success
from benchmarks.efficiency.proxy import proxied
from benchmarks.program import benchmark

CASES = ((200, 0.5, 0.7), (1000, 0.5, 0.6))
CHANCES = (0.1, 0.3, 0.5)
CORRELATIONS = (0.0, 0.5, 0.7, 0.9)


@benchmark(runs=1000, seed=0, workers=int)
def main(options: Namespace) -> Table:
    """Print one row per case and chance."""
    judges = (f"judge {each:g}" for each in CORRELATIONS)
    table = Table("means", "N", "audited", "all audited", "audits alone", *judges)
    for n_max, mean0, mean1 in CASES:
        own: dict[str, Any] = {"n_max": n_max, "design": "paired", "workers": options.workers}
        for chance in CHANCES:
            cells = []
            for same in CORRELATIONS:
                rng = np.random.default_rng(options.seed)  # the same scores in every column
                size = options.runs, n_max
                asked = rng.random(size) < chance
                pairs = [proxied(rng, success, mean, same, size) for mean in (mean0, mean1)]
                (r0, f0), (r1, f1) = pairs
                scores = [np.where(asked, scores, np.nan) for scores in (r0, r1)]
                found = sw.simulate(
                    "nscore-plus",
                    *scores,
                    proxy=(f0, f1),
                    audit=chance,
                    **own,
                    alternative="greater",
                )
                cells.append(found)
            alone = sw.simulate("nscore-plus", asked * r0, asked * r1, **own, alternative="greater")
            whole = sw.simulate("nscore-plus", r0, r1, **own, alternative="greater")
            shown = [f"{each.n.mean():.0f} / {each.rate(1):.2f}" for each in (whole, alone, *cells)]
            table.add_row(f"{mean0:g} {mean1:g}", str(n_max), f"{chance:g}", *shown)
    return table

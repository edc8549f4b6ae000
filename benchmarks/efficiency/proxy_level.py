"""How often equal policies are told apart with a proxy or a judge, whatever it says.

Run ``python -m benchmarks.efficiency.proxy_level``: the draws of the guarantee tests, in more runs.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark
from tests.guarantees.proxies import PROXIES, errors_with_own_means

OFF = (0.0, "by which the declared mean is too large")


@benchmark(
    runs=20_000, n=100, audit=0.3, scenes=(1, "simulated, for each pair"), off=OFF, workers=int
)
def main(options: Namespace) -> Table:
    """Print one row per proxy."""
    by_scenes = f"{options.scenes} scenes per pair"
    table = Table("proxy", "mean known", by_scenes, f"as a judge, audit {options.audit:g}")
    for name, (draw, mean) in PROXIES.items():
        rng = np.random.default_rng(1)
        r0, r1, g0, g1 = draw(rng, (options.runs, options.n))
        asked = rng.random(r0.shape) < options.audit
        scores = np.where(asked, r0, np.nan), np.where(asked, r1, np.nan)
        n_max = options.n
        own: dict[str, Any] = {"proxy": (g0, g1), "n_max": n_max, "design": "paired"}
        own["workers"] = options.workers
        as_proxy = sw.simulate(
            "nscore-plus", r0, r1, proxy_mean=mean + options.off, **own, alternative="greater"
        )
        as_judge = sw.simulate(
            "nscore-plus", *scores, audit=options.audit, **own, alternative="greater"
        )
        size = (options.runs, n_max, options.scenes)
        _, _, *drawn = draw(np.random.default_rng(2), size)
        batches = (drawn[1] - drawn[0]).mean(axis=2)
        wrong = errors_with_own_means(draw, [0.0] * options.runs, 0.05, n_max, batches)
        rates = (as_proxy.rate(1), wrong / options.runs, as_judge.rate(1))
        table.add_row(name, *(f"{each:.4f}" for each in rates))
    return table

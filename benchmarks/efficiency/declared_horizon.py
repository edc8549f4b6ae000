"""What declaring a larger n_max costs, and what extending a smaller one does instead.

Run ``python -m benchmarks.efficiency.declared_horizon``. Success rates .5 and .7, one-sided, alpha
.05. An undecided study is extended at its n_max, and re-planned as ``SequentialTest.extend`` does.
"""

from argparse import Namespace
from dataclasses import replace

import numpy as np
from rich.table import Table

from benchmarks.program import benchmark
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus import NScorePlus

DECLARED: tuple[int | None, ...] = (100, 200, 400, 1000, None)
MOST = 1000  # pairs of those that declare no n_max
EXTENDED = ((50, 400), (100, 400), (50, 200))


def study(scores0: Floats, scores1: Floats, *plans: int | None) -> tuple[float, float]:
    """Return mean pairs and power; the first n_max is declared, the others are extensions."""
    method = NScorePlus(n_max=plans[0])
    state = method.start((len(scores0), 1))
    used = np.full(len(scores0), plans[-1] or MOST)
    decided = np.zeros(len(scores0), dtype=bool)
    later = list(plans[1:])
    for pair in range(plans[-1] or MOST):
        if pair == method.n_max:
            method = replace(method, n_max=later.pop(0))
        state = method.step(state, scores0[:, pair, None], scores1[:, pair, None])
        falls = method.evidence(state).rejected[:, 0] & ~decided
        used[falls], decided = pair + 1, decided | falls
        if decided.all():
            break
    return float(used.mean()), float(decided.mean())


@benchmark(runs=4000, seed=1)
def main(options: Namespace) -> Table:
    """Print one row per declared n_max and per extension."""
    rng = np.random.default_rng(options.seed)
    size = (options.runs, MOST)
    scores0, scores1 = ((rng.random(size) < rate).astype(float) for rate in (0.5, 0.7))
    table = Table("declared", "extended to", "mean pairs", "power")
    for plans in [*((n,) for n in DECLARED), *EXTENDED]:
        pairs, power = study(scores0, scores1, *plans)
        names = [str(n) for n in plans]
        table.add_row(names[0], *(names[1:] or ["-"]), f"{pairs:.1f}", f"{power:.3f}")
    return table

"""How many pairs it takes to show that equal policies are practically the same.

Run ``python -m benchmarks.efficiency.equivalence``: mean pairs (at most ``--n-max``) and the share
of studies that end in "the same", of the test with ``equivalence``, of two separate tests of "not
worse", and the pairs of the fixed-sample TOST with power .9.
"""

from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import norm

from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats, Ints
from stopwise.core.rules import Rules
from stopwise.core.simulate import run_studies

ALPHA = 0.05
DRAWS: dict[str, Draw] = {
    "success": success,
    "partial_credit": partial(partial_credit, milestones=6),
    "returns": partial(returns, weight=16),
}
# Kind of score, and the mean of both policies.
KINDS = (
    ("success", 0.5),
    ("success", 0.9),
    ("partial_credit", 0.5),
    ("returns", 0.5),
)
MARGINS = (0.05, 0.1, 0.2)


def separate(scores0: Floats, scores1: Floats, within: float, own: dict[str, Any]) -> Ints:
    """Return the pairs until two tests of "not worse" have both decided; beyond n_max if never."""
    ends = []
    for alternative in ("greater", "less"):
        rules = Rules.of(margin=-within, alternative=alternative, **own)
        found = run_studies(rules, scores0, scores1, workers=1)
        ends.append(np.where(found.decision >= 0, found.n, scores0.shape[1] + 1))
    return np.maximum(*ends)


def fixed_sample(scores0: Floats, scores1: Floats, within: float) -> int:
    variance = float((scores1 - scores0).var())
    return int(np.ceil(variance * ((norm.isf(ALPHA) + norm.isf(0.05)) / within) ** 2))


def shown(pairs: Ints, n_max: int) -> str:
    return f"{np.minimum(pairs, n_max).mean():.0f} / {np.mean(pairs <= n_max):.2f}"


@benchmark(
    runs=1000,
    n_max=1000,
    design="independent",
    seed=0,
)
def main(options: Namespace) -> Table:
    own = {"n_max": options.n_max, "alpha": ALPHA, "design": options.design}
    size = options.runs, options.n_max
    table = Table("scores", "d", "equivalence", "two tests", "TOST")
    for index, (kind, mean) in enumerate(KINDS):
        rng = np.random.default_rng([options.seed, index])
        scores = DRAWS[kind](rng, mean, size), DRAWS[kind](rng, mean, size)
        for within in MARGINS:
            rules = Rules.of(equivalence=within, **own)
            found = run_studies(rules, *scores, workers=1)
            table.add_row(
                f"{kind} {mean:g}",
                f"{within:g}",
                f"{found.n.mean():.0f} / {found.rate(2):.2f}",  # a few end with a false difference
                shown(separate(*scores, within, own), options.n_max),
                str(fixed_sample(*scores, within)),
            )
    return table

"""How many pairs it takes to show that equal policies are practically the same.

Run ``python -m benchmarks.efficiency.equivalence``: mean pairs (at most ``--n-max``) and the share
of studies that end in "the same", of the test with ``equivalence``, of two separate tests of "not
worse", of the rule "the confidence sequence lies inside the margin", and the pairs of the
fixed-sample TOST with power .9. ``--differences`` prints what ``equivalence`` costs where one
policy is better.
"""

from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np
from rich.table import Table
from scipy.stats import norm

import stopwise as sw
from benchmarks.efficiency.draws import Draw, partial_credit, returns, success
from benchmarks.efficiency.interval_paths import interval_paths
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
# Kind of score, means of both policies, margin of equivalence, n_max.
DIFFERENCES = (
    ("success", 0.5, 0.8, 0.05, 200),
    ("success", 0.5, 0.8, 0.1, 200),
    ("success", 0.5, 0.7, 0.1, 200),
    ("success", 0.2, 0.8, 0.05, 100),
    ("partial_credit", 0.5, 0.7, 0.05, 200),
    ("returns", 0.5, 0.65, 0.05, 200),
)


def separate(scores0: Floats, scores1: Floats, within: float, own: dict[str, Any]) -> Ints:
    """Return the pairs until two tests of "not worse" have both decided; beyond n_max if never."""
    ends = []
    for alternative in ("greater", "less"):
        rules = Rules.of(margin=-within, alternative=alternative, **own)
        found = run_studies(rules, scores0, scores1, workers=1)
        ends.append(np.where(found.decision >= 0, found.n, scores0.shape[1] + 1))
    return np.maximum(*ends)


def inside(scores0: Floats, scores1: Floats, within: float, own: dict[str, Any]) -> Ints:
    """Return the pairs until the confidence sequence lies inside the margin, as ``separate``."""
    rules = Rules.of(alternative="two-sided", ties="paper", **own)  # each end fails with alpha
    pairs = np.full(len(scores0), scores0.shape[1] + 1)
    for n, (low, high, _) in enumerate(interval_paths(rules, scores0, scores1), start=1):
        pairs = np.where((low > -within) & (high < within), np.minimum(pairs, n), pairs)
        if (pairs <= n).all():
            break
    return pairs


def fixed_sample(scores0: Floats, scores1: Floats, within: float) -> int:
    """Return the pairs with which the TOST of equal policies has a power of .9."""
    variance = float((scores1 - scores0).var())
    return int(np.ceil(variance * ((norm.isf(ALPHA) + norm.isf(0.05)) / within) ** 2))


def shown(pairs: Ints, n_max: int) -> str:
    """Return mean pairs and the share of studies that ended."""
    return f"{np.minimum(pairs, n_max).mean():.0f} / {np.mean(pairs <= n_max):.2f}"


def differences(options: Namespace) -> Table:
    """Return mean pairs and power of a difference, without and with equivalence declared."""
    table = Table("scores", "means", "d", "N", "without", "with")
    for index, (kind, mean0, mean1, within, n_max) in enumerate(DIFFERENCES):
        rng = np.random.default_rng([options.seed, index])
        scores = [DRAWS[kind](rng, mean, (options.runs, n_max)) for mean in (mean0, mean1)]
        found = [
            sw.simulate(
                "nscore-plus",
                *scores,
                n_max=n_max,
                alternative="two-sided",
                ties="strict",
                equivalence=declared,
                design=options.design,
                workers=1,
            )
            for declared in (None, within)
        ]
        cells = [f"{each.n.mean():.1f} / {each.rate(1):.3f}" for each in found]
        means = f"{mean0:g}, {mean1:g}"
        table.add_row(kind, means, f"{within:g}", str(n_max), *cells)
    return table


@benchmark(
    runs=1000,
    sequences=(100, "runs of the sequence"),
    n_max=1000,
    design="independent",
    seed=0,
    differences=False,
)
def main(options: Namespace) -> Table:
    """Print one row per kind of score and margin."""
    if options.differences:
        return differences(options)
    own = {"n_max": options.n_max, "alpha": ALPHA, "design": options.design}
    size = options.runs, options.n_max
    table = Table("scores", "d", "equivalence", "two tests", "sequence inside", "TOST")
    for index, (kind, mean) in enumerate(KINDS):
        rng = np.random.default_rng([options.seed, index])
        scores = DRAWS[kind](rng, mean, size), DRAWS[kind](rng, mean, size)
        few = scores[0][: options.sequences], scores[1][: options.sequences]
        for within in MARGINS:
            rules = Rules.of(equivalence=within, **own)
            found = run_studies(rules, *scores, workers=1)
            table.add_row(
                f"{kind} {mean:g}",
                f"{within:g}",
                f"{found.n.mean():.0f} / {found.rate(2):.2f}",  # a few end with a false difference
                shown(separate(*scores, within, own), options.n_max),
                shown(inside(*few, within, own), options.n_max),
                str(fixed_sample(*scores, within)),
            )
    return table

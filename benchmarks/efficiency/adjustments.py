"""Trials used by each family-wise adjustment, all policies together, and pairs decided.

Run ``python -m benchmarks.efficiency.adjustments``. RoboArena (if its data are there) in permuted
orders of its sessions; generated studies of 4 and 6 policies.
"""

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.paper.datasets import DATA, roboarena
from benchmarks.program import Found, benchmark, tracked
from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Rules
from stopwise.questions.budget import create
from stopwise.questions.family import Family
from stopwise.questions.pairs import replay

ALPHA = 0.05
SETTINGS = [
    ("bonferroni", "strict"),
    ("holm", "strict"),
]
Draw = Callable[[np.random.Generator, int], Floats]


def bernoulli(*rates: float, n: int) -> Draw:
    """Return studies of independent successes."""
    return lambda rng, runs: (rng.random((runs, n, len(rates))) < np.array(rates)) * 1.0


def permuted_sessions(rng: np.random.Generator, runs: int) -> Floats:
    """Return RoboArena's complete sessions in random orders."""
    scores = np.array(list(roboarena().values())).T
    return np.stack([scores[rng.permutation(len(scores))] for _ in range(runs)])


STUDIES: dict[str, Draw] = {
    "4, Bernoulli .3 .45 .6 .75": bernoulli(0.3, 0.45, 0.6, 0.75, n=400),
    "4, Bernoulli .4 .4 .4 .7": bernoulli(0.4, 0.4, 0.4, 0.7, n=300),
    "6, Bernoulli .1 .25 .4 .6 .75 .9": bernoulli(0.1, 0.25, 0.4, 0.6, 0.75, 0.9, n=300),
}
if (DATA / "roboarena_complete599.csv").is_file():
    STUDIES = {"4, RoboArena, permuted": permuted_sessions, **STUDIES}


def measure(
    scores: Floats, adjust: str, ties: str, *, method: str, design: str
) -> tuple[float, float]:
    """Return the mean number of trials of all policies, and the share of pairs decided."""
    family = Family(k=scores.shape[2], ties=ties)
    rules = Rules(method=method, alpha=ALPHA, n_max=scores.shape[1], design=design, ties=ties)
    comparison = PairTest(rules, family.size)
    budget = create(adjust, family=family, alpha=ALPHA)
    outcome = replay(comparison, budget, scores, with_p_values=False)
    used = sum(outcome.rows[:, own].max(axis=1) for own in family.of_policy)
    return float(np.mean(used)), float(outcome.claims.any(axis=-1).mean())


@benchmark(
    runs=100,
    method="nscore-plus",
    seed=0,
    json=Path,
)
def main(options: Namespace) -> Found:
    """Print trials used and pairs decided."""
    names = [f"{adjust}, {ties}" for adjust, ties in SETTINGS]
    table = Table(
        "study",
        *names,
        title=f"trials used / pairs decided ({options.method}, {options.runs} studies)",
    )
    figures: dict[str, dict[str, tuple[float, float]]] = {}
    for name, draw in tracked(STUDIES.items(), "studies"):
        scores = draw(np.random.default_rng(options.seed), options.runs)
        design = "paired" if "RoboArena" in name else "independent"
        figures[name] = {
            shown: measure(scores, adjust, ties, method=options.method, design=design)
            for shown, (adjust, ties) in zip(names, SETTINGS, strict=True)
        }
        table.add_row(
            name, *(f"{used:.0f} / {share:.3f}" for used, share in figures[name].values())
        )
    return Found([table], figures)

"""Bets held through rounds of tasks, beside averages of rounds and tasks drawn at random.

Run ``python -m benchmarks.efficiency.rounds``. Three sets of tasks: one policy better by .077
everywhere; policies that trade tasks; and tasks near the ceiling beside others. Beside them the
recorded scores of LBM and RoboArena policies, if these are there: each session of RoboArena has a
task of its own, so that its tasks are drawn, and make no rounds. Paired, one-sided at alpha .05, at
most as many pairs as given; a round is a pair for each task.
"""

from argparse import Namespace

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.paper.datasets import DATA, lbm_scores, roboarena
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.pairs import PairTests, replay

ALPHA = 0.05
ROBOARENA = "PG-Diff", "pi0-FAST"


def sets(tasks: int) -> dict[str, tuple[Floats, Floats]]:
    base, half = np.linspace(0.05, 0.9, tasks), tasks // 2
    return {
        "better by .077": (base, base + 0.077),
        "traded": (np.full(tasks, 0.5), np.tile([0.9, 0.3], half)),
        "ceiling": (np.repeat([0.95, 0.40], half), np.repeat([0.97, 0.58], half)),
    }


def held(scores: Floats, rows: int) -> tuple[float, float]:
    """Return mean rounds and power of bets held through rounds (tasks, runs, rows, policies)."""
    # One direction at alpha has the level of each of two at twice that.
    rules = Rules(
        policies=("a", "b"),
        alpha=2 * ALPHA,
        n_max=rows,
        design="paired",
        rounds=(1 / len(scores),) * len(scores),
    )
    ranking = PairTests(rules)
    layers = np.concatenate([scores.mean(axis=0)[None], scores])
    outcome = replay(ranking.comparison, ranking.budget, layers, with_p_values=False)
    return float(outcome.rows.mean()), float(outcome.claims[:, 0, 0].mean())


def tested(x: Floats, y: Floats, design: str) -> tuple[float, float]:
    found = sw.simulate(
        "nscore-plus",
        x,
        y,
        alpha=ALPHA,
        n_max=x.shape[1],
        design=design,
        alternative="greater",
        workers=1,
    )
    return float(found.n.mean()), found.rate(1)


def pools(tasks: int) -> dict[str, list[tuple[Floats, Floats]]]:
    thousand = np.linspace(0, 1, 1000, endpoint=False)
    found = {
        name: [
            ((thousand < old) * 1.0, (thousand < new) * 1.0) for old, new in zip(*own, strict=True)
        ]
        for name, own in sets(tasks).items()
    }
    if (DATA / "lbm_progress.csv").is_file():
        names = "Single Task", "LBM finetuned"
        of_lbm = [tuple(np.array(own[name]) for name in names) for own in lbm_scores().values()]
        found[f"LBM, {len(of_lbm)} tasks"] = [(old, new) for old, new in of_lbm]
    return found


@benchmark(pairs=1000, runs=1000, seed=4, tasks=10)
def main(options: Namespace) -> Table:
    rng = np.random.default_rng(options.seed)
    table = Table("tasks", "averages, paired", "averages, independent", "held", "drawn, paired")
    for name, both in pools(options.tasks).items():
        tasks, rows = len(both), options.pairs // len(both)
        shape = options.runs, rows
        scores = np.array(
            [np.stack([rng.choice(own, shape) for own in pair], axis=-1) for pair in both]
        )
        x, y = np.moveaxis(scores.mean(axis=0), -1, 0)
        drawn = rng.integers(tasks, size=(options.runs, options.pairs))
        own = np.zeros((2, *drawn.shape))
        for task, pair in enumerate(both):
            for policy, pool in enumerate(pair):
                own[policy][drawn == task] = rng.choice(pool, int((drawn == task).sum()))
        cells = [
            (tasks, *tested(x, y, "paired")),
            (tasks, *tested(x, y, "independent")),
            (tasks, *held(scores, rows)),
            (1, *tested(own[0], own[1], "paired")),
        ]
        table.add_row(name, *(f"{size * n:.0f} / {power:.3f}" for size, n, power in cells))
    if (DATA / "roboarena_complete599.csv").is_file():
        sessions = np.array([roboarena()[policy] for policy in ROBOARENA])
        session = rng.integers(sessions.shape[1], size=(options.runs, options.pairs))
        x, y = sessions[:, session]
        pairs, power = tested(x, y, "paired")
        table.add_row("RoboArena", "-", "-", "-", f"{pairs:.0f} / {power:.3f}")
    return table

"""What a claim about the mean over tasks costs, by the way in which tasks come.

Run ``python -m benchmarks.efficiency.tasks``. Ten tasks of different difficulty; one policy is
better by .077 in the mean, by .2 on two tasks and worse by .05 on another. Pairs of trials are
counted, so that a round over all tasks is ten of them. The last column has policies that trade
tasks and are equal in the mean. The last way has no proof for the mean, and is shown to compare.
"""

import argparse
from argparse import Namespace

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark
from stopwise.core.arrays import Floats

RATES = np.arange(0.05, 1.0, 0.1)
GAPS = np.array([0.2, 0.2, 0.15, 0.1, 0.1, 0.08, 0.0, 0.0, -0.01, -0.05])
WAYS = (
    "task of each row drawn",
    "task of each trial drawn",
    "rounds, averaged (paired)",
    "rounds, averaged (independent)",
)


def scores(
    rng: np.random.Generator, tasks: tuple[np.ndarray, np.ndarray], gaps: Floats, shared: float
) -> tuple[Floats, Floats]:
    tasks0, tasks1 = tasks
    luck0, luck1 = rng.random((2, *tasks0.shape))
    luck1 = np.where(rng.random(tasks0.shape) < shared, luck0, luck1)
    return (luck0 < RATES[tasks0]) * 1.0, (luck1 < RATES[tasks1] + gaps[tasks1]) * 1.0


def run(
    way: str,
    rng: np.random.Generator,
    gaps: Floats,
    shared: float,
    arguments: argparse.Namespace,
) -> tuple[float, float, float]:
    runs, n = arguments.runs, arguments.n
    k, each, design = len(RATES), 1, "paired"
    drawn = rng.integers(k, size=(2, runs, n))
    tasks = (drawn[0], drawn[0])
    if way == "task of each trial drawn":
        tasks, design, shared = (drawn[0], drawn[1]), "independent", 0.0
    elif way != "task of each row drawn":
        in_turn = np.broadcast_to(np.arange(n) % k, (runs, n))
        tasks = (in_turn, in_turn)
    if way.endswith("(independent)"):
        design, shared = "independent", 0.0
    found = scores(rng, tasks, gaps, shared)
    if way.startswith("rounds"):
        each = k
        found = tuple(own.reshape(runs, n // k, k).mean(axis=2) for own in found)
    sim = sw.simulate(
        *("nscore-plus", *found),
        n_max=n // each,
        design=design,
        alternative="two-sided",
        ties="strict",
        workers=1,
    )
    return each * float(sim.n.mean()), sim.rate(1), sim.rate(0)


@benchmark(n=500, runs=1000, seed=4)
def main(options: Namespace) -> Table:
    title = f"Mean pairs / power, at most {options.n}, alpha .05, {options.runs} runs"
    head = ("tasks", "own luck", "shared .5", "error at equal means")
    table = Table(*head, title=title)
    # As contrary as the rates allow, and equal in the mean.
    contrary = 1.0 - 2.0 * RATES
    for way in WAYS:
        cells = []
        for shared in (0.0, 0.5):
            rng = np.random.default_rng([options.seed, round(10 * shared)])
            pairs, power, _ = run(way, rng, GAPS, shared, options)
            cells.append(f"{pairs:.0f} / {power:.2f}")
        rng = np.random.default_rng(options.seed)
        _, *wrong = run(way, rng, contrary, 0.0, options)
        table.add_row(way, *cells, f"{sum(wrong):.3f}")
    return table

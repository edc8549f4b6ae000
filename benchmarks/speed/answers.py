"""Processor time of analyses and of live tests, next to the bare simulation of the same pairs.

Run ``python -m benchmarks.speed.answers``. Policies are so alike that nothing is decided, so every
row is looked at and every interval is carried to the end.
"""

import time
from argparse import Namespace
from collections.abc import Callable
from itertools import combinations

import numpy as np
from rich.table import Table

import stopwise as sw
from benchmarks.program import benchmark, seconds

SIZES = {"4 x 20,000": (4, 20_000), "12 x 5,000": (12, 5_000), "4 x 250,000": (4, 250_000)}
UPDATES = 1_500


def scores(policies: int, trials: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {f"policy {index}": rng.integers(0, 7, trials) / 6 for index in range(policies)}


def analysis(policies: int, trials: int) -> None:
    for pair in sw.analyze(scores(policies, trials), bounds=(0, 1)).pairs:
        assert not pair.decided or pair.interval


def simulation() -> None:
    """Step both directions of all pairs of the first analysis, and nothing else."""
    of_policy = scores(*SIZES["4 x 20,000"])
    first, second = zip(*combinations(of_policy.values(), 2), strict=True)
    sw.simulate("nscore-plus", np.array(first), np.array(second), alpha=0.05 / 6, workers=1)


def updates() -> None:
    test = sw.SequentialTest()
    for r0, r1 in zip(*scores(2, UPDATES).values(), strict=True):
        assert test.update(float(r0), float(r1)).interval


WORK: dict[str, Callable[[], None]] = {
    "simulation of 4 x 20,000": simulation,
    **{f"analysis of {name}": lambda size=size: analysis(*size) for name, size in SIZES.items()},  # type: ignore[misc]
    f"{UPDATES:,} updates": updates,
}


@benchmark(rounds=3)
def main(options: Namespace) -> Table:
    took = {
        name: min(seconds(work, time.process_time) for _ in range(options.rounds))
        for name, work in WORK.items()
    }
    bare = next(iter(took.values()))
    table = Table("work", "processor time", "to the simulation")
    for name, spent in took.items():
        table.add_row(name, f"{spent:.2f} s", f"{spent / bare:.2f}")
    return table

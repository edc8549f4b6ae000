"""The paper's meta-comparison: N-SCORE decides whether N-SCORE or WSR has the lower TTD.

The redraws of Table I (right) are split at random into two halves; the decision times of N-SCORE on
one half and of WSR on the other are the scores. The paper splits once, and decides after 525; how
much that depends on the split is shown by many splits.
"""

from typing import Any

import numpy as np

import stopwise as sw
from benchmarks.paper.figures import histogram
from benchmarks.paper.result import Cell, Result, Table, published
from benchmarks.paper.settings import Settings
from benchmarks.paper.table_1_right import N, simulations
from stopwise.core.arrays import Ints
from stopwise.core.simulate import Simulation

SPLITS = 1000
PUBLISHED = "nscore below wsr, decided by nscore"
DECIDERS: dict[str, dict[str, Any]] = {"nscore": {"bins": 21}, "nscore-plus": {}}


def decided_by(decider: str, first: Ints, second: Ints, splits: int, seed: int) -> Simulation:
    half = len(first) // 2
    rng = np.random.default_rng([seed, 1])
    orders = rng.permuted(np.tile(np.arange(len(first)), (splits, 1)), axis=1)
    return sw.simulate(
        decider,
        first[orders[:, :half]] / N,
        second[orders[:, half : 2 * half]] / N,
        n_max=half,
        **DECIDERS[decider],
        alternative="greater",
    )


def run(settings: Settings) -> Result:
    expected = published("meta")
    redraws = settings.redraws(expected["redraws"])
    sims = simulations("paper", redraws, settings.seed)
    settings.report(0.5)
    splits = settings.redraws(SPLITS)
    rows: dict[str, dict[str, Cell]] = {}
    times = {}
    for compared in ("nscore", "nscore-plus"):
        for decider in DECIDERS:
            sim = decided_by(decider, sims[compared].n, sims["wsr"].n, splits, settings.seed)
            decided = sim.n[sim.decision == 1]
            name = f"{compared} below wsr, decided by {decider}"
            times[name] = decided
            rows[name] = _row(decided, splits, redraws // 2)
    paper = expected["n_decided"] if settings.full else None
    if paper is not None:
        low, high = np.percentile(times[PUBLISHED], [2.5, 97.5])
        agrees = bool(low <= paper <= high)
        rows[PUBLISHED]["median n"] = Cell(float(np.median(times[PUBLISHED])), paper, agrees=agrees)
    notes = (
        f"{redraws} redraws of Table I (right, sampler paper) in {splits} random splits; n counts "
        f"decision times of each method, at most {redraws // 2}. The published 525 is one split: "
        "it agrees if it lies between the 2.5 % and 97.5 % quantiles of ours, a wide range.",
    )
    columns = ("splits decided", "median n", "2.5 % to 97.5 %")
    return Result(
        (Table("Which method has the lower TTD?", columns, rows),),
        notes,
        {"decision_times": lambda: histogram(times, "decision times until the verdict", paper)},
    )


def _row(decided: Ints, splits: int, half: int) -> dict[str, Cell]:
    share = len(decided) / splits
    row = {"splits decided": Cell.simulated(share, float(np.sqrt(share * (1 - share) / splits)))}
    if len(decided):
        low, high = np.percentile(decided, [2.5, 97.5])
        row["median n"] = Cell.own(float(np.median(decided)))
        row["2.5 % to 97.5 %"] = Cell.own(f"{low:.0f} to {high:.0f} of {half}")
    return row

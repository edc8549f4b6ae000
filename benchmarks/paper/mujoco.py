"""MuJoCo returns: policies of each task ranked, with violins, letters and trials.

The paper's own returns (policies trained with CleanRL) are not public. Ours are 1,000 episodes
of each published stable-baselines3 policy, other tasks and algorithms, so nothing is held against
the paper's figures; the layout, N = 1000 and alpha = .05 split over all pairs are the same.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import stopwise as sw
from benchmarks.paper.datasets import MUJOCO_BOUNDS, mujoco_returns
from benchmarks.paper.figures import bars, violins
from benchmarks.paper.result import Cell, Result, Table, by_task
from benchmarks.paper.settings import Settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N = 1000
METHODS: dict[str, dict[str, Any]] = {
    "wsr": {},
    "nscore": {"bins": 21},
    "nscore-plus": {"n_max": N},
}
# Policies that all four tasks have: six pairs, as many as in the paper.
COMMON = ("a2c", "ars", "ppo", "trpo")
TOTAL = "total trials"
WHAT = ("trials", "not told apart", "letters")
NOT_PUBLIC = (
    "The paper's returns are not public; these are our rollouts of other policies on other "
    "tasks, so its figures and ours are not comparable one by one."
)


@lru_cache
def ranked(
    folder: Path, task: str, method: str, policies: tuple[str, ...] | None = None
) -> sw.Analysis:
    """Rank the policies of one task, or some of them, alpha split over all their pairs."""
    returns = mujoco_returns(folder)[task]
    found: sw.Analysis = sw.analyze(
        {name: returns[name] for name in policies or returns},
        method=method,
        bounds=MUJOCO_BOUNDS[task],
        design="independent",
        adjust="bonferroni",
        ties="paper",
        **METHODS[method],
    )
    return found


def pair_tables(
    settings: Settings, pairs: Sequence[tuple[str, str]], title: str
) -> tuple[Table, ...]:
    tables = []
    for done, pair in enumerate(pairs, start=1):
        columns = {method: _column(settings.folder, method, pair) for method in METHODS}
        name = " vs. ".join(algorithm.upper() for algorithm in pair)
        tables.append(by_task(f"{title}: {name}", [*MUJOCO_BOUNDS, TOTAL], columns))
        settings.report(done / len(pairs))
    return tuple(tables)


def pair_figures(tables: Sequence[Table]) -> dict[str, Callable[[], "Figure"]]:
    batch = 2 * N * len(MUJOCO_BOUNDS)
    shares = {
        f"{table.title.split(': ')[1]}, {method}": int(cell.ours) / batch
        for table in tables
        for method, cell in table.rows[TOTAL].items()
    }
    return {"totals": lambda: bars(shares, f"share of the batch plan ({batch} trials)")}


def published_totals(comparisons: Mapping[str, Mapping[str, int]]) -> str:
    shown = "; ".join(
        f"{name} {total['wsr']} with WSR and {total['nscore']} with N-SCORE"
        for name, total in comparisons.items()
    )
    return f"The paper's totals over its seven tasks: {shown}, of 14000."


def run(settings: Settings) -> Result:
    rows: dict[str, dict[str, Cell]] = {}
    figures = {}
    columns = ("policies", *(f"{method}: {what}" for method in METHODS for what in WHAT))
    for done, task in enumerate(MUJOCO_BOUNDS, start=1):
        analyses = {method: ranked(settings.folder, task, method) for method in METHODS}
        rows[task] = {"policies": Cell.own(len(analyses["nscore"].policies))}
        for method, analysis in analyses.items():
            undecided = sum(not pair.decided for pair in analysis.pairs)
            letters = ", ".join(f"{name} {letters}" for name, letters in analysis.letters.items())
            values: tuple[int | str, ...] = (
                analysis.trials_used,
                f"{undecided} of {len(analysis.pairs)}",
                letters,
            )
            for what, value in zip(WHAT, values, strict=True):
                rows[task][f"{method}: {what}"] = Cell.own(value)
        figures[task] = partial(
            violins,
            {name: list(scores) for name, scores in analyses["nscore"].scores.items()},
            {method: _labels(analysis) for method, analysis in analyses.items()},
            f"{task}: episodic return",
        )
        settings.report(done / len(MUJOCO_BOUNDS))
    tables = (
        Table("MuJoCo: all policies of a task", columns, rows),
        _means(settings.folder),
    )
    notes = (
        NOT_PUBLIC,
        "alpha .05 is split over all pairs of a task, both directions at full level; 1,000 "
        "episodes each, of which a policy counts those until all its pairs are decided.",
    )
    return Result(tables, notes, figures)


def _column(folder: Path, method: str, pair: tuple[str, str]) -> dict[str, Cell]:
    times = {}
    for task in MUJOCO_BOUNDS:
        found = next(
            result
            for result in ranked(folder, task, method, COMMON).pairs
            if {result.policy0, result.policy1} == set(pair)
        )
        times[task] = found.n if found.decided else None
    total = 2 * sum(time or N for time in times.values())
    return {
        **{task: Cell.own(time) for task, time in times.items()},
        TOTAL: Cell.own(total),
    }


def _means(folder: Path) -> Table:
    returns = mujoco_returns(folder)
    names = sorted({name for policies in returns.values() for name in policies})
    rows = {
        task: {name: Cell.own(f"{np.mean(values):.1f}") for name, values in policies.items()}
        for task, policies in returns.items()
    }
    return Table("MuJoCo: mean episodic return", tuple(names), rows)


def _labels(analysis: sw.Analysis) -> dict[str, str]:
    return {policy.name: f"{policy.letters}, {policy.trials_used}" for policy in analysis.policies}

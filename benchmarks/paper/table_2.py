"""Table II: decisions on the LBM 1.0 rollouts, simulation and hardware, progress and success.

One-sided, alpha .05: is the finetuned policy better than the single-task one? Rows of the files in
their order. Totals count rollouts of both policies, n_max where there is no decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import stopwise as sw
from benchmarks.paper.datasets import LbmTask, lbm_task
from benchmarks.paper.figures import bars
from benchmarks.paper.published_step import decision, published_design
from benchmarks.paper.result import UNDECIDED, Cell, Result, by_task, published
from benchmarks.paper.settings import Settings

ENVIRONMENTS = {"Sim_Unseen_Nominal": "simulation", "HW_Unseen_Nominal": "hardware"}
TOTAL, SAVED = "total rollouts", "saved of the batch plan"
NOTES = (
    "One-sided, alpha .05, rows in file order; nscore-plus and step plan for n_max (200 in "
    "simulation, 50 on hardware), the others do not. A star marks a difference stated below.",
    "WSR on success, PutFruitInLargeContainerAndCoverWithPlate: 54 pairs instead of 52, and so "
    "1514 rollouts instead of 1510; we know no reason, all other decision times of WSR agree.",
    "STEP's published rule is randomised: on SetUpBreakfastTable it stops after 12 to 17 pairs, "
    "depending on the seed; the published 15 is one of these, and the total moves with it.",
)
# STEP's published rule is randomised: so many seeds show which decision times are possible.
STEP_SEEDS = 100
ALPHA, PUBLISHED_STEP = 0.05, "step, as published"


@dataclass(frozen=True)
class Column:
    label: str
    metric: str
    method: str
    parameters: dict[str, Any]
    milestones: bool = False
    plans: bool = False


COLUMNS = {
    "nscore progress": Column("N-SCORE_inf", "progress", "nscore", {}, milestones=True),
    "wsr progress": Column("WSR", "progress", "wsr", {}),
    "plus progress": Column("nscore-plus", "progress", "nscore-plus", {}, plans=True),
    "step binary": Column("STEP", "success", PUBLISHED_STEP, {}, plans=True),
    "nscore binary, 3 bins": Column("N-SCORE_2", "success", "nscore", {"bins": 3}),
    "savi binary": Column("SAVI", "success", "savi", {}),
    "wsr binary": Column("WSR", "success", "wsr", {}),
    "optimal binary": Column("step, optimal table", "success", "step", {}, plans=True),
    "plus binary": Column("nscore-plus", "success", "nscore-plus", {}, plans=True),
}


def decision_time(data: LbmTask, column: Column, n_max: int, seed: int = 0) -> int | None:
    scores = (data.progress0, data.progress1)
    if column.metric == "success":
        scores = (data.success0, data.success1)
    if column.method == PUBLISHED_STEP:
        ended = decision(published_design(ALPHA, n_max), *scores, seed=seed)
        return ended[1] if ended is not None and ended[0] == 1 else None
    parameters = dict(column.parameters)
    if column.milestones:
        parameters["bin_values"] = data.milestones
    if column.plans:
        parameters["n_max"] = n_max
    return (
        sw.SequentialTest(column.method, alpha=ALPHA, **parameters, alternative="greater")
        .run(*scores)
        .n_decided
    )


def run(settings: Settings) -> Result:
    expected = published("table_2")
    tables, shares = [], {}
    done, work = 0, len(ENVIRONMENTS) * len(COLUMNS)
    for environment, shown in ENVIRONMENTS.items():
        paper = expected[environment]
        data = {task: lbm_task(environment, task, settings.folder) for task in paper["tasks"]}
        batch = 2 * paper["n_max"] * len(data)
        found: dict[str, dict[str, dict[str, Cell]]] = {"progress": {}, "success": {}}
        for name, column in COLUMNS.items():
            cells = {task: _cell(data[task], task, name, paper, settings.seed) for task in data}
            cells |= _sums(cells, paper["totals"].get(name), paper["n_max"], batch)
            found[column.metric][column.label] = cells
            share = int(cells[TOTAL].ours) / batch
            shares[f"{shown}, {column.metric}: {column.label}"] = share
            done += 1
            settings.report(done / work)
        for metric, columns in found.items():
            title = f"Table II: LBM 1.0 {shown}, {metric}"
            tables.append(by_task(title, [*data, TOTAL, SAVED], columns))
    figures = {"totals": lambda: bars(shares, "share of the batch plan")}
    return Result(tuple(tables), NOTES, figures)


def _cell(data: LbmTask, task: str, name: str, paper: dict[str, Any], seed: int) -> Cell:
    column, n_max = COLUMNS[name], paper["n_max"]
    time = decision_time(data, column, n_max, seed)
    if name not in paper:
        return Cell.own(time)
    given = paper[name][paper["tasks"].index(task)]
    if time == given:
        return Cell.exact(time, given)
    if column.method == PUBLISHED_STEP:
        possible = {decision_time(data, column, n_max, other) for other in range(STEP_SEEDS)}
        return Cell.one_of(time, possible, given)
    if paper.get("ours apart", {}).get(name, {}).get(task) == time:
        return Cell.apart(time, given)
    return Cell.exact(time, given)


def _sums(
    cells: Mapping[str, Cell], paper_total: int | None, n_max: int, batch: int
) -> dict[str, Cell]:
    times = [n_max if cell.ours == UNDECIDED else int(cell.ours) for cell in cells.values()]
    total = 2 * sum(times)
    saved = f"{1 - total / batch:.0%}"
    if paper_total is None:
        return {TOTAL: Cell.own(total), SAVED: Cell.own(saved)}
    same = all(cell.ours == cell.paper for cell in cells.values())
    kind = Cell.exact if same else Cell.apart
    return {
        TOTAL: kind(total, paper_total),
        SAVED: kind(saved, f"{1 - paper_total / batch:.0%}"),
    }

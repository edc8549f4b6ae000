"""The real evaluation data that the paper used, read from a folder that is not shipped."""

import ast
import csv
import os
from dataclasses import dataclass
from pathlib import Path

DATA = Path(os.environ.get("STOPWISE_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
ROBOARENA = {
    "pi0": "pi0_droid",
    "pi0-FAST": "pi0_fast_droid",
    "PG-Diff": "paligemma_diffusion_droid",
    "PG-Bin": "paligemma_binning_droid",
}


@dataclass(frozen=True)
class LbmTask:
    """One LBM 1.0 comparison: Single Task (policy 0) against LBM finetuned (policy 1)."""

    progress0: list[float]
    progress1: list[float]
    success0: list[float]
    success1: list[float]
    milestones: list[float]


def lbm_task(environment: str, task: str, folder: Path = DATA) -> LbmTask:
    """Read one task; rows in file order, cut to the shorter policy where one row is missing."""
    progress: dict[str, list[float]] = {"Single Task": [], "LBM finetuned": []}
    success: dict[str, list[float]] = {"Single Task": [], "LBM finetuned": []}
    for row in _rows(folder / "lbm_progress.csv"):
        if (row["env_id"], row["task"]) == (environment, task):
            progress[row["policy"]].append(float(row["score"]))
            success[row["policy"]].append(float(row["success"]))
    milestones = next(
        ast.literal_eval(row["milestone_bins"])
        for row in _rows(folder / "lbm_milestone_bins.csv")
        if (row["env_id"], row["task"]) == (environment, task)
    )
    n = min(map(len, progress.values()))
    return LbmTask(
        progress["Single Task"][:n],
        progress["LBM finetuned"][:n],
        success["Single Task"][:n],
        success["LBM finetuned"][:n],
        milestones,
    )


def roboarena(folder: Path = DATA) -> dict[str, list[float]]:
    """Return the progress of the paper's four policies over the 599 complete sessions."""
    names = {stored: shown for shown, stored in ROBOARENA.items()}
    scores: dict[str, list[float]] = {shown: [] for shown in ROBOARENA}
    for row in _rows(folder / "roboarena_complete599.csv"):
        if row["policy"] in names:
            scores[names[row["policy"]]].append(float(row["score"]))
    return scores


def step_outcomes(task: str, n_max: int, folder: Path = DATA) -> tuple[list[int], list[int]]:
    """Return the first outcomes of both policies of a task of the STEP paper, in file order."""
    columns: dict[str, list[int]] = {"policy_0": [], "policy_1": []}
    for row in _rows(folder / "step_binary.csv"):
        if row["task"].removesuffix("_SUPPLEMENT") == task:
            columns[row["policy"]].append(int(row["success"]))
    return columns["policy_0"][:n_max], columns["policy_1"][:n_max]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))

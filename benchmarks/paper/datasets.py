"""The real evaluation data that the paper used, read from a folder that is not shipped."""

import ast
import csv
import os
from dataclasses import dataclass
from pathlib import Path

from stopwise.errors import InvalidInput, require

DATA = Path(os.environ.get("STOPWISE_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
ROBOARENA = {
    "pi0": "pi0_droid",
    "pi0-FAST": "pi0_fast_droid",
    "PG-Diff": "paligemma_diffusion_droid",
    "PG-Bin": "paligemma_binning_droid",
}
# Each file that a script may need: what it holds and where it is published.
SOURCES = {
    "lbm_progress.csv": "LBM 1.0 rollouts (Dryad, doi:10.5061/dryad.xd2547dxc): columns task, "
    "policy, episode, score, success, env_id",
    "lbm_milestone_bins.csv": "milestone values of the LBM 1.0 tasks (Dryad, "
    "doi:10.5061/dryad.xd2547dxc): columns env_id, task, milestone_bins",
    "roboarena_complete599.csv": "the 599 sessions of the RoboArena dump of 2025-08-05 "
    "(robo-arena.github.io) that hold all seven policies: columns policy, score, success, "
    "paired_block",
    "mujoco_returns.csv": "returns of the policies in DLR-RM/rl-trained-agents (GitHub), 1,000 "
    "episodes each: columns task, algo, return",
}
LBM_ENVIRONMENTS = {
    "HW_Unseen_Nominal": "hardware",
    "Sim_Unseen_Nominal": "sim",
    "Sim_Unseen_DistShift": "shifted sim",
}
# Bounds that are declared for the returns, before any is seen.
MUJOCO_BOUNDS = {
    "Hopper-v3": (0.0, 4500.0),
    "Swimmer-v3": (0.0, 400.0),
    "Ant-v3": (-500.0, 6500.0),
    "Pendulum-v1": (-1700.0, 0.0),
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
    columns = ("env_id", "task", "policy", "score", "success")
    for row in _rows(folder / "lbm_progress.csv", *columns):
        if (row["env_id"], row["task"]) == (environment, task) and row["policy"] in progress:
            progress[row["policy"]].append(_number(row, "score"))
            success[row["policy"]].append(_number(row, "success"))
    bins = _rows(folder / "lbm_milestone_bins.csv", "env_id", "task", "milestone_bins")
    milestones = [
        ast.literal_eval(row["milestone_bins"])
        for row in bins
        if (row["env_id"], row["task"]) == (environment, task)
    ]
    n = min(map(len, progress.values()))
    require(n > 0 and len(milestones) > 0, f"{folder} has no trials or milestones of {task}")
    return LbmTask(
        progress["Single Task"][:n],
        progress["LBM finetuned"][:n],
        success["Single Task"][:n],
        success["LBM finetuned"][:n],
        milestones[0],
    )


def lbm_scores(folder: Path = DATA) -> dict[tuple[str, str], dict[str, list[float]]]:
    """Return the progress of both policies of every task, by (environment, task).

    ``SetBreakfastTable`` is left out: it repeats the rollouts of ``SetUpBreakfastTable``.
    """
    scores: dict[tuple[str, str], dict[str, list[float]]] = {}
    for row in _rows(folder / "lbm_progress.csv"):
        if row["task"] != "SetBreakfastTable":
            policies = scores.setdefault((row["env_id"], row["task"]), {})
            policies.setdefault(row["policy"], []).append(float(row["score"]))
    return scores


def roboarena(folder: Path = DATA, column: str = "score") -> dict[str, list[float]]:
    """Return the progress (or success) of the paper's four policies over 599 complete sessions."""
    names = {stored: shown for shown, stored in ROBOARENA.items()}
    scores: dict[str, list[float]] = {shown: [] for shown in ROBOARENA}
    for row in _rows(folder / "roboarena_complete599.csv", "policy", column):
        if row["policy"] in names:
            scores[names[row["policy"]]].append(_number(row, column))
    return scores


def step_outcomes(task: str, n_max: int, folder: Path = DATA) -> tuple[list[int], list[int]]:
    """Return the first outcomes of both policies of a task of the STEP paper, in file order."""
    columns: dict[str, list[int]] = {"policy_0": [], "policy_1": []}
    for row in _rows(folder / "step_binary.csv"):
        if row["task"].removesuffix("_SUPPLEMENT") == task:
            columns[row["policy"]].append(int(row["success"]))
    return columns["policy_0"][:n_max], columns["policy_1"][:n_max]


def roboarena_all(folder: Path = DATA) -> dict[str, list[float]]:
    """Return the progress of all seven policies over the 599 complete sessions."""
    scores: dict[str, list[float]] = {}
    for row in _rows(folder / "roboarena_complete599.csv"):
        scores.setdefault(row["policy"], []).append(float(row["score"]))
    return scores


def mujoco_returns(folder: Path = DATA) -> dict[str, dict[str, list[float]]]:
    """Return the returns of every algorithm by task; ``MUJOCO_BOUNDS`` holds their bounds."""
    returns: dict[str, dict[str, list[float]]] = {task: {} for task in MUJOCO_BOUNDS}
    for row in _rows(folder / "mujoco_returns.csv", "task", "algo", "return"):
        if row["task"] in returns:
            returns[row["task"]].setdefault(row["algo"], []).append(_number(row, "return"))
    return returns


def mujoco(folder: Path = DATA) -> dict[str, dict[str, list[float]]]:
    """Return the same mapped to [0, 1] by the declared bounds."""
    scores: dict[str, dict[str, list[float]]] = {}
    for task, policies in mujoco_returns(folder).items():
        low, high = MUJOCO_BOUNDS[task]
        scores[task] = {
            name: [(value - low) / (high - low) for value in returns]
            for name, returns in policies.items()
        }
    return scores


def _rows(path: Path, *columns: str) -> list[dict[str, str]]:
    """Return the rows of a file that must have these columns."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        for column in columns:
            require(column in (reader.fieldnames or ()), f"{path} has no column {column!r}")
        return list(reader)


def _number(row: dict[str, str], column: str) -> float:
    try:
        return float(row[column])
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{column!r} must hold numbers, but got {row[column]!r}") from error

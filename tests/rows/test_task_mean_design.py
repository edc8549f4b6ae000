"""Tasks that some rows share make scores depend on each other: such rows are paired."""

from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw


def trials(rows: int, odd: int, seed: int) -> sw.Trials:
    """Return two policies that trade two tasks, in rows that share the task but for the last."""
    rng = np.random.default_rng(seed)
    tasks = rng.integers(0, 2, (rows, 1)).repeat(2, axis=1)
    tasks[rows - odd :, 1] = 1 - tasks[rows - odd :, 1]
    rates = np.where(tasks == np.array([[0, 1]]), 0.9, 0.1)
    scores = (rng.random((rows, 2)) < rates).astype(float)
    frame = {"policy": ["a", "b"] * rows, "task": [f"t{n}" for n in tasks.ravel()]}
    return sw.read_trials(pl.DataFrame({**frame, "score": scores.ravel()}), bounds=(0, 1))


@pytest.mark.parametrize("odd", [1, 20, 40])
def test_tasks_that_some_rows_share_are_never_taken_for_independent(odd: int) -> None:
    """Taken for independent, they err in .06 to .18 at alpha .05."""
    asked: Any = {"tasks": "mean", "task_order": "random", "n_max": 60, "futility": None}
    assert sw.analyze(trials(60, odd, 0), **asked).design == "paired"


def test_independence_is_not_taken_on_trust_where_tasks_are_shared() -> None:
    asked: Any = {"tasks": "mean", "task_order": "random", "n_max": 60, "futility": None}
    with pytest.raises(sw.InvalidInput, match="had the same task"):
        sw.analyze(trials(60, 1, 0), design="independent", **asked)

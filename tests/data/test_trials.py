"""The trial table and its checked constructor."""

from typing import Any

import polars as pl
import pytest

import stopwise as sw


def test_columns_come_in_one_order_and_trials_are_numbered() -> None:
    trials = sw.Trials.from_columns(
        {
            "block": [1, 1, 2],
            "score": [True, False, True],
            "policy": ["a", "b", "a"],
            "success": [1, 0, None],
            "task": ["t", "t", "t"],
        },
        bounds={"t": (0, 1)},
        notes=["x", "x"],
    )

    assert trials.frame.schema == pl.Schema(
        {
            "task": pl.String(),
            "policy": pl.String(),
            "trial": pl.Int64(),
            "score": pl.Float64(),
            "success": pl.Float64(),
            "block": pl.String(),
        }
    )
    assert trials.frame["trial"].to_list() == [0, 0, 1]
    assert (len(trials), trials.tasks, trials.policies) == (3, ("t",), ("a", "b"))
    assert trials.notes == ("x",)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"policy": ["a"], "points": [1]}, "columns must be among task, policy, score, .*'points'"),
        ({"policy": ["a"]}, "column 'score' is required, but got 'policy'"),
        ({"policy": ["a"], "score": [1, 2]}, "must be equally long, but got lengths"),
        ({"policy": [], "score": []}, "needs at least one trial, but got none"),
        ({"policy": ["a"], "score": ["x"]}, "column 'score', row 0: must be a number, but got 'x'"),
        ({"policy": ["a"], "score": [float("nan")]}, "column 'score', row 0: a value is missing"),
        ({"policy": ["a", ""], "score": [1, 1]}, "column 'policy', row 1: a value is missing"),
        ({"policy": ["a"], "score": [2]}, r"'score', row 0: .* bounds \[0, 1\], but got 2"),
        ({"policy": ["a"], "score": [1], "success": [2]}, "a success must be 0 or 1, but got 2"),
        ({"policy": ["a"], "score": 1}, "column 'score' must be one array"),
    ],
)
def test_bad_columns_get_one_clear_error(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.Trials.from_columns(columns, bounds=(0, 1))

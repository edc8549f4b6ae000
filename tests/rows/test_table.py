"""Scores are checked where they are used, whoever made the table."""

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.data.trials import Trials
from stopwise.rows.table import Table


def frame(worst: float, task: str = "lift") -> pl.DataFrame:
    rng = np.random.default_rng(5)
    rows = [
        {"task": task, "policy": policy, "trial": trial, "score": float(score)}
        for policy, mean in (("a", 0.3), ("b", 0.6))
        for trial, score in enumerate(rng.binomial(1, mean, 20).tolist())
    ]
    rows[7]["score"] = worst
    return pl.DataFrame(rows)


def test_trials_made_by_hand_are_checked_against_their_own_bounds() -> None:
    with pytest.raises(sw.InvalidInput, match="9"):
        sw.analyze(Trials(frame(9.0), {"lift": (0.0, 1.0)}))


def test_rows_beyond_n_max_are_not_used_and_so_not_checked() -> None:
    scores = {"a": np.zeros(20), "b": np.ones(20)}
    scores["a"][15] = 9.0
    assert sw.analyze(scores, bounds=(0, 1), n_max=15).n_max == 15
    with pytest.raises(sw.InvalidInput, match="9"):
        sw.analyze(scores, bounds=(0, 1), n_max=16)


def test_a_table_leaves_the_callers_array_writable() -> None:
    scores = np.zeros((4, 2))
    table = Table(scores=scores, policies=("a", "b"), design="paired")
    scores[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        table.scores[0, 0] = 0.5

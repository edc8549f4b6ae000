"""What each metric needs, on the same rollouts."""

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw


def rollouts() -> pl.DataFrame:
    """Return milestones of two policies; the last one is hard for both."""
    rng = np.random.default_rng(4)
    reached = rng.random((80, 4)) < np.repeat([[0.5, 0.4, 0.5, 0.6], [0.95, 0.9, 0.9, 0.2]], 40, 0)
    reached = np.minimum.accumulate(reached, axis=1)
    return pl.DataFrame(
        {
            "policy": ["base"] * 40 + ["new"] * 40,
            "time_left": np.clip(reached.mean(axis=1) * 0.8 + 0.1 * rng.random(80), 0, 1),
            **{f"milestone_{i}": reached[:, i].astype(int) for i in range(4)},
        }
    )


def test_partial_credit_needs_fewer_trials_than_success() -> None:
    """The finding of the paper, on the user's own rollouts."""
    compared = sw.compare_metrics(
        rollouts(),
        milestones=[f"milestone_{i}" for i in range(4)],
        scores={"time_left": (0, 1)},
        orders=40,
        minutes_per_trial=3,
    )
    success, partial, continuous = compared.rows

    assert success.metric == "success (all milestones)"
    assert partial.metric == "partial credit (4 milestones)"
    assert continuous.metric == "time_left (continuous)"
    assert partial.mean_trials < 0.7 * success.mean_trials
    assert partial.decided > success.decided
    assert success.mean_n <= 40
    assert "fewer than success" in compared.sentence
    assert "hours" in compared.sentence
    assert json.loads(compared.to_json())["rows"][1]["decided"] == partial.decided


def test_file_order_is_that_of_analyze() -> None:
    frame = rollouts().with_columns(pl.col("time_left").alias("score"))
    trials = sw.read_trials(frame, bounds=(0, 1))
    compared = sw.compare_metrics(trials, orders=5)
    analysis = sw.analyze(trials, n_max=40)

    assert [row.metric for row in compared.rows] == ["full score", "score (continuous)"]
    assert compared.rows[1].file_order_n == analysis.pairs[0].n
    assert compared.rows[0].file_order_n is None


def test_orders_keep_the_rollouts_and_more_trials_resample_them() -> None:
    frame = rollouts().with_columns(pl.col("time_left").alias("score"))
    trials = sw.read_trials(frame, bounds=(0, 1))
    compared = sw.compare_metrics(trials, orders=40, n_max=30)
    more = sw.compare_metrics(trials, orders=40, n_max=120)

    assert not compared.resampled
    assert more.resampled
    assert more.rows[1].n_max == 120
    assert more.rows[1].decided >= compared.rows[1].decided - 0.1
    assert "resampled with their uncertainty" in more.sentence


def test_paired_rollouts_keep_their_rows() -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(30)
    content = {
        "policy": ["a"] * 30 + ["b"] * 30,
        "session": list(range(30)) * 2,
        "score": np.concatenate([hard * 0.6, hard * 0.6 + 0.3]),
        "success": [0] * 30 + [0, 1, 0] * 10,
    }
    compared = sw.compare_metrics(sw.read_trials(content, bounds=(0, 1)), orders=20)

    assert compared.design == "paired"
    assert compared.rows[0].metric == "success"
    assert compared.rows[1].mean_n < 20


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({}, "bounds"),
        ({"scores": {"time_left": (0, 1)}}, "at least 2, but the rollouts have only 'time_left"),
        ({"milestones": ["time_left"]}, r"reached \(1\) or not \(0\)"),
        ({"milestones": ["nothing"]}, "there is no column 'nothing'"),
        ({"bounds": (0, 1), "orders": 0}, "orders must be a whole number of at least 1"),
        ({"bounds": (0, 1), "n_max": 1}, "n_max must be a whole number of at least 2"),
        ({"bounds": (0, 1), "minutes_per_trial": -3}, "minutes_per_trial must be above 0"),
        (
            {"bounds": (0, 1), "milestones": ["grasped"]},
            "bounds are for a score that is found automatically",
        ),
    ],
)
def test_impossible_input_has_one_clear_line(settings: dict[str, Any], line: str) -> None:
    frame = rollouts()
    if not ({"scores", "milestones"} & set(settings)):
        frame = frame.with_columns(pl.col("time_left").alias("score"))
    with pytest.raises(sw.InvalidInput, match=line):
        sw.compare_metrics(frame, **settings)

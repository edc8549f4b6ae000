"""Settings that meet: what goes together works, and what does not is refused in one line."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw

RNG = np.random.default_rng(3)
TASKS = ("lift", "push")


def trials(rounds: int = 40, **more: Any) -> sw.Trials:
    """Return trials of two policies on two tasks, of which "fast" takes less time on each."""
    rows = [(task, policy) for _ in range(rounds) for task in TASKS for policy in ("slow", "fast")]
    columns = {
        "task": [task for task, _ in rows],
        "policy": [policy for _, policy in rows],
        "score": [RNG.uniform(0, 1 if policy == "slow" else 0.5) for _, policy in rows],
        **more,
    }
    return sw.Trials.from_columns(columns, bounds=(0, 1))


def test_the_mean_over_tasks_of_scores_of_which_less_is_better() -> None:
    found = sw.analyze(trials(), tasks="mean", lower_is_better=True)

    assert found.best == "fast"
    assert "a lower mean, better in the mean over 2 tasks" in found.sentence


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tasks": "mean", "by": "wins"}, "cannot be compared by wins"),
        ({"tasks": "mean", "unit": "seed"}, "asks about one task"),
        ({"tasks": "mean", "stored": "slow"}, "need one task"),
        ({"tasks": "mean", "unequal": "groups"}, "need one task"),
    ],
)
def test_the_mean_over_tasks_refuses_what_it_is_not_proven_for(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=said):
        sw.analyze(trials(), **settings)


def test_groups_are_not_compared_by_wins() -> None:
    with pytest.raises(sw.InvalidInput, match="does not go with by='wins'"):
        sw.StopRule(["old", "new"], stored={"old": [0.1] * 20}, n_max=10, by="wins")


def test_a_race_over_tasks_takes_no_stored_trials() -> None:
    with pytest.raises(sw.InvalidInput, match="stored trials belong to one task"):
        sw.race(
            {"new": 0.5},
            {"lift": "CartPole-v1", "push": "CartPole-v1"},
            tasks="mean",
            stored={"old": [0.1] * 20},
            n_max=10,
        )


def test_an_average_does_not_hide_a_score_outside_the_bounds() -> None:
    columns = {
        "task": ["lift", "push"] * 2,
        "policy": ["old", "old", "new", "new"],
        "score": [2.0, -1.0, 0.5, 0.5],
    }
    outside = sw.Trials.from_columns(columns)

    with pytest.raises(sw.InvalidInput, match=r"within the bounds \[0, 1\]"):
        sw.analyze(outside, tasks="mean", bounds=(0, 1))


def test_drawn_tasks_keep_the_order_of_their_draws() -> None:
    """Going round the strata would sort the rows by what was drawn."""
    drawn = ["lift", "lift", "lift", "push", "lift", "push"]
    columns = {
        "task": [task for task in drawn for _ in "ab"],
        "policy": ["a", "b"] * 6,
        "score": np.repeat(np.arange(6) / 10, 2).tolist(),
        "block": ["scene"] * 12,
    }
    found = sw.analyze(
        sw.Trials.from_columns(columns, bounds=(0, 1)), tasks="mean", task_order="random"
    )

    assert found.aligned.scores[:, 0].tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5])


def test_a_run_is_the_policy_or_the_training_but_not_both() -> None:
    runs = ["first", "second"] * 6
    alone = sw.read_trials({"run": runs, "score": [0.2, 0.4] * 6}, bounds=(0, 1))
    beside = sw.read_trials(
        {"policy": ["a"] * 6 + ["b"] * 6, "run": runs, "score": [0.2, 0.4] * 6}, bounds=(0, 1)
    )

    assert alone.policies == ("first", "second")
    assert "seed" not in alone.frame.columns
    assert beside.policies == ("a", "b")
    assert beside.frame["seed"].n_unique() == 2

"""The mean over tasks of a file: which rows are compared, what is claimed, what is missing."""

import re
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.rows.task_mean import over_tasks

TASKS = ("lift", "push", "reach")
Rows = list[tuple[str, str, float]]


def rows(rng: np.random.Generator, tasks: Any, gap: float = 0.3) -> Rows:
    """One trial of each policy per task in the list."""
    return [
        (task, policy, float(rng.random() < 0.2 + more))
        for task in tasks
        for policy, more in (("old", 0.0), ("new", gap))
    ]


def table(found: Rows, **settings: Any) -> sw.Trials:
    names = ("task", "policy", "score")
    columns = dict(zip(names, map(list, zip(*found, strict=True)), strict=True))
    return sw.Trials.from_columns(columns, **{"bounds": (0, 1), **settings})


def test_a_round_is_one_row_of_weighted_averages_in_whatever_order_tasks_were_run() -> None:
    rng = np.random.default_rng(0)
    found = rows(rng, TASKS * 4)

    in_turn, sorted_ = (
        over_tasks(table(own), order="rounds", weights={"lift": 2}, design=None)
        for own in (found, sorted(found, key=lambda row: row[0]))
    )

    scores = np.array([row[2] for row in found]).reshape(4, 3, 2)
    assert np.allclose(in_turn.scores, np.tensordot([0.5, 0.25, 0.25], scores, axes=([0], [1])))
    assert np.array_equal(in_turn.scores, sorted_.scores)
    assert in_turn.design == "independent"
    assert in_turn.mean is not None
    assert [task.share for task in in_turn.mean.tasks] == [0.5, 0.25, 0.25]


def test_rows_of_drawn_tasks_are_paired_and_their_claim_is_named() -> None:
    rng = np.random.default_rng(11)
    trials = table(rows(rng, rng.choice(TASKS, 150)))

    drawn = sw.analyze(trials, tasks="mean", task_order="random")
    rounds = sw.analyze(trials, tasks="mean")

    assert (drawn.design, drawn.doubts) == ("paired", ())
    assert "(> means better in the mean over 3 tasks, the task of each row drawn" in drawn.sentence
    assert "of 300 trials" in drawn.sentence
    assert "one trial of every task averaged into each row" in rounds.sentence
    assert "averages of a round" in rounds.sentence
    (beyond,) = (note for note in rounds.warnings if "beyond the last full round" in note)
    assert re.search(r"left out: of \w+ there are only \d+$", beyond)
    (shown,) = drawn.task_tables().values()
    assert {row["task"] for row in shown} == set(TASKS)
    assert [task["task"] for task in drawn.to_dict()["mean"]["tasks"]] == [r["task"] for r in shown]
    assert "no claim is made about single tasks" in drawn.to_html()


def test_rows_are_independent_only_where_that_is_declared() -> None:
    rng = np.random.default_rng(2)
    own = [(str(task), policy, 0.5) for policy in "ab" for task in rng.choice(TASKS, 50)]

    found = [
        over_tasks(table(own), order="random", weights=None, design=design).design
        for design in (None, "independent")
    ]
    assert found == ["paired", "independent"]
    shared = [*rows(rng, TASKS * 9), ("lift", "old", 0.5), ("push", "new", 0.5)]
    with pytest.raises(sw.InvalidInput, match="so that their scores are not independent"):
        over_tasks(table(shared), order="random", weights=None, design="independent")


@pytest.mark.parametrize(
    ("tasks", "weights", "doubt"),
    [
        (sorted(TASKS * 60), None, "a task follows itself"),
        (TASKS * 60, None, "0 times of 179 a task follows itself"),
        (["lift"] * 60 + ["push"] * 20, None, "task lift has 60 of 80"),
    ],
)
def test_an_order_that_does_not_look_random_is_doubted(
    tasks: Any, weights: dict[str, float] | None, doubt: str
) -> None:
    trials = table(rows(np.random.default_rng(3), tasks))

    found = sw.analyze(trials, tasks="mean", task_order="random", weights=weights)

    assert doubt in found.doubts[0]
    assert "these trials do not look like fresh draws in random order" in found.sentence


def test_a_task_that_a_policy_never_drew_is_not_left_out() -> None:
    """A policy that dropped out of a race early has not met every task; the claim stays whole."""
    found = [("lift", policy, 0.5) for policy in ("old", "new")] + [("push", "old", 1.0)]

    drawn = over_tasks(
        table(found), order="random", weights={"lift": 1, "push": 1, "reach": 1}, design=None
    )

    assert np.array_equal(drawn.scores, [[0.5, 0.5], [1.0, np.nan]], equal_nan=True)
    assert drawn.mean is not None
    assert [own.task for own in drawn.mean.tasks] == ["lift", "push", "reach"]


def test_an_evaluation_that_is_not_finished_is_analysed_as_far_as_it_goes() -> None:
    found = rows(np.random.default_rng(6), TASKS * 30, gap=0.6)
    trials = table([row for row in found if row[:2] != ("reach", "new")])

    mean = sw.analyze(trials, tasks="mean")
    each = sw.analyze(trials, tasks="each")
    based = sw.analyze(trials, baseline="new", tasks="each")

    assert "over 2 tasks" in mean.sentence
    assert any("reach has no new" in note for note in mean.warnings)
    assert list(each) == list(based) == ["lift", "push"]
    assert any("reach has no trials of new, and is left out" in n for n in each["lift"].warnings)


def test_tasks_of_one_policy_each_say_so() -> None:
    trials = table([("lift", "old", 1.0), ("push", "new", 0.0)])

    with pytest.raises(sw.InvalidInput, match="no task has policies to compare: lift has no"):
        sw.analyze(trials, tasks="each")
    alone = table([("lift", "old", 1.0), ("push", "old", 0.0)])
    with pytest.raises(sw.InvalidInput, match=r"policies to compare: there is only old$"):
        sw.analyze(alone, tasks="each")
    with pytest.raises(sw.InvalidInput, match="no task has trials of every policy: lift has no"):
        sw.analyze(trials, tasks="mean")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": "median"}, "tasks must be one of None, mean, each, but got 'median'"),
        (
            {"tasks": "mean", "task_order": "turns"},
            "task_order must be one of rounds, independent, random",
        ),
        ({"task_order": "random"}, "task_order is about the mean over tasks: give tasks='mean'"),
        ({"weights": {"lift": 2}}, "weights is about the mean over tasks: give tasks='mean'"),
        ({"tasks": "mean", "weights": {"lifd": 2}}, "names the task 'lifd', but the tasks are"),
        ({"tasks": "mean", "weights": {"lift": 0}}, "'lift' must be a positive number, but is 0"),
        ({"tasks": "mean", "weights": [1, 2]}, "weights must be given by task"),
        ({}, "give tasks='each' for an answer on each of them, or tasks='mean' for one"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, Any], message: str) -> None:
    trials = table(rows(np.random.default_rng(8), TASKS))

    with pytest.raises(sw.InvalidInput, match=message.replace("[", r"\[")):
        sw.analyze(trials, **settings)


def test_arrays_of_runs_by_tasks_are_read_like_a_file_of_them() -> None:
    rng = np.random.default_rng(1)
    scores = {"a": rng.random((20, 5)), "b": rng.random((20, 5)) / 2}

    of_arrays = sw.analyze(scores, tasks="mean", bounds=(0, 1))

    of_trials = sw.analyze(sw.read_trials(scores), tasks="mean", bounds=(0, 1))
    assert of_arrays.to_dict() == of_trials.to_dict()
    assert [policy.n for policy in of_arrays.policies] == [20, 20]


def test_while_files_grow_a_task_without_trials_does_not_change_the_scale_of_the_others() -> None:
    """It has no bounds of its own yet, and the same rows must look the same once it has."""
    found = [(task, policy, 8.0) for task in "xyxy" for policy in ("old", "new")]
    asked: Any = {"order": "random", "weights": dict.fromkeys("xyz", 1), "design": None}

    so_far = over_tasks(table(found, bounds=(0, 10)), growing=True, **asked)
    later = [*found, ("z", "old", 8.0), ("z", "new", 8.0)]
    then = over_tasks(table(later, bounds=(0, 10)), growing=True, **asked)

    assert so_far.bounds == then.bounds == (0.0, 10.0)
    assert (then.scores[: len(so_far.scores)] == so_far.scores).all()

"""A study from the first trial to the report."""

from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.study_plan import StudyPlan
from tests.study.live import locked, score_one, take
from tests.study.plans import plan


def test_tasks_share_alpha_and_take_turns(tmp_path: Path) -> None:
    tasks = ["stack", "sort"]
    study = locked(tmp_path, tasks=tasks, policies=["a", "b", "c"], baseline="a")
    order = []
    for _ in range(12):
        trial = take(study)
        order.append(trial.task)
        study.record(trial.trial, True, station="left")
    only = study.next_trial("right", task="sort")

    assert order == [*["stack"] * 3, *["sort"] * 3] * 2
    assert only is not None
    assert only.task == "sort"
    found = study.verdict().tasks
    assert [(task.alpha, task.rows, len(task.pairs)) for task in found] == [(0.025, 2, 2)] * 2
    labels = study.unblind()
    assert {pair.policy0 for task in study.verdict().tasks for pair in task.pairs} == {"a"}
    assert sorted(labels.values()) == ["a", "b", "c"]


def test_without_look_ahead_no_row_begins_before_the_last_is_used(tmp_path: Path) -> None:
    study = locked(tmp_path, look_ahead=0)
    second = take(study, "right")
    score_one(study)

    assert study.next_trial("left") is None
    assert not study.finished

    study.record(second.trial, True, station="right")
    assert study.next_trial("left") is not None


def test_a_policy_that_is_decided_is_tried_no_more(tmp_path: Path) -> None:
    policies = ["bad", "good", "as good"]
    study = locked(tmp_path, policies=policies, n_max=60, method="nscore")
    tried = []
    for turn in range(120):
        trial = take(study)
        policy = study.resolve(trial.code).policy
        tried.append(policy)
        study.record(trial.trial, policy != "bad" and turn % 8 > 0, station="left")

    last = max(place for place, policy in enumerate(tried) if policy == "bad")
    assert 20 < last < 100
    assert {*tried[last + 3 :]} == {"good", "as good"}
    assert study.status().duplicates == 0
    # What an eliminated policy will not need is known, the rest is not.
    assert study.trials_saved() == {"stack": 60 - tried.count("bad")}
    # The analysis counts alike; what was run beyond is listed as overshoot.
    overshoot = sum(study.overshoot().values())
    assert study.analyses()["stack"].trials_saved == 60 - tried.count("bad") + overshoot
    assert study.trials().counts()["stack", "A"] > 0


def test_an_imported_block_design_keeps_its_blocks(tmp_path: Path) -> None:
    study = locked(tmp_path, design="blocks")
    trials = sw.Trials.from_columns(
        {
            "policy": ["old", "new", "new", "old"],
            "score": [0, 1, 1, 0],
            "block": ["x", "x", "y", "y"],
        },
        bounds=(0, 1),
    )

    assert study.add_trials(trials, source="notebook", reason="pilot") == 4

    assert study.verdict().tasks[0].rows == 2
    assert sorted(study.trials().frame["block"]) == ["1", "1", "2", "2"]
    assert study.verify().problems == ()


def test_no_score_gets_in_that_the_test_does_not_take(tmp_path: Path) -> None:
    """The journal only grows: such a score would stand in the way of every verdict."""
    store = sw.Study.create(tmp_path, plan()).store
    number = {"name": "stack", "score": {"kind": "number", "low": 0, "high": 1}}
    draft = StudyPlan.model_validate(plan(method="step", n_max=30, tasks=[number]))
    study = sw.Study(store, draft=draft)  # as plans could be locked once
    study.lock()
    trial = take(study)
    trials = sw.Trials.from_columns({"policy": ["old", "new"], "score": [0.5, 1]}, bounds=(0, 1))

    with pytest.raises(sw.InvalidInput, match=r"only the scores 0, 1, but trial 1 got 0\.5"):
        study.record(trial.trial, 0.5, station="left")
    with pytest.raises(
        sw.InvalidInput, match=r"only the scores 0, 1, but 'old' on 'task' got 0\.5"
    ):
        study.add_trials(trials, source="notebook", reason="pilot")
    assert study.record(trial.trial, 1, station="left").counted
    with pytest.raises(sw.InvalidInput, match=r"only the scores 0, 1, but trial 1 got 0\.5"):
        study.correct(trial.trial, 0.5, "mistyped")

    assert study.next_trial("left") is not None
    assert study.verify().problems == ()

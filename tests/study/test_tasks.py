"""Studies of several tasks: their mean, whose rows draw a task, and one task after the other."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.study.live import locked, take
from tests.study.plans import plan

MEAN: dict[str, Any] = {
    "policies": ["old", "new"],
    "tasks": ["lift", "push", "reach"],
    "over_tasks": "mean",
    "weights": {"lift": 2},
    "n_max": 80,
}
RATES = {"old": 0.2, "new": 0.75}


def run(study: sw.Study) -> None:
    rng = np.random.default_rng(0)
    while (trial := study.next_trial("one")) is not None:
        rate = RATES[study.resolve(trial.code).policy]
        study.record(trial.trial, bool(rng.random() < rate))


@pytest.mark.parametrize("design", ["blocks", "independent"])
@pytest.mark.parametrize("goal", ["order", "best"])
def test_one_question_is_asked_about_the_mean(tmp_path: Path, design: str, goal: str) -> None:
    study = locked(tmp_path / "study", **MEAN, design=design, goal=goal)
    run(study)
    study.unblind(reason="it is over")

    verdict, analyses = study.verdict(), study.analyses()
    assert [task.task for task in verdict.tasks] == ["mean over tasks"]
    assert verdict.decided
    assert verdict.tasks[0].alpha == 0.05  # not shared among the tasks
    (found,) = analyses.values()
    assert "the weighted mean over 3 tasks, the task of each row drawn" in found.sentence
    # A file does not know of a task that was not drawn: the weights name all of them.
    again = sw.analyze(
        study.trials(),
        tasks="mean",
        task_order="random",
        weights={"lift": 2, "push": 1, "reach": 1},
        n_max=80,
        goal=goal,
        design="paired" if design == "blocks" else design,
    )
    assert again.sentence == found.sentence
    assert study.verify().problems == ()
    assert "Each task by itself" in study.report()
    assert set(study.records()["task"]) <= {"lift", "push", "reach"}
    assert study.records()["used"].all()
    reopened = sw.Study.open(tmp_path / "study")
    assert reopened.verdict() == verdict


def test_a_row_of_blocks_shares_its_task_and_draws_its_condition(tmp_path: Path) -> None:
    tasks = [{"name": name, "conditions": {"listed": ["a", "b"]}} for name in MEAN["tasks"]]
    study = sw.Study.create(
        tmp_path / "study", plan(**{**MEAN, "tasks": tasks, "n_max": 60}, design="blocks")
    )
    study.lock()
    for _ in range(120):
        trial = take(study, "one")
        study.record(trial.trial, True)
    rows = study.records().group_by("row").n_unique()

    assert (rows["task"] == 1).all()
    assert (rows["condition"] == 1).all()
    assert set(study.records()["task"]) == {"lift", "push", "reach"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tasks": ["lift"], "weights": {}}, "over_tasks: mean needs at least 2 tasks"),
        ({"weights": {"lifd": 2}}, "names the task 'lifd', but the tasks are lift, push, reach"),
        ({"weights": {"lift": -1}}, "the weight of task 'lift' must be a positive number"),
        ({"over_tasks": "each"}, "weights belong to over_tasks: mean"),
        ({"over_tasks": "median"}, "must be 'each' or 'mean', but got 'median'"),
        (
            {"tasks": ["lift", {"name": "far", "score": {"kind": "number", "low": 0, "high": 9}}]},
            "needs one range of scores",
        ),
        (
            {
                "tasks": [
                    "lift",
                    {"name": "far", "score": {"kind": "binary", "lower_is_better": True}},
                ]
            },
            "and one lower_is_better, for all tasks",
        ),
        ({"stored": {"old": 90}}, "stored trials need over_tasks: each"),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(sw.StopwiseError, match=message):
        sw.Study.create(tmp_path / "study", plan(**{**MEAN, **changes}))


def by_slot(study: sw.Study, stations: tuple[str, ...]) -> dict[str, list[str]]:
    """Run a study in which each slot has a score of its own; return the tasks of each station."""
    tasks: dict[str, list[str]] = {station: [] for station in stations}
    while not study.finished:
        for station in stations:
            if (trial := study.next_trial(station)) is None:
                continue
            with study.reading() as state:
                row = state.trials[-1].row
            rate = RATES[study.resolve(trial.code).policy]
            drawn = np.random.default_rng([row, len(trial.task), int(100 * rate)]).random()
            study.record(trial.trial, bool(drawn < rate), station=station)
            tasks[station].append(trial.task)
    study.unblind(reason="it is over")
    return tasks


@pytest.mark.parametrize("design", ["blocks", "independent"])
def test_one_task_after_the_other_leaves_the_verdict_as_it_is(tmp_path: Path, design: str) -> None:
    """What counts is each task's scores by slot, whichever task comes first.

    Sabotage that fails it: let ``_tasks_in_turn`` return the tasks in another order each time.
    """
    plan: dict[str, Any] = {"tasks": ["a", "bb", "ccc"], "n_max": 40, "design": design}
    verdicts = {}
    for order in ("chosen", "blocked"):
        with locked(tmp_path / order, **plan, task_order=order) as study:
            tasks = by_slot(study, ("left", "right"))
            verdicts[order] = {
                one.task: [(pair.better, pair.n, pair.p_value) for pair in one.pairs]
                for one in study.verdict().tasks
            }
            assert study.verify().sound
        changes = [sum(map(str.__ne__, own, own[1:])) for own in tasks.values()]
        assert (max(changes) <= 3) == (order == "blocked"), changes
    assert verdicts["chosen"] == verdicts["blocked"]


def test_where_tasks_are_blocked_no_station_chooses(tmp_path: Path) -> None:
    with locked(tmp_path / "study", tasks=["a", "b"], task_order="blocked") as study:
        with pytest.raises(sw.InvalidInput, match="no station chooses its task"):
            study.next_trial("left", task="b")
        assert {take(study, station).task for station in ("left", "right")} == {"a", "b"}
    with pytest.raises(sw.InvalidInput, match="leave out task_order: blocked"):
        sw.Study.create(tmp_path / "mean", plan(**MEAN, task_order="blocked"))
    listed = {"tasks": [{"name": "a", "starts": ["left", "right"]}], "design": "blocks"}
    with pytest.raises(sw.InvalidInput, match="leave out task_order: blocked"):
        sw.Study.create(tmp_path / "list", plan(**listed, n_max=2, task_order="blocked"))

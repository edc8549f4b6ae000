"""What people at the robot and the owner are shown is the same whichever policy a trial is of."""

from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.study import views
from stopwise.study.state import StudyState
from tests.study.live import Clock, locked, take

OTHER = {"A": "B", "B": "A"}
TIME = 5.0  # after the last entry


def exchanged(state: StudyState) -> StudyState:
    """Return the same study, with each trial one of the other policy."""
    other = deepcopy(state)
    for trial in other.trials:
        trial.arm = OTHER[trial.arm]
    for board in other.boards.values():
        board.rows = [{arm: row[OTHER[arm]] for arm in row} for row in board.rows]
    return other


def everything_shown(state: StudyState) -> list[Any]:
    """Return all that is shown before unblinding beside the evidence."""
    state.now = state.clock + TIME
    return [
        views.offer(state, "left"),
        views.offer(state, "right"),
        *(views.whereabouts(state, trial.number, station=trial.station) for trial in state.trials),
        *(views.rubric(state, trial) for trial in state.trials),
        *views.trial_lines(state, 100),
        views.status(state, state.locked_plan),
    ]


@pytest.mark.parametrize("score", ["binary", "preference"])
def test_nothing_shown_depends_on_the_policy_of_a_trial(tmp_path: Path, score: str) -> None:
    """Who runs, scores or corrects a trial learns nothing of whose it is.

    Sabotage that fails it: ``trial.arm`` in a field of ``views.offer``, ``whereabouts``,
    ``trial_line`` or ``status``, as a tag, in the condition or as the station.
    """
    changes: dict[str, Any] = {"tasks": [{"name": "stack", "score": score}], "design": "blocks"}
    study = locked(str(tmp_path / "study"), Clock(), n_max=20, **changes)
    for success in (True, False, True):
        for answer in ("done", "second") if score == "preference" else (success, not success):
            study.record(take(study).trial, answer, station="left")
    study.void(1, "the cable came off")
    study.start(take(study).trial, station="left")
    take(study, "right")
    with study.reading() as state:
        mine, theirs = everything_shown(state), everything_shown(exchanged(state))

    assert isinstance(mine[0].trial, views.Assignment)
    assert mine == theirs


def test_what_is_shown_of_a_trial_is_these_fields_and_no_more() -> None:
    """Sabotage that fails it: a further field, such as ``arm``, in one of these."""
    own = {"trial", "needed", "started", "attended", "silent", "episode", "running", "stopping"}
    own.add("seconds")
    shown = {
        views.Assignment: {
            *own,
            *("code", "task", "instructions", "condition", "rubric", "tags", "station"),
            "seconds_left",
        },
        views.Whereabouts: {*own, "status"},
        views.Recorded: {"trial", "score", "counted", "repeated"},
        views.TrialLine: {
            *("trial", "task", "station", "who", "when", "now", "correctable", "voidable"),
        },
        views.StationStatus: {"station", "trial", "code", "started", "scored", "who"},
    }
    for view, names in shown.items():
        assert {field.name for field in fields(view)} == names


def test_a_report_is_answered_alike_whichever_policy_it_is_of(tmp_path: Path) -> None:
    study: sw.Study = locked(str(tmp_path / "study"), n_max=20)
    answers = set()
    for _ in range(8):
        trial = take(study).trial
        answer = study.record(trial, True, station="left")
        answers.add((answer.trial - trial, answer.score, answer.counted, answer.repeated))

    assert answers == {(0, 1.0, True, False)}

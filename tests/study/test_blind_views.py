"""What people at the robot and the owner are shown is the same whichever policy a trial is of."""

from dataclasses import fields
from pathlib import Path

import stopwise as sw
from stopwise.study import views
from tests.study.live import locked, take


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
            *("trial", "task", "station", "who", "when", "now", "correctable", "voidable")
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

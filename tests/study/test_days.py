"""Days at the rig: check lists, tables by operator, station and day, and the A/A study."""

from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.check_lists import Check
from stopwise.study.study_report import chapters
from tests.study.live import Clock, locked, take

CHECKS = ["lights on", "lens clean"]


def test_a_station_gets_no_trial_before_its_check_list(tmp_path: Path) -> None:
    clock = Clock()
    study = locked(str(tmp_path / "study"), clock, checks=CHECKS)
    assert study.checks_due("left") == tuple(CHECKS)
    with pytest.raises(sw.NotAllowed, match="go through the check list of station 'left' first"):
        study.next_trial("left")
    study.do(Check(station="left", ticked=tuple(CHECKS)))
    trial = take(study)
    with pytest.raises(sw.NotAllowed, match="station 'right'"):
        study.next_trial("right")
    study.start(trial.trial, station="left")
    clock.time += 13 * 3600
    study.start(trial.trial, station="left")
    assert take(study).trial == trial.trial  # what it holds it keeps
    study.record(trial.trial, True, station="left")
    with pytest.raises(sw.NotAllowed, match="check list"):
        study.next_trial("left")
    study.do(Check(station="left", ticked=tuple(CHECKS)))
    assert take(study).trial > trial.trial
    assert study.verify().sound


def test_what_is_not_ticked_needs_a_note_and_is_in_the_report(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"), checks=CHECKS)
    with pytest.raises(sw.InvalidInput, match="lens clean: not ticked, so say why in the note"):
        study.do(Check(station="left", ticked=("lights on",), note=" "))
    with pytest.raises(sw.InvalidInput, match="a check must be one of"):
        study.do(Check(station="left", ticked=("the moon",)))
    study.do(Check(station="left", ticked=("lights on",), note="scratched"), who="eva")
    (row,) = next(c.rows for c in chapters(study) if c.title == "What people changed")
    assert row[1] == "eva"
    assert row[2] == "left: start-of-day check list gone through: lights on; scratched"


def test_tables_by_operator_station_and_day_come_with_the_names(tmp_path: Path) -> None:
    """Before, means of an operator beside the evidence would tell whose trials they ran."""
    clock = Clock()
    study = locked(str(tmp_path / "study"), clock, n_max=2)
    for number, (station, who) in enumerate([("left", "ben"), ("right", "eva")] * 2):
        trial = take(study, station, who=who)
        study.record(trial.trial, number % 2 == 0, station=station, who=who)
        clock.time += 20 * 3600

    def tables() -> dict[str, tuple[tuple[str, ...], ...]]:
        return {c.title: c.rows for c in chapters(study) if c.title.startswith("Trials by")}

    assert tables() == {}
    study.unblind()
    found = tables()
    assert set(found) == {"Trials by operator", "Trials by station", "Trials by day"}
    assert [row[:3] for row in found["Trials by operator"]] == [
        ("ben", "stack", "2"),
        ("eva", "stack", "2"),
    ]
    assert {*found["Trials by operator"][0][4:]} <= {"1", "-"}
    assert sum(int(row[2]) for row in found["Trials by day"]) == 4

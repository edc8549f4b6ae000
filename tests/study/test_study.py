"""A study from the first trial to the report."""

from pathlib import Path

import stopwise as sw
from tests.study.plans import plan


def test_two_stations_run_a_study_to_its_verdict(tmp_path: Path) -> None:
    study = sw.Study.create(tmp_path / "study", plan(n_max=30))
    study.lock(who="ada")

    while not study.finished:
        for station in ("left", "right"):
            trial = study.next_trial(station)
            if trial is not None:
                success = study.resolve(trial.code).policy == "new"
                study.record(trial.trial, success, station=station)

    study.unblind(who="ada")
    assert study.verdict().sentence.startswith("new is better than old")
    assert sw.Study.open(tmp_path / "study").verdict() == study.verdict()

"""Studies with stored trials of a policy: these are imported, and only the others are tried."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import NotAllowed
from tests.study.live import locked, take

STORED: dict[str, Any] = {"stored": {"old": 90}, "n_max": 40}


def trials_of(policy: str, scores: Any) -> sw.Trials:
    columns = {"policy": [policy] * len(scores), "score": list(scores)}
    return sw.read_trials(columns, bounds=(0, 1))


def scores_of(rate: float, number: int, seed: int = 0) -> list[float]:
    found: list[float] = (np.random.default_rng(seed).random(number) < rate).astype(float).tolist()
    return found


def begun(place: str, old: list[float] | None = None, **changes: Any) -> sw.Study:
    study = locked(place, **{**STORED, **changes})
    old = scores_of(0.4, 90) if old is None else old
    study.add_trials(trials_of("old", old), source="last month", reason="stored")
    return study


def run(study: sw.Study, rates: dict[str, float], seed: int = 1) -> dict[str, list[float]]:
    """Run a study to its end; return the scores of each policy that was tried."""
    rng = np.random.default_rng(seed)
    tried: dict[str, list[float]] = {}
    while (trial := study.next_trial("left")) is not None:
        policy = study.resolve(trial.code).policy
        success = bool(rng.random() < rates[policy])
        tried.setdefault(policy, []).append(float(success))
        study.record(trial.trial, success, station="left")
    return tried


def test_study_rule_race_and_file_say_the_same(tmp_path: Path) -> None:
    with begun(str(tmp_path / "x")) as study:
        tried = run(study, {"new": 0.75})
        assert tried.keys() == {"new"}
        study.unblind()
        verdict, analysis = study.verdict(), study.analyses()["stack"]
        assert study.verify().sound
    old, new = scores_of(0.4, 90), tried["new"]
    rule = sw.StopRule(["old", "new"], stored={"old": old}, n_max=40)
    for score in new:
        assert rule.needed == ("new",)
        rule.add("new", score)
    filed = sw.analyze({"old": old, "new": new}, stored="old", n_max=40, bounds=(0, 1))

    assert rule.stop
    assert verdict.tasks[0].rows == rule.rows == len(new)
    assert verdict.tasks[0].pairs[0].better == rule.analysis().pairs[0].better == "new"
    for found in (analysis, filed):
        assert found.pairs[0].p_value == rule.analysis().pairs[0].p_value
        assert found.sentence == rule.analysis().sentence
    assert any("conditions of today" in note for note in analysis.warnings)


def test_stored_trials_come_first_and_as_declared(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "x"), **STORED)
    with pytest.raises(NotAllowed, match="import them before the first trial"):
        study.next_trial("left")
    with pytest.raises(NotAllowed, match="declares 90 stored trials of 'old', but there are 89"):
        study.add_trials(trials_of("old", [1.0] * 89), source="a", reason="b")
    with pytest.raises(NotAllowed, match="no stored trials of 'new'"):
        study.add_trials(trials_of("new", [1.0] * 3), source="a", reason="b")
    study.add_trials(trials_of("old", scores_of(0.4, 90)), source="a", reason="b")
    with pytest.raises(NotAllowed, match="have been imported already"):
        study.add_trials(trials_of("old", scores_of(0.4, 90, 7)), source="c", reason="d")
    assert study.resolve(take(study).code).policy == "new"

"""Studies of one policy against a number."""

from pathlib import Path
from typing import Any

import pytest

import stopwise as sw

PLAN: dict[str, Any] = {
    "name": "pick",
    "policies": ["new"],
    "reference": 0.6,
    "tasks": ["pick"],
    "method": "step",
    "n_max": 40,
}


@pytest.mark.parametrize("design", ["independent", "blocks"])
@pytest.mark.parametrize("policies", [["new"], ["new", "newer"]])
def test_a_study_tries_only_its_policies(tmp_path: Path, design: str, policies: list[str]) -> None:
    plan = {**PLAN, "design": design, "policies": policies}
    study = sw.Study.create(f"sqlite:///{tmp_path}/one.db", plan)
    study.lock()
    names, count = set(), 0
    while (trial := study.next_trial("left")) is not None:
        names.add(study.resolve(trial.code).policy)
        study.record(trial.trial, count % 8 > 0, station="left")
        count += 1
    assert names == set(policies)
    verdict = study.verdict()
    assert verdict.finished
    assert "is better than 0.6" in verdict.sentence
    assert len(study.trials()) == count
    assert study.status().counted == count == study.analyses()["pick"].trials_used
    assert not study.verify().problems
    study.unblind()
    again = sw.Study.open(f"sqlite:///{tmp_path}/one.db")
    assert "new is better than 0.6" in again.verdict().sentence
    assert again.analyses()["pick"].rules.reference == 0.6
    assert "0.6" in again.report()

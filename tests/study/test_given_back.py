"""What becomes of a trial that is given back, and of a score that is withdrawn."""

from collections.abc import Callable
from pathlib import Path

import pytest

import stopwise as sw
from stopwise.study.views import Assignment
from tests.study.live import Clock, locked, policy_of, score_one, take

NUMBER = {"name": "pour", "score": {"kind": "number", "low": 20, "high": 50}}
BEGIN: dict[str, Callable[[sw.Study, Assignment], object]] = {
    "started": lambda study, trial: study.start(trial.trial, station="left"),
    "resolved": lambda study, trial: study.resolve(trial.code),
}


@pytest.mark.parametrize("begin", BEGIN)
def test_a_begun_trial_counts_as_the_worst_score(tmp_path: Path, begin: str) -> None:
    """Catches "retry until success": the slot is settled, and nobody runs it again."""
    study = locked(str(tmp_path / "study"), tasks=[NUMBER], n_max=2)
    trial = take(study)
    BEGIN[begin](study, trial)

    study.release(trial.trial, station="left", reason="the gripper was stuck")

    other = take(study)
    assert policy_of(study, other.trial) != policy_of(study, trial.trial)
    study.record(other.trial, 30, station="left")
    assert sorted(study.trials().frame["score"]) == [20, 30]
    status = study.status()
    assert (status.scored, status.counted, status.duplicates) == (1, 2, 0)
    record = study.records().row(0, named=True)
    assert (record["status"], record["used"], record["score"]) == ("released", True, 20)
    assert study.verify().sound
    assert "20" not in str(study.journal()[-3].event.shown(blinded=True))
    with pytest.raises(sw.NotAllowed, match="is released, not scored"):
        study.correct(trial.trial, 50, "it was fine")
    with pytest.raises(sw.NotAllowed, match="is released, not leased"):
        study.record(trial.trial, 50, station="left")


def test_a_reason_is_always_asked_for(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"))
    trial = take(study)
    for reason in ("", "  "):
        with pytest.raises(sw.InvalidInput, match="giving back a trial needs a reason"):
            study.release(trial.trial, station="left", reason=reason)
    study.record(trial.trial, True, station="left")
    with pytest.raises(sw.InvalidInput, match="correcting a score needs a reason"):
        study.correct(trial.trial, False, " ")


def test_resolving_begins_a_trial_once(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"))
    trial = take(study)
    found = [study.resolve(trial.code, who="robot") for _ in range(3)]

    assert len(set(map(str, found))) == 1
    kinds = [(entry.kind, entry.who) for entry in study.journal()[-2:]]
    assert kinds == [("assigned", "left"), ("started", "robot")]


@pytest.mark.parametrize("begin", BEGIN)
def test_a_begun_trial_whose_lease_ran_out_counts_as_the_worst(
    tmp_path: Path, begin: str, clock: Clock
) -> None:
    """Catches "wait until it is handed out again": nobody gets a second try."""
    study = locked(str(tmp_path / "study"), clock, tasks=[NUMBER], n_max=2)
    trial = take(study)
    BEGIN[begin](study, trial)
    clock.time += 31 * 60

    other = take(study, "right")

    assert policy_of(study, other.trial) != policy_of(study, trial.trial)
    assert [entry.kind for entry in study.journal()[-2:]] == ["released", "assigned"]
    record = study.records().row(0, named=True)
    assert (record["status"], record["score"]) == ("released", 20)
    assert study.verify().sound
    # Whoever may choose when a result comes, and whether, could see what it does to the study.
    with pytest.raises(sw.NotAllowed, match="the lease of trial 1 ran out"):
        study.record(trial.trial, 45, station="left")
    study.record(other.trial, 30, station="right")
    assert sorted(study.trials().frame["score"]) == [20, 30]
    assert study.verify().sound
    study.void(trial.trial, "the network was down")
    score_one(study, 45)
    assert sorted(study.trials().frame["score"]) == [30, 45]

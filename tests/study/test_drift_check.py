"""The drift check: a policy beside those compared, tried each day, and what its trend says."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.study.study_plan import StudyPlan
from stopwise.study.study_report import chapters
from stopwise.web.evidence_cache import Shown
from tests.study.live import Clock, locked
from tests.study.plans import plan
from tests.study.scripted import fix_draws

CHECK = {"name": "scripted", "run": "play fixed.txt", "per_day": 2}
HALF_A_DAY = 13 * 3600


def arm_of(study: sw.Study, trial: int) -> str:
    with study._ledger.reading() as state:
        return state.trials[trial - 1].arm


def run(
    study: sw.Study, trials: int, scores: dict[str, Any] | None = None, station: str = "left"
) -> list[tuple[int, str]]:
    """Run trials, each scored by its label; return the row and label of each."""
    found = []
    for _ in range(trials):
        taken = study.next_trial(station)
        assert taken is not None
        arm = arm_of(study, taken.trial)
        study.record(taken.trial, (scores or {}).get(arm, taken.trial % 2 == 0), station=station)
        with study._ledger.reading() as state:
            found.append((state.trials[taken.trial - 1].row, arm))
    return found


def test_the_first_rows_of_a_day_have_a_trial_of_it_in_random_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_draws(monkeypatch)
    clock = Clock()
    study = locked(str(tmp_path / "study"), clock, n_max=40, drift_check=CHECK)
    days = []
    for _ in range(4):
        days.append(run(study, 10))
        clock.time += HALF_A_DAY
    for day in days:
        assert Counter(arm for _, arm in day) == {"A": 4, "B": 4, "drift check": 2}
        first = min(row for row, _ in day)
        assert {row for row, arm in day if arm == "drift check"} == {first, first + 1}
    places = [[arm for _, arm in day].index("drift check") for day in days]
    assert len(set(places)) > 1  # an operator cannot tell by the place in the row
    assert study.verify().sound


def test_it_is_run_like_the_others_and_not_compared(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"), n_max=3, drift_check=CHECK)
    assert study.policies() == ("old", "new", "scripted")
    taken = study.next_trial("left")
    while taken is not None:
        study.start(taken.trial, station="left")
        found = study.begin_episode(taken.trial, f"episode {taken.trial}")
        scripted = arm_of(study, taken.trial) == "drift check"
        assert (found.policy == "scripted") == scripted
        assert found.run == (CHECK["run"] if scripted else None)
        assert not any(name in str(taken.to_dict()) for name in ("scripted", "drift"))
        study.end_episode(taken.trial, f"episode {taken.trial}")
        study.record(taken.trial, True, station="left")
        taken = study.next_trial("left")
    assert study.finished
    verdict = study.verdict()
    assert [{pair.policy0, pair.policy1} for pair in verdict.tasks[0].pairs] == [{"A", "B"}]
    assert verdict.tasks[0].rows == 3
    assert study.overshoot() == {}
    assert set(study.exported()["policy"]) == {"A", "B"}
    other = sw.Trials.from_columns({"policy": ["scripted", "old"], "score": [1.0, 1.0]})
    with pytest.raises(sw.StopwiseError, match="scripted"):
        study.add_trials(other, source="x", reason="x")
    study.unblind()
    frame = study.records()
    assert Counter(frame["policy"]) == {"old": 3, "new": 3, "scripted": 2}
    assert set(frame.filter(frame["policy"] == "scripted")["used"]) == {False}
    assert set(study.trials().frame["policy"]) == {"old", "new"}
    assert "scripted" not in study.analyses()["stack"].order_text
    (day,) = (chapter for chapter in chapters(study) if chapter.title == "Trials by day")
    assert (day.columns[-1], day.rows[0][-1]) == ("mean of scripted", "1")  # on one day, too
    assert study.verify().sound


def test_with_blocks_each_station_has_its_own_and_conditions_are_drawn_afresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fix_draws(monkeypatch)
    listed = {"name": "stack", "conditions": {"listed": ["a", "b"]}}
    study = locked(
        str(tmp_path / "study"), design="blocks", tasks=[listed], n_max=30, drift_check=CHECK
    )
    for station in ("left", "right"):
        assert Counter(arm for _, arm in run(study, 12, station=station))["drift check"] == 2
    with study._ledger.reading() as state:
        conditions: dict[int, set[str | None]] = {}
        for trial in state.trials:
            conditions.setdefault(trial.row, set()).add(trial.condition)
    assert all(len(own) == 1 for own in conditions.values())  # also of the one that is not compared
    drawn = [own.pop() for own in conditions.values()]
    assert any(drawn[row] == drawn[row + 1] for row in range(0, len(drawn) - 1, 2))
    assert study.verify().sound


def test_one_that_is_given_back_or_voided_is_dealt_with_like_any_other(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"), n_max=30, drift_check={**CHECK, "per_day": 1})
    taken = study.next_trial("left")
    while taken is not None and arm_of(study, taken.trial) != "drift check":
        study.record(taken.trial, True, station="left")
        taken = study.next_trial("left")
    assert taken is not None
    study.release(taken.trial, station="left", reason="the lamp fell")
    again = run(study, 9)
    assert [arm for _, arm in again].count("drift check") == 1  # its place is free again
    number = next(n for n in range(1, 20) if arm_of(study, n) == "drift check" and n > taken.trial)
    study.void(number, "wrong scene")
    assert Counter(arm for _, arm in run(study, 3))["drift check"] == 1
    assert study.verify().sound


def drifting(place: Path, scores: list[dict[str, bool]], **changes: Any) -> sw.Study:
    """Run a day for each of these ways in which trials go."""
    clock = Clock()
    study = locked(str(place / "study"), clock, n_max=300, **changes)
    for day in scores:
        run(study, 15, day)
        clock.time += HALF_A_DAY
    return study


STEADY = {"A": True, "B": True}
GOOD, BAD = {**STEADY, "drift check": True}, {**STEADY, "drift check": False}


def test_a_check_that_falls_is_a_doubt_beside_the_verdict(tmp_path: Path) -> None:
    many = {**CHECK, "per_day": 5}
    study = drifting(tmp_path, [GOOD] * 2 + [BAD] * 3, drift_check=many)
    verdict = study.verdict()
    (doubt,) = verdict.doubts
    assert doubt.startswith("The scores of the drift check fell along the study: conditions have")
    assert "The verdict stays valid, since policies are compared within rows" in doubt
    assert verdict.to_dict()["doubts"] == [doubt]
    assert doubt in Shown.of(study).page
    study.unblind()
    page = study.report()
    assert "The scores of the drift check fell" in page
    assert "mean of scripted" in page
    steady = drifting(tmp_path / "other", [GOOD] * 5, drift_check=many)
    assert steady.verdict().doubts == ()


def test_what_all_policies_do_together_needs_no_check(tmp_path: Path) -> None:
    """But not where a list of conditions is gone through in turn: rows are then no fresh draws."""
    fell = [STEADY] * 2 + [{"A": False, "B": False}] * 2
    study = drifting(tmp_path, fell)
    (doubt,) = study.verdict().doubts
    assert doubt.startswith("The scores of all policies together fell along the study")
    task = {"name": "stack", "conditions": {"listed": ["a", "b"]}}
    in_turn = drifting(tmp_path / "in turn", fell, tasks=[task], design="blocks")
    assert in_turn.verdict().doubts == ()
    opposed = [{"A": True, "B": False}] * 2 + [{"A": False, "B": True}] * 2
    assert drifting(tmp_path / "opposed", opposed, alpha=1e-12).verdict().doubts == ()


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"drift_check": {"name": "old"}}, "needs a policy that is not compared, but 'old' is"),
    ({"drift_check": {"name": "x", "task": "pour"}}, "task of drift_check must be one of"),
    ({"drift_check": {"name": "x", "per_day": 0}}, "greater than or equal to 1"),
    (
        {"drift_check": {"name": "x"}, "design": "blocks",
         "tasks": [{"name": "stack", "score": "preference"}]},
        "scored one by one",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "complaint"), FAULTS)
def test_a_check_that_makes_no_sense_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        StudyPlan.model_validate(plan(**changes))

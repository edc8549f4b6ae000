"""Rows that are judged by preference: two trials, one answer, given with the second."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import stopwise as sw
from stopwise.study.study_plan import StudyPlan
from tests.study.live import Clock, locked, policy_of, score_one, take
from tests.study.plans import plan

PREFERENCE: dict[str, Any] = {
    "design": "blocks",
    "tasks": [{"name": "fold", "score": "preference"}],
    "n_max": 100,
}
ALONE = {"kind": "preference", "lower_is_better": False}  # the rubric of a first trial
WINNER = {0.0: "first", 1.0: "second", 0.5: "tie"}


def preferring(place: Path, clock: Clock | None = None, **changes: Any) -> sw.Study:
    return locked(str(place / "study"), clock, **{**PREFERENCE, **changes})


def judge(study: sw.Study, won: float | str, station: str = "left") -> tuple[int, int]:
    """Run a row, in which the policy "new" wins so much, or the answer is this one."""
    first = score_one(study, "done", station)
    second = take(study, station)
    if not isinstance(won, str):
        won = WINNER[won if policy_of(study, second.trial) == "new" else 1.0 - won]
    study.record(second.trial, won, station=station)
    return first.trial, second.trial


def settled(study: sw.Study) -> list[float]:
    """Shares won by the policy "new", row by row."""
    used = study.records().filter(pl.col("used")).sort("row").select("trial", "score")
    return [score for trial, score in used.iter_rows() if policy_of(study, trial) == "new"]


def test_a_study_of_preferences_is_the_test_of_wins(tmp_path: Path) -> None:
    """Catches an answer that goes to the wrong policy in one of the two orders, or to one only."""
    won = np.random.default_rng(3).choice([0.0, 0.5, 1.0], 100, p=[0.2, 0.1, 0.7])
    settings: Any = {"design": "paired", "alternative": "two-sided", "ties": "strict"}
    test = sw.SequentialTest(by="wins", n_max=100, **settings)
    orders = set()
    with preferring(tmp_path) as study:
        for share in won:
            first, _ = judge(study, float(share))
            orders.add(policy_of(study, first))
            verdict = test.update(1.0 - share, share)
            (pair,) = study.verdict().tasks[0].pairs
            assert pair.p_value == pytest.approx(verdict.p_value)
            if verdict.decided:
                break
        assert orders == {"old", "new"}
        assert study.finished
        assert settled(study) == won[: verdict.n].tolist()
        study.unblind()
        found = study.verdict()
        assert found.tasks[0].pairs[0].better == "new"
        assert "which says who wins more often" in found.sentence
        assert "wins more often" in study.analyses()["fold"].sentence
        assert "wins more often" in study.report()
        assert sw.analyze(study.trials(), n_max=100).sentence == study.analyses()["fold"].sentence
        study.exported(used=True).write_csv(tmp_path / "used.csv")
        assert study.verify().sound
    again = sw.analyze(sw.read_trials(tmp_path / "used.csv"), n_max=100)  # not as independent
    assert "wins more often on the rows that they share" in again.sentence
    assert again.pairs[0].p_value == pytest.approx(found.tasks[0].pairs[0].p_value)
    with sw.Study.open(tmp_path / "study") as study:
        assert study.verdict() == found


def test_the_second_trial_is_told_what_it_is_compared_with(tmp_path: Path) -> None:
    with preferring(tmp_path) as study:
        first = take(study)
        assert first.rubric == ALONE
        for early in ("first", "tie"):
            with pytest.raises(sw.NotAllowed, match="no other trial of its row was run before"):
                study.record(first.trial, early, station="left")
        for wrong in (True, "A", 1, None, ["first"]):
            with pytest.raises(sw.InvalidInput, match="must be one of first, second, tie, but got"):
                study.record(first.trial, wrong, station="left")
        recorded = study.record(first.trial, "done", station="left")
        assert (recorded.score, recorded.counted) == (None, False)
        assert (study.status().scored, study.status().duplicates) == (0, 0)
        second = take(study)
        assert second.rubric == {**ALONE, "first": first.code}
        assert take(study, "right").rubric == ALONE
        with pytest.raises(sw.NotAllowed, match="is the second of its row: say which was better"):
            study.record(second.trial, "done", station="left")
        for wrong in (True, "A", 1, None, ["first"]):
            with pytest.raises(sw.InvalidInput, match="one of first, second, tie, but got"):
                study.record(second.trial, wrong, station="left")
        study.record(second.trial, "second", station="left")
        assert study.status().counted == 2
        shown = [entry.event.shown(blinded=True) for entry in study.journal()]
        assert not any({"score", "answer", "arm"} & set(content) for content in shown)


def test_an_answer_is_corrected_for_both(tmp_path: Path) -> None:
    with preferring(tmp_path) as study:
        first, second = judge(study, 1.0)
        assert settled(study) == [1.0]
        study.correct(second, "tie", "tapped wrongly")
        assert settled(study) == [0.5]
        with pytest.raises(sw.NotAllowed, match=f"judged together with trial {second}"):
            study.correct(first, "tie", "it was better")
        for number in (first, second):
            with pytest.raises(sw.NotAllowed, match=f"trial {second} was corrected before"):
                study.void(number, "the lights went out")
        third = score_one(study, "done")
        with pytest.raises(sw.NotAllowed, match="has no score yet"):
            study.correct(third.trial, "done", "it was not")
        fourth = score_one(study, "second")
        study.correct(fourth.trial, "first", "mixed them up")
        assert settled(study)[1] == (0.0 if policy_of(study, fourth.trial) == "new" else 1.0)
        assert study.verify().sound


def test_a_trial_that_is_given_back_has_lost(tmp_path: Path) -> None:
    with preferring(tmp_path) as study:
        first = take(study)
        study.start(first.trial, station="left")
        with pytest.raises(sw.NotAllowed, match="has begun: say that it is done"):
            study.release(first.trial, station="left", reason="it went badly")
        study.record(first.trial, "done", station="left")
        second = take(study)
        study.release(second.trial, station="left", reason="not begun")
        second = take(study)
        assert second.rubric["first"] == first.code
        study.start(second.trial, station="left")
        study.release(second.trial, station="left", reason="the cable")
        assert settled(study) == [0.0 if policy_of(study, second.trial) == "new" else 1.0]
        assert take(study).rubric == ALONE
        study.void(first.trial, "the cable came off")
        assert study.status().counted == 0
        assert study.verify().sound


@pytest.mark.parametrize("done", [True, False])
def test_a_first_trial_that_was_seen_is_not_got_rid_of_by_waiting(
    tmp_path: Path, done: bool
) -> None:
    """Catches "wait until a first one that looked bad is run anew"; only the owner can void it."""
    clock = Clock()
    with preferring(tmp_path, clock) as study:
        first = take(study)
        study.start(first.trial, station="left")
        if done:
            study.record(first.trial, "done", station="left")
        clock.time += 31 * 60

        other = take(study, "right")

        assert "first" not in other.rubric
        assert study.records().filter(pl.col("trial") == other.trial)["row"].to_list() == [2]
        if not done:
            study.record(first.trial, "done", station="left")
        second = take(study)
        assert second.rubric["first"] == first.code
        study.record(second.trial, "first", station="left")
        assert settled(study) == [policy_of(study, first.trial) == "new"]
        assert study.verify().sound


def test_preferences_are_imported(tmp_path: Path) -> None:
    pairs = pl.DataFrame(
        {"policy_a": ["old", "new"] * 4, "policy_b": ["new", "old"] * 4, "winner": ["B", "tie"] * 4}
    )
    with preferring(tmp_path) as study:
        trials = sw.read_trials(pairs)
        assert study.add_trials(trials, source="pilot", reason="a pilot") == 16
        assert settled(study) == [1.0, 0.5] * 4
        judge(study, 0.0)
        assert settled(study) == [*[1.0, 0.5] * 4, 0.0]
        scores = {"policy": ["old", "new"], "score": [0.2, 0.9], "block": ["1", "1"]}
        wrong = sw.Trials.from_columns(scores, bounds=(0, 1))
        with pytest.raises(
            sw.InvalidInput, match=r"1/2 twice, in each row, but row 1 has 0\.2, 0\.9"
        ):
            study.add_trials(wrong, source="pilot", reason="a pilot")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"design": "independent"}, "the plan needs design: blocks"),
        ({"policies": ["a", "b", "c"]}, "compares two policies, but the plan has 3"),
        ({"policies": ["a"], "reference": 0.5}, "compares two policies, but the plan has 1"),
        ({"tasks": [{"name": "x", "score": {"kind": "preference", "lower_is_better": True}}]},
         "leave lower_is_better out"),
        ({"tasks": [{"name": n, "score": "preference"} for n in "xy"], "over_tasks": "mean"},
         "it has no mean over tasks"),
        ({"goal": "best"}, "a best policy need not exist"),
        ({"method": "step"}, "step is proven only for the independent design"),
    ],
)  # fmt: skip
def test_a_plan_that_cannot_be_judged_by_preference(changes: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        StudyPlan.model_validate(plan(**{**PREFERENCE, **changes}))

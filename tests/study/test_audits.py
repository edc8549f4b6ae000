"""A judge in a study: it scores every trial, and people those of rows that a lot picks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput, NotAllowed
from stopwise.study.events import AuditDrawn, Judged, Scored
from stopwise.study.recording_report import judge_chapter
from tests.cli import typed
from tests.study.live import Clock, locked, policy_of, take
from tests.study.plans import AUDIT, CHANCE, plan
from tests.study.scripted import PHOTO

RATES = {"old": 0.2, "new": 0.8}


@pytest.fixture
def study(tmp_path: Path) -> sw.Study:
    return locked(str(tmp_path / "study"), **AUDIT)


def run_one(study: sw.Study, judged: float = 0.5, station: str = "left") -> int:
    """Run one trial, have it judged, and say that it is over."""
    trial = take(study, station)
    assert trial.rubric == {"kind": "judge"}
    study.start(trial.trial, station=station)
    study.judge(trial.trial, judged)
    study.record(trial.trial, "done", station=station)
    return int(trial.trial)


def run_row(study: sw.Study) -> list[int]:
    return [run_one(study) for _ in range(2)]


def until(study: sw.Study, *, audited: bool) -> list[int]:
    """Run rows until the lot of one is as wanted; return its trials."""
    for _ in range(60):
        while (asked := study.next_trial("left")) is not None and asked.rubric["kind"] != "judge":
            study.record(asked.trial, True, station="left")
        trials = run_row(study)
        trial = study.next_trial("left")
        if (trial is not None and trial.rubric["kind"] != "judge") == audited:
            return trials
    raise AssertionError("the lot is never as wanted")


def test_a_study_says_what_a_stream_says_row_by_row(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"), **{**AUDIT, "n_max": 25})
    test = sw.SequentialTest(
        n_max=25, design="paired", alternative="two-sided", ties="strict", audit=CHANCE
    )
    rng, outcomes = np.random.default_rng(0), {}
    row: dict[str, bool] = {}
    guesses: dict[str, float] = {}
    asked = 0
    while (trial := study.next_trial("left")) is not None:
        policy = policy_of(study, trial.trial)
        if trial.rubric["kind"] == "judge":
            if len(row) == 2:  # the row before was not audited
                test.update(None, None, proxy=(guesses["old"], guesses["new"]))
                row, guesses = {}, {}
            outcomes[trial.trial] = row[policy] = bool(rng.random() < RATES[policy])
            guesses[policy] = float(np.clip(0.6 * row[policy] + 0.4 * rng.random(), 0, 1))
            study.start(trial.trial, station="left")
            study.record(trial.trial, "done", station="left")
            study.judge(trial.trial, guesses[policy])
            continue
        asked += 1
        assert trial.rubric == {"kind": "binary", "audited": True}
        study.record(trial.trial, outcomes[trial.trial], station="left")
        if asked % 2 == 0:
            test.update(
                float(row["old"]), float(row["new"]), proxy=(guesses["old"], guesses["new"])
            )
            row, guesses = {}, {}
            (found,) = study.verdict().tasks
            assert found.pairs[0].p_value == pytest.approx(test.verdict.p_value, rel=1e-9)
    assert study.finished
    assert study.verify().problems == ()
    assert asked == 2 * sum(
        entry.event.audited for entry in study.journal() if isinstance(entry.event, AuditDrawn)
    )
    again = sw.Study.open(study.folder or "")
    assert again.verdict() == study.verdict()


def test_nobody_can_know_the_lot_before_a_row_is_over_and_judged(study: sw.Study) -> None:
    """The lot comes after everything that it must not bend, in every row, audited or not."""
    audited, other = until(study, audited=True), until(study, audited=False)
    events = [entry.event for entry in study.journal()]
    for trials in (audited, other):
        last = max(
            place
            for place, event in enumerate(events)
            if (isinstance(event, Judged) or (isinstance(event, Scored) and event.score is None))
            and event.trial in trials
        )
        row = study.records().filter(trial=trials[0])["row"][0] - 1
        (drawn,) = (
            place
            for place, event in enumerate(events)
            if isinstance(event, AuditDrawn) and event.row == row
        )
        assert drawn > last


def test_a_lot_waits_for_the_judge(study: sw.Study) -> None:
    first = run_one(study)
    second = take(study)
    study.start(second.trial, station="left")
    study.record(second.trial, "done", station="left")
    assert study.verdict().tasks[0].proxy.endswith(" 1 trial waits for the judge.")
    third = take(study)  # the robot need not wait
    assert third.rubric == {"kind": "judge"}
    assert not any(entry.kind == "audit drawn" for entry in study.journal())
    assert typed.study("judge", study.folder or "", str(second.trial), "0.25").exit_code == 0
    assert study.verdict().tasks[0].proxy.endswith("people's scores.")
    study.start(third.trial, station="left")
    assert take(study).trial == third.trial  # what is under way comes first
    study.judge(third.trial, 1.0)
    study.record(third.trial, "done", station="left")
    asked = take(study)
    (drawn,) = (e.event for e in study.journal() if isinstance(e.event, AuditDrawn))
    assert (asked.trial == first) == drawn.audited


def test_lots_are_drawn_in_the_order_of_rows(study: sw.Study) -> None:
    """A judge that withholds a row would else learn from later ones what to say of it."""
    first = take(study)
    study.record(first.trial, "done", station="left")  # the timer was forgotten
    for _ in range(5):
        run_one(study)
    take(study)
    assert not any(entry.kind == "audit drawn" for entry in study.journal())
    study.judge(first.trial, 0.5)
    take(study)
    rows = [e.event.row for e in study.journal() if isinstance(e.event, AuditDrawn)]
    assert rows == [0, 1, 2]
    assert study.verify().problems == ()


@pytest.mark.parametrize("late", [False, True])
def test_a_judge_that_may_have_seen_later_rows_is_doubted(study: sw.Study, *, late: bool) -> None:
    run_one(study)
    second = take(study)
    study.start(second.trial, station="left")
    study.record(second.trial, "done", station="left")
    third = study.next_trial("right")
    assert third is not None
    if late:
        study.start(third.trial, station="right")
        study.void(third.trial, "the cable broke")  # what was seen stays seen
    study.judge(second.trial, 0.5)
    said = "1 row was judged after trials of later rows had begun: the verdict rests on a judge"
    assert [said in doubt for doubt in study.verdict().doubts if "judge" in doubt] == [True] * late
    assert sw.Study.open(study.folder or "").verdict() == study.verdict()
    assert study.verify().problems == ()


def test_with_look_ahead_0_no_judge_has_seen_later_rows(tmp_path: Path) -> None:
    study = locked(str(tmp_path / "study"), **{**AUDIT, "look_ahead": 0})
    run_one(study)
    second = take(study)
    study.start(second.trial, station="left")
    study.record(second.trial, "done", station="left")
    assert study.next_trial("left") is None
    assert study.next_trial("right") is None
    study.judge(second.trial, 0.5)
    until(study, audited=True)
    assert study.verdict().doubts == ()


def test_what_is_known_to_be_audited_can_neither_be_voided_nor_given_back(study: sw.Study) -> None:
    for audited in (False, True):
        trial = until(study, audited=audited)[0]
        with pytest.raises(NotAllowed, match="too late to void"):
            study.void(trial, "the cable broke")
    with pytest.raises(NotAllowed, match="enter its score"):
        study.release(trial, station="left", reason="no idea")
    with pytest.raises(NotAllowed, match="run already"):
        study.begin_episode(trial, "0001-ab")
    study.record(trial, True, station="left")
    study.correct(trial, False, "a slip of the finger")
    assert study.records().filter(trial=trial)["score"].item() == 0.0
    with pytest.raises(NotAllowed, match="was not audited"):
        study.correct(until(study, audited=False)[0], True, "I saw it")


def test_before_that_a_trial_can_be_voided_and_is_judged_anew(study: sw.Study) -> None:
    first = run_one(study, judged=0.9)
    study.void(first, "the cable broke")
    with pytest.raises(NotAllowed, match="cannot stay empty"):
        study.void(take(study).trial, "the cable broke", redraw=False)
    again = run_one(study, judged=0.1)
    assert study.records().filter(trial=again)["proxy"].item() == 0.1
    with pytest.raises(NotAllowed, match="voided"):
        study.judge(first, 0.5)


def test_a_trial_that_is_given_back_counts_as_the_worst_if_people_are_asked(
    tmp_path: Path,
) -> None:
    clock = Clock()
    study = locked(f"sqlite:///{tmp_path}/study.db#cups", clock, **AUDIT)
    for number in range(20):
        trial = take(study)
        study.start(trial.trial, station="left")
        if number % 2:
            study.release(trial.trial, station="left", reason="it hangs")
        else:
            clock.time += 31 * 60
        take(study)
        with pytest.raises(NotAllowed, match="needs no judge any more"):
            study.judge(trial.trial, 0.5)
        run_one(study)
        asked = study.next_trial("left")
        if asked is not None and asked.rubric["kind"] != "judge":
            study.record(asked.trial, True, station="left")
    given = study.records().filter(status="released")
    assert set(given["score"].drop_nulls()) == {0.0}
    assert (given["proxy"] == 0.0).all()
    assert study.verify().problems == ()
    assert study.verdict().tasks[0].rows >= 19


def test_an_audit_waits_however_long_and_the_owner_may_answer(tmp_path: Path) -> None:
    clock = Clock()
    study = locked(f"sqlite:///{tmp_path}/study.db#cups", clock, **AUDIT)
    trials = until(study, audited=True)
    clock.time += 24 * 3600
    assert take(study).trial == trials[0]
    assert take(study, "right").trial not in trials
    study.record(trials[0], True)
    assert take(study).trial == trials[1]


@pytest.mark.parametrize("given_back", ["worst", "again"])
def test_whatever_happens_every_row_has_one_lot_and_the_journal_holds(
    tmp_path: Path, given_back: str
) -> None:
    """Three stations, late judges, trials given back, left, voided and corrected, at random."""
    clock, rng = Clock(), np.random.default_rng(len(given_back))
    place = f"sqlite:///{tmp_path}/study.db#cups"
    more = {"policies": ["a", "b", "c"], "n_max": 8, "given_back": given_back}
    study = locked(place, clock, **{**AUDIT, **more})
    unjudged: list[int] = []
    while not study.finished:
        clock.time += 600
        station = str(rng.integers(3))
        if unjudged and rng.random() < 0.5:
            study.judge(unjudged.pop(), float(rng.random()))
            continue
        trial = study.next_trial(station)
        if trial is None:
            continue
        if trial.rubric["kind"] != "judge":
            study.record(trial.trial, bool(rng.random() < 0.5), station=station)
            if rng.random() < 0.2:
                study.correct(trial.trial, bool(rng.random() < 0.5), "a slip")
            continue
        study.start(trial.trial, station=station)
        match rng.integers(6):
            case 0:
                study.release(trial.trial, station=station, reason="hot")
            case 1:
                study.void(trial.trial, "the cable broke")
            case 2 if rng.random() < 0.5:
                clock.time += 31 * 60
            case _:
                study.record(trial.trial, "done", station=station)
                unjudged.append(trial.trial)
    drawn = [e.event.row for e in study.journal() if isinstance(e.event, AuditDrawn)]

    assert sorted(drawn) == list(range(8))
    assert study.verdict().tasks[0].rows == 8
    assert study.verify().problems == ()
    assert sw.Study.open(place).verdict() == study.verdict()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"design": "independent"}, "needs design: blocks"),
        ({"audit": 1.0}, "must be below 1"),
        ({"audit": 0}, "must be above 0"),
        ({"goal": "best"}, "goes with the goal 'order'"),
        ({"method": "wsr"}, "takes no proxy"),
        ({"proxy": {"stack": {"left": {"old": 0.5, "new": 0.5}}}}, "leave proxy out"),
        ({"tasks": ["stack", "pour"], "over_tasks": "mean"}, "belong to one task"),
        ({"tasks": [{"name": "stack", "score": "preference"}]}, "goes with means"),
    ],
)
def test_what_does_not_go_with_an_audit_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(InvalidInput, match=says):
        sw.Study.create(tmp_path / "study", {**plan(**AUDIT), **changes})


def test_with_the_secret_revealed_nothing_more_is_run_or_judged(study: sw.Study) -> None:
    trials = until(study, audited=True)
    study.record(trials[0], True, station="left")
    other = take(study, "right")
    study.start(other.trial, station="right")
    study.unblind()
    with pytest.raises(NotAllowed, match="too late for the judge"):
        study.judge(other.trial, 0.5)
    assert take(study).trial == trials[1]  # its lot was drawn before
    study.record(trials[1], True, station="left")
    with pytest.raises(NotAllowed, match="known which rows are audited"):
        study.next_trial("left")
    assert study.verify().problems == ()


def test_the_terminal_asks_only_about_trials_that_were_picked(study: sw.Study) -> None:
    folder = study.folder
    assert folder is not None
    trials = until(study, audited=True)
    found = typed.study("run", folder, "--station", "left", typed="y\nn\nquit\n")

    assert f"trial {trials[0]} (CODE" in found.output
    assert "was picked: how did it go?" in found.output
    assert f"saved: trial {trials[1]}, failure, score 0" in found.output
    assert "a judge scores it: type `done` when it is over" in found.output
    other = typed.study("run", folder, "--station", "left", typed="done\nquit\n")
    assert "saved: trial" in other.output


def test_the_report_compares_the_judge_with_people_and_names_it(study: sw.Study) -> None:
    folder = study.folder
    assert folder is not None
    said = "A judge scores every trial. People score whole rows, each picked at random"
    rng = np.random.default_rng(0)
    for trial in until(study, audited=True):
        study.record(trial, bool(rng.random() < 0.5), station="left")
    unasked = until(study, audited=False)[0]
    study.add_recording(unasked, [PHOTO])
    study.rate(unasked, True, who="Ben")

    assert said in study.verdict().to_dict()["tasks"][0]["proxy"]
    report = study.report().replace("&#39;", "'")
    assert said in report
    assert "The judge and people" in report
    (row,) = judge_chapter(study).rows
    assert row[0] == "stack"
    assert int(row[1]) >= 3  # two or more of people at the robot, one by a recording
    assert "no result yet" not in report
    assert "claims are about the scores of people" in study.analyses()["stack"].warnings[-1]


def test_a_study_in_which_no_row_was_picked_has_a_report_that_says_so(tmp_path: Path) -> None:
    """Of two tasks, and of one alone: what nobody has scored is not left out in silence."""
    never = {**AUDIT, "n_max": 1, "audit": 1e-12}
    study = locked(str(tmp_path / "study"), **{**never, "tasks": ["stack", "pour"]})
    with pytest.raises(NotAllowed, match="nothing to analyse yet"):
        study.report()
    for _ in range(4):
        run_one(study)
    assert study.next_trial("left") is None
    report = study.report()

    for task in ("stack", "pour"):
        assert f"Nothing can be said about {task}: after 1 row, no row was picked" in report
    assert "How the study was run" in report
    assert "For the methods section" not in report
    assert (
        study.verdict().tasks[0].proxy.endswith("No row was picked, so people have scored nothing.")
    )
    written = typed.study("report", study.folder or "", "--html", str(tmp_path / "report.html"))
    assert written.exit_code == 0, written.output

"""Studies that ask for the best: one verdict whichever way it is asked for, and late joiners."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.cli.study.evidence_chart import evidence_chart
from stopwise.questions.best_analysis import BestAnalysis
from stopwise.study.records import trial_table
from stopwise.study.study_plan import StudyPlan
from stopwise.study.verdict import verdict
from tests.guarantees.pinned import assert_at_most
from tests.study.live import take
from tests.study.simulation import Simulation, simulate

NAMES = ["10k", "20k", "30k", "40k"]
RATES = dict(zip(NAMES, (0.2, 0.4, 0.8, 0.9), strict=True))
CLEAR = dict(zip(NAMES, (0.1, 0.2, 0.3, 0.95), strict=True))
BEST: dict[str, Any] = {
    "name": "checkpoints",
    "policies": NAMES,
    "tasks": ["stack"],
    "goal": "best",
    "n_max": 60,
}
LATE = {**BEST, "later": ["40k"]}


def run(study: sw.Study, trials: int, seed: int = 0, stations: int = 1) -> None:
    """Run so many rounds of trials, all stations at once."""
    rng = np.random.default_rng(seed)
    for _ in range(trials):
        held = [(name, study.next_trial(name)) for name in map(str, range(stations))]
        for name, trial in reversed(held):
            if trial is not None:
                success = rng.random() < CLEAR[study.resolve(trial.code).policy]
                study.record(trial.trial, bool(success), station=name)


def outcome(answer: Any) -> tuple[object, ...]:
    """Return what is claimed, in any order of names."""
    return answer.best, set(answer.candidates), dict(answer.eliminated)


@pytest.mark.parametrize("design", ["independent", "blocks"])
@pytest.mark.parametrize("indifference", [0.0, 0.15])
@pytest.mark.parametrize("seed", [1, 4])
def test_study_file_and_rule_say_the_same(design: str, indifference: float, seed: int) -> None:
    """Also where results come late and out of order, and arms are left out of rows for a while."""
    plan = StudyPlan.model_validate({**BEST, "design": design, "indifference": indifference})
    simulation = Simulation(plan, RATES, seed).run()
    state, question = simulation.journal.state, simulation.contest()
    (task,) = verdict(state).tasks
    settings: dict[str, Any] = {"goal": "best", "indifference": indifference, "n_max": plan.n_max}

    kind = "paired" if design == "blocks" else "independent"
    filed = sw.analyze(trial_table(state, plan), **settings)
    rule = sw.StopRule(state.arms, design=kind, allocation="even", **settings)
    scores = dict(zip(state.arms, question.table().scores.T.tolist(), strict=True))
    while not rule.stop:
        for arm, places in rule.places.items():
            for number in places:
                score = scores[arm][number]
                rule.add(arm, None if math.isnan(score) else score, row=number)

    assert outcome(task) == outcome(question) == outcome(filed) == outcome(rule)
    assert (task.decided, task.rows) == (rule.decided, rule.rows)
    assert isinstance(filed, BestAnalysis)
    assert (filed.rows, set(filed.set_aside)) == (task.rows, set(task.set_aside))
    assert task.best is not None or task.rows == plan.n_max


@pytest.mark.parametrize("design", ["independent", "blocks"])
def test_the_exported_file_says_the_same(tmp_path: Path, design: str) -> None:
    """Trials are numbered as they were handed out, which is not the order of their slots."""
    rng = np.random.default_rng(0)
    with sw.Study.create(tmp_path / "x", {**BEST, "design": design}) as study:
        study.lock()
        for turn in range(1000):
            station = "abc"[turn % 3]
            trial = study.next_trial(station)
            if trial is None:
                break
            if rng.random() < 0.15:
                study.release(trial.trial, station=station, reason="hot")
            elif rng.random() < 0.85:
                success = rng.random() < RATES[study.resolve(trial.code).policy] - 0.1
                study.record(trial.trial, bool(success), station=station)
        study.unblind()
        frame = study.exported(used=True)
        assert not frame["trial"].is_sorted()
        frame.write_csv(tmp_path / "trials.csv")
        columns = {"block": "row"} if design == "blocks" else {}
        trials = sw.read_trials(tmp_path / "trials.csv", bounds=(0, 1), columns=columns)

        found = sw.analyze(trials, goal="best", n_max=60)
        assert outcome(found) == outcome(study.verdict().tasks[0])


def dropped_best(study: Simulation) -> int:
    """Return whether the first policy, which is a best one, was dropped."""
    label = next(arm for arm, name in study.names.items() if name == "policy 0")
    return label in study.contest().eliminated


def test_a_best_policy_is_dropped_with_at_most_alpha() -> None:
    """Catches scores that choose which trials count, as the sabotage below shows."""
    settings: dict[str, Any] = {"method": "wsr", "alpha": 0.2, "n_max": 12, "goal": "best"}
    equal = np.full(3, 0.5)

    sound = simulate(equal, 100, dropped_best, **settings)
    assert_at_most(sum(sound), len(sound), 0.2)

    broken = simulate(equal, 60, dropped_best, favoured="policy 1", **settings)
    assert binomtest(sum(broken), len(broken), 0.2, alternative="greater").pvalue < 1e-4


def test_a_policy_joins_later(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "late", LATE) as study:
        study.lock()
        run(study, 40)
        (task,) = study.verdict().tasks
        (awaited,) = task.awaited
        assert task.best is None
        assert awaited in task.candidates
        assert not study.finished
        assert study.status().phase == "running"
        assert awaited not in {policy.name for policy in study.analyses()["stack"].policies}
        assert awaited in study.analyses()["stack"].candidates

        study.join("40k", "its training is over")
        run(study, 250)
        study.unblind()
        found, (task,) = study.verdict(), study.verdict().tasks
        assert study.finished
        assert task.awaited == ()
        assert task.joined == {"40k": task.joined["40k"]}
        assert found.best == task.best == "40k"
        assert found.candidates == ("40k",)
        assert dict(found.eliminated) == dict(task.eliminated)
        assert found.sentence.startswith("40k is the best of 4 (alpha 0.05), after ")

        again = sw.analyze(
            study.trials(), goal="best", n_max=60, later=["40k"], joined=dict(task.joined)
        )
        analysis = study.analyses()["stack"]
        assert outcome(again) == outcome(task) == outcome(analysis)
        records = study.records()
        assert records["used"].sum() == analysis.trials_used == again.trials_used
        overshoot = sum(study.overshoot().values())
        assert study.trials_saved()["stack"] + overshoot == analysis.trials_saved
        assert "a policy joined that was declared to come later" in study.report()
        assert study.verify().problems == ()

        with sw.Study.open(tmp_path / "late") as other:
            assert other.verdict() == found
            assert other.verify().problems == ()


def test_a_score_from_before_the_joining_can_be_corrected(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "late", LATE) as study:
        study.lock()
        run(study, 6)
        study.join("40k", "its training is over")
        run(study, 20)
        first = study._ledger.refresh().trials[0].score
        study.correct(1, not first, "typed wrongly")
        study.void(2, "the cable came off", redraw=False)

        board = study._ledger.refresh().boards["stack"]
        assert board.used > board.joined[next(iter(board.joined))]
        assert study.verify().problems == ()
        with sw.Study.open(tmp_path / "late") as other:
            assert other.verdict() == study.verdict()


@pytest.mark.parametrize("look_ahead", [0, None])
def test_no_row_tells_whose_trial_it_is(tmp_path: Path, look_ahead: int | None) -> None:
    """A row of one trial, after a policy has joined, would be known to be its."""
    plan = {**LATE, "look_ahead": look_ahead, "n_max": 20}
    with sw.Study.create(tmp_path / "late", plan) as study:
        study.lock()
        run(study, 3, stations=5)
        study.join("40k", "its training is over")
        run(study, 80, stations=5)
        board = study._ledger.refresh().boards["stack"]

        assert study.finished
        assert min(map(len, board.rows)) >= 2
        used = board.used_slots()
        scored = sum(slot.score is not None for row in board.rows for slot in row.values())
        assert len(used) + len(list(board.overshoot())) == scored
        assert study.verify().problems == ()


def test_who_may_join(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "late", LATE) as study:
        study.lock()
        columns = {"policy": NAMES, "score": [0.0, 1.0, 0.0, 1.0]}
        pilot = sw.Trials.from_columns(columns, bounds=(0, 1))
        with pytest.raises(sw.NotAllowed, match="'40k' has not joined yet"):
            study.add_trials(pilot, source="notebook", reason="a pilot")
        with pytest.raises(sw.NotAllowed, match="'10k' cannot join"):
            study.join("10k", "why not")
        with pytest.raises(sw.InvalidInput, match="joining needs a reason"):
            study.join("40k", " ")
        study.join("40k", "its training is over")
        with pytest.raises(sw.NotAllowed, match="takes part already"):
            study.join("40k", "again")
        assert study.add_trials(pilot, source="notebook", reason="a pilot") == 4
        assert take(study).trial == 5


def test_nobody_joins_when_no_row_is_left(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "late", {**LATE, "n_max": 2}) as study:
        study.lock()
        run(study, 6)
        with pytest.raises(sw.NotAllowed, match="'40k' can no longer be tried"):
            study.join("40k", "its training is over")


RESERVE = {**BEST, "policies": NAMES[:3], "reserve": 0.01}


@pytest.mark.parametrize("changes", [{}, {"design": "blocks"}, {"blinding": "none"}])
def test_a_policy_joins_that_the_plan_does_not_name(
    tmp_path: Path, changes: dict[str, str]
) -> None:
    with sw.Study.create(tmp_path / "late", {**RESERVE, **changes}) as study:
        study.lock()
        run(study, 30)
        before = study.verdict()
        digest = study._ledger.refresh().digest
        study.join("40k", "nobody had thought of it", run="serve --step 40k")
        run(study, 250)
        (task,) = study.verdict().tasks
        label = "40k" if "blinding" in changes else "D"
        assert before.best is None
        assert list(task.joined.items()) == [(label, before.tasks[0].rows)]
        assert study._ledger.refresh().digest == digest  # of the plan that was locked
        if label == "D":
            assert not any(
                "40k" in str(entry.event.shown(blinded=True)) for entry in study.journal()
            )

        study.unblind()
        (task,) = study.verdict().tasks
        again = sw.analyze(
            study.trials(), goal="best", n_max=60, reserve=0.01, joined=dict(task.joined)
        )
        assert task.best == "40k"
        assert outcome(again) == outcome(task) == outcome(study.analyses()["stack"])
        assert "a policy joined that the plan did not name" in study.report()
        with sw.Study.open(tmp_path / "late") as other:
            assert other.verdict() == study.verdict()
            assert other.verify().problems == ()


def test_who_may_join_without_being_named(tmp_path: Path) -> None:
    with sw.Study.create(tmp_path / "none", {**BEST, "policies": NAMES[:3]}) as study:
        study.lock()
        with pytest.raises(sw.NotAllowed, match="later, and reserves no alpha for others"):
            study.join("40k", "why not")
    with sw.Study.create(tmp_path / "late", RESERVE) as study:
        study.lock()
        with pytest.raises(sw.NotAllowed, match="'10k' cannot join"):
            study.join("10k", "again")
        study.join("40k", "nobody had thought of it")
        with pytest.raises(sw.NotAllowed, match="'40k' cannot join"):
            study.join("40k", "again")
        run(study, 250)
        assert study.verdict().decided
        with pytest.raises(sw.NotAllowed, match="a policy was named on 'stack' before this one"):
            study.join("50k", "too late")
        assert study.verify().problems == ()


def test_a_study_names_the_best_two(tmp_path: Path) -> None:
    plan = {**BEST, "top": 2, "n_max": 100, "blinding": "none"}
    scores = {"10k": False, "20k": False, "30k": True, "40k": True}
    with sw.Study.create(tmp_path / "two", plan) as study:
        study.lock()
        while (trial := study.next_trial("arm")) is not None:
            study.record(trial.trial, scores[trial.code], station="arm")
        found = study.verdict()
        assert (found.decided, found.best, set(found.candidates)) == (True, None, {"30k", "40k"})
        assert found.sentence.startswith("30k and 40k are the best 2 of 4 (alpha 0.05), after ")
        assert "among the best 2" in evidence_chart(found)
        assert "are the best 2 of 4" in study.report()


def test_tasks_share_the_reserve() -> None:
    plan = StudyPlan.model_validate({**RESERVE, "tasks": ["stack", "pour"]})
    rules = plan.rules(plan.tasks[0])
    assert (rules.alpha, rules.reserve) == (0.025, 0.005)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a baseline": ({"baseline": "10k"}, "baseline belongs to the goal .order."),
    "nothing to bet with": ({"method": "step", "n_max": 20}, "a method that bets"),
    "another goal": ({"goal": "order", "indifference": 0.1}, "belongs to the goal 'best'"),
    "an unknown policy": ({"later": ["50k"]}, "later"),
    "nobody at first": ({"later": NAMES[1:]}, "at least 2 policies"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_plans_that_ask_for_too_much_are_refused(tmp_path: Path, name: str) -> None:
    changes, complaint = REFUSED[name]
    with pytest.raises(sw.InvalidInput, match=complaint):
        sw.Study.create(tmp_path / "x", {**BEST, **changes})

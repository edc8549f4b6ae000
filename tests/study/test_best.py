"""Studies that ask for the best: one verdict whichever way it is asked for."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.questions.best_analysis import BestAnalysis
from stopwise.study.records import trial_table
from stopwise.study.study_plan import StudyPlan
from stopwise.study.verdict import verdict
from tests.study.simulation import Simulation

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
    """Claims, in any order of names."""
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


@pytest.mark.parametrize("look_ahead", [0, None])
def test_no_row_tells_whose_trial_it_is(tmp_path: Path, look_ahead: int | None) -> None:
    """A row of one trial would be known to be its policy's."""
    plan = {**BEST, "look_ahead": look_ahead, "n_max": 20}
    with sw.Study.create(tmp_path / "x", plan) as study:
        study.lock()
        run(study, 80, stations=5)
        with study.reading() as state:
            board = state.boards["stack"]

        assert study.finished
        assert min(map(len, board.rows)) >= 2
        used = board.used_slots()
        scored = sum(slot.score is not None for row in board.rows for slot in row.values())
        assert len(used) + len(list(board.overshoot())) == scored
        assert study.verify().problems == ()

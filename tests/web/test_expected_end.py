"""The expected end: what ``forecast`` says, told without waiting, and blind."""

import threading
import uuid
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.planning.forecast import forecast_study
from stopwise.web.expected_end import NOT_YET, ExpectedEnd, ExpectedEndCache, expected_end
from tests.study.live import Clock, score_one, take

PLAN: dict[str, Any] = {"name": "s", "policies": ["old", "new"], "tasks": ["stack"], "n_max": 30}


def run(study: sw.Study, trials: int, clock: Clock | None = None) -> sw.Study:
    """Let the label A succeed twice in three, B once, with a result every 90 seconds."""
    study.lock()
    for _ in range(trials):
        trial = take(study)
        if clock is not None:
            clock.time += 90
        with study._ledger.reading() as state:
            own = state.trials[trial.trial - 1]
        study.record(trial.trial, own.row % 3 > (own.arm != "A"), station="left")
    return study


def test_it_is_the_forecast_in_trials_and_minutes(tmp_path: Path) -> None:
    clock = Clock()
    with run(sw.Study.create(tmp_path / "s", PLAN, clock=clock), 21, clock) as study:
        (ahead,) = forecast_study(study, precision=0.03).values()
        found = expected_end(study)
        assert found.trials == pytest.approx(21 + ahead.mean_trials)
        assert (found.at_most, found.chance, found.seq) == (60, ahead.chance, study.seq)
        assert found.minutes_per_trial == pytest.approx(1.5)
        assert found.more(21) == round(ahead.mean_trials)
        assert found.minutes(21) == 1.5 * found.more(21)

        clock.time += 3600  # a break is no work
        score_one(study)
        assert study.minutes_per_trial() == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("change", "trials", "why"),
    [
        ({"n_max": None}, 4, "the plan sets no maximum of trials (n_max)"),
        ({}, 3, "two rounds have to be complete first"),
    ],
)
def test_what_is_not_defined_is_said(
    tmp_path: Path, change: dict[str, Any], trials: int, why: str
) -> None:
    with run(sw.Study.create(tmp_path / "s", {**PLAN, **change}), trials) as study:
        found = expected_end(study)
        assert why in found.why_not
        assert (found.trials, found.chance, found.seq) == (None, None, study.seq)


def test_a_task_that_has_just_begun_counts_in_full(tmp_path: Path) -> None:
    plan = {**PLAN, "tasks": ["stack", "pour"]}
    with sw.Study.create(tmp_path / "s", plan) as study:
        study.lock()
        for number in range(9):
            task = "stack" if number < 7 else "pour"
            trial = take(study, "left", task=task)
            study.record(trial.trial, number % 2 == 0, station="left")
        ahead = forecast_study(study, precision=0.03, tasks=["stack"])["stack"]
        found = expected_end(study)
        assert found.trials == 7 + min(53, ahead.mean_trials) + 60
        assert (found.at_most, found.chance) == (120, None)


def test_it_is_the_same_whichever_policy_is_behind_a_label(tmp_path: Path) -> None:
    """The same scores by label, until each of the policies was drawn as A."""
    found: dict[str, ExpectedEnd] = {}
    while len(found) < 2:
        folder = tmp_path / uuid.uuid4().hex
        with run(sw.Study.create(folder, PLAN), 14) as study:
            end = expected_end(study)
            found[study.unblind()["A"]] = end
    assert found["old"] == found["new"]
    assert found["old"].trials is not None


def test_nobody_waits_for_it(tmp_path: Path) -> None:
    may_end = threading.Event()
    with run(sw.Study.create(tmp_path / "s", PLAN), 4) as study:
        known = ExpectedEnd(seq=study.seq, trials=20.0)

        def slow() -> ExpectedEnd:
            may_end.wait()
            return known

        cache = ExpectedEndCache(study, slow)
        assert cache.shown() is NOT_YET
        assert cache.shown() is NOT_YET  # nor is it asked for twice
        may_end.set()
        cache.close()
        assert cache.shown() is known

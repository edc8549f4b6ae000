"""Studies under way, and a clock to run them by."""

from pathlib import Path
from typing import Any

import stopwise as sw
from stopwise.study.blinding import Draws
from tests.study.plans import plan
from tests.study.worker import score_of


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def __call__(self) -> float:
        return self.time


def locked(place: str | Path, clock: Clock | None = None, **changes: Any) -> sw.Study:
    study = sw.Study.create(place, plan(**changes), clock=clock)
    study.lock(who="ada")
    return study


def take(study: sw.Study, station: str = "left", **asked: Any) -> Any:
    trial = study.next_trial(station, **asked)
    assert trial is not None
    return trial


def score_one(study: sw.Study, answer: Any = True, station: str = "left", **remarks: Any) -> Any:
    """Take a trial and score it; return it."""
    trial = take(study, station)
    study.record(trial.trial, answer, station=station, **remarks)
    return trial


def lots_of(study: sw.Study) -> Draws:
    return Draws(study.store.secret(), study.plan.seed)


def policy_of(study: sw.Study, trial: int) -> str:
    """Return the policy of a trial, which is not begun by this as it is by ``resolve``."""
    with study.reading() as state:
        return state.labels(lots_of(study))[state.trials[trial - 1].arm]


def handed_out_twice(place: str, clock: Clock) -> tuple[sw.Study, Any, Any]:
    """Return a study, and two trials of one slot: the first station let its lease pass."""
    study = locked(place, clock, n_max=1)
    first = take(study)
    clock.time += 31 * 60
    second = take(study, "right")
    assert policy_of(study, first.trial) == policy_of(study, second.trial)
    return study, first, second


def running(place: str, trials: int = 6, **changes: Any) -> sw.Study:
    """Return a study with some trials."""
    study = locked(place, method="wsr", **changes)
    for _ in range(trials):
        report(study)
    return study


def report(study: sw.Study) -> None:
    trial = take(study).trial
    study.record(trial, score_of(trial), station="left", key=f"key {trial}")

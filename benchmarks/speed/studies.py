"""Live studies: how long a study of 100,000 trials takes to open.

Run ``python -m benchmarks.speed.studies``. Opening is measured in a fresh connection.
"""

import tempfile
from argparse import Namespace

import numpy as np

import stopwise as sw
from benchmarks.program import Found, benchmark, seconds
from stopwise.study import assignment
from stopwise.study.blinding import Lots
from stopwise.study.event import Event
from stopwise.study.events import Scored, Started
from stopwise.study.state import StudyState
from tests.study.simulation import Journal

CHUNK = 5000


def opening(place: str, trials: int) -> str:
    """Measure how long a long study takes to open."""
    study = _new(place)
    _fill(study, trials)
    opened, verified = seconds(lambda: sw.Study.open(place).verdict()), seconds(study.verify)
    return f"a study of {trials} trials: verdict {opened:.2f} s, verified {verified:.1f} s"


def _new(place: str) -> sw.Study:
    plan = {"name": "load", "policies": list("abcd"), "tasks": ["task"], "method": "wsr"}
    study = sw.Study.create(place, plan)
    study.lock()
    return study


def _fill(study: sw.Study, trials: int) -> None:
    """Enter many trials: decided by the real functions, stored in large transactions."""
    rng = np.random.default_rng(0)
    journal = Journal()
    for entry in study.journal():
        journal.enter(entry.event)
    lots = Lots(study.store.secret(), study.plan.seed)
    events: list[Event] = []
    for number in range(1, trials + 1):
        for event in _one_trial(journal.state, lots, number, bool(rng.random() < 0.5)):
            journal.enter(event)
            events.append(event)
        if len(events) > CHUNK or number == trials:
            with study.store.writer() as writer:
                writer.add(events, who="benchmark")
            events.clear()
    study.status()


def _one_trial(state: StudyState, lots: Lots, number: int, success: bool) -> list[Event]:
    station = f"station {number % 7}"
    taken = assignment.next_trial(state, lots, station=station, clock=0.0)
    assert taken is not None
    started = Started(trial=number, lease=taken.lease)
    scored = Scored(trial=number, score=float(success), answer=success, seconds=31.5)
    return [taken, started, scored]


@benchmark(trials=100_000)
def main(options: Namespace) -> Found:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix="stopwise-benchmark-") as folder:
        return Found([opening(f"sqlite:///{folder}/long.db#long", options.trials)])

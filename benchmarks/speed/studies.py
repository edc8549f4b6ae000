"""Live studies: how long a study of 100,000 trials takes to open, and what many stations get.

    python -m benchmarks.speed.studies [--trials 100000] [--stations 50] [--reports 2000]

Opening is measured in fresh connections, from the saved state and by full replay, in the same
run. The load is that of threads that each take and report trials through one ``Study``, as a
server does; latencies are of a whole trial: take it and report it, two durable commits.
"""

import shutil
import tempfile
import threading
import time
from argparse import Namespace
from pathlib import Path

import numpy as np

import stopwise as sw
from benchmarks.program import Found, benchmark, seconds
from stopwise.study import assignment
from stopwise.study.blinding import Lots
from stopwise.study.event import Event
from stopwise.study.events import Scored, Started
from stopwise.study.state import StudyState
from tests.study.postgres import Server
from tests.study.simulation import Journal

CHUNK = 5000


def opening(place: str, trials: int) -> str:
    """Measure how long a long study takes to open."""
    study = _new(place)
    _fill(study, trials)
    study._ledger.save()
    opened, replayed = seconds(lambda: sw.Study.open(place).verdict()), seconds(study.verify)
    verdict = f"a study of {trials} trials: verdict {opened:.2f} s"
    return f"{verdict}, verified in full {replayed:.0f} s"


def load(name: str, place: str, stations: int, reports: int) -> str:
    """Measure what many stations get at once."""
    study = _new(place)
    latencies: list[float] = []

    def work(station: str, count: int) -> None:
        for _ in range(count):
            began = time.perf_counter()
            trial = study.next_trial(station)
            assert trial is not None
            study.record(trial.trial, True, station=station, key=f"{station}, {trial.trial}")
            latencies.append(time.perf_counter() - began)

    counts = [len(range(number, reports, stations)) for number in range(stations)]
    threads = [
        threading.Thread(target=work, args=(f"station {number}", count))
        for number, count in enumerate(counts)
    ]
    taken = seconds(lambda: _together(threads))
    assert study.status().counted == len(latencies)
    return (
        f"{name}, {stations} stations: {len(latencies) / taken:.0f} trials per second, "
        f"p50 {1000 * np.quantile(latencies, 0.5):.0f} ms, "
        f"p99 {1000 * np.quantile(latencies, 0.99):.0f} ms"
    )


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
    lots = study._ledger.lots(study.plan)
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
    taken = assignment.next_trial(state, lots, station=station, now=1000.0)
    assert taken is not None
    started = Started(trial=number, lease=taken.lease)
    scored = Scored(trial=number, score=float(success), answer=success, seconds=31.5)
    return [taken, started, scored]


def _together(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@benchmark(trials=100_000, stations=50, reports=2000)
def main(options: Namespace) -> Found:
    """Print the figures."""
    folder = Path(tempfile.mkdtemp(prefix="stopwise-benchmark-"))
    server, lines = Server.create(durable=True), []
    try:
        for name, place in (
            ("SQLite", f"sqlite:///{folder}/load.db#load"),
            ("PostgreSQL", f"{server.url()}#load"),
        ):
            lines.append(load(name, place, options.stations, options.reports))
        lines.append(opening(f"sqlite:///{folder}/long.db#long", options.trials))
    finally:
        server.delete()
        shutil.rmtree(folder)
    return Found(lines)

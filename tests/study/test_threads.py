"""One study in many threads, as a server uses it."""

import threading
import time
from pathlib import Path

import pytest

from stopwise.study.event import Event
from stopwise.study.operation import Now
from stopwise.study.trial_operations import Score
from tests.study.live import locked, take


@pytest.mark.usefixtures("hurried")
def test_looking_while_others_write_changes_nothing(tmp_path: Path) -> None:
    """Without the lock in ``finished``, two threads may show a contest the same row twice."""
    study = locked(tmp_path / "study", n_max=60)
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            assert study.authenticate("sw_unknown") is None
            assert not study.finished or study.verdict().finished

    watchers = [threading.Thread(target=look) for _ in range(3)]
    try:
        for watcher in watchers:
            watcher.start()
        for _ in range(60):
            trial = take(study, "arm 1")
            study.record(trial.trial, True, station="arm 1")  # alike, so that nothing is decided
    finally:
        done.set()
        for watcher in watchers:
            watcher.join()
    assert study.verify().problems == ()
    assert study.status().counted == 60
    assert sum(task.rows for task in study.verdict().tasks) == 30


class Broken(Score):
    """An operation with a mistake in it."""

    def decide(self, _: Now) -> Event:
        raise TypeError


def test_a_request_that_fails_unexpectedly_fails_alone(tmp_path: Path) -> None:
    """Requests that wait are stored together, whoever made them."""
    study = locked(tmp_path / "study")
    trials = {station: study.next_trial(station) for station in ("left", "right")}
    outcome: dict[str, object] = {}

    def report(station: str, kind: type[Score]) -> None:
        trial = trials[station]
        assert trial is not None
        score = kind(trial=trial.trial, answer=True, station=station)
        try:
            outcome[station] = study.do(score).counted
        except TypeError as error:
            outcome[station] = error

    threads = [
        threading.Thread(target=report, args=("left", Broken)),
        threading.Thread(target=report, args=("right", Score)),
    ]
    with study._ledger.lock:  # until both wait
        for thread in threads:
            thread.start()
        while len(study._ledger._waiting) < 2:
            time.sleep(0.001)
    for thread in threads:
        thread.join()

    assert isinstance(outcome["left"], TypeError)
    assert outcome["right"] is True
    assert study.verify().problems == ()

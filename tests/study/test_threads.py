"""One study in many threads, as a server uses it."""

import sys
import threading
from pathlib import Path

import stopwise as sw
from tests.study.plans import plan


def test_looking_while_others_write_changes_nothing(tmp_path: Path) -> None:
    """Without the lock in ``finished``, two threads may show a contest the same row twice."""
    study = sw.Study.create(tmp_path / "study", plan(n_max=60))
    study.lock()
    done = threading.Event()

    def look() -> None:
        while not done.is_set():
            assert study.authenticate("sw_unknown") is None
            assert not study.finished or study.verdict().finished

    watchers = [threading.Thread(target=look) for _ in range(3)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for watcher in watchers:
            watcher.start()
        for _ in range(60):
            trial = study.next_trial("arm 1")
            assert trial is not None
            study.record(trial.trial, True, station="arm 1")  # alike, so that nothing is decided
    finally:
        sys.setswitchinterval(before)
        done.set()
        for watcher in watchers:
            watcher.join()
    assert study.verify().problems == ()
    assert study.status().counted == 60
    assert sum(task.rows for task in study.verdict().tasks) == 30

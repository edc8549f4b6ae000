"""What goes wrong in a lab: each fault is real, on both stores."""

import os
import shutil
import signal
import sqlite3
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

import stopwise as sw
from stopwise.study import database
from tests.study.live import running, take
from tests.study.postgres import Server
from tests.study.worker import PROCESSES, acknowledged, run_trials, score_of

OFTEN = pytest.mark.slow("1,000 trials of processes that are killed; adds more moments")


@pytest.mark.parametrize("trials", [80, pytest.param(1000, marks=OFTEN)])
def test_killed_at_any_point_it_loses_and_doubles_nothing(
    place: str, tmp_path: Path, trials: int
) -> None:
    """Kill -9, again and again, until so many trials were acknowledged."""
    running(place, 0, n_max=2 * trials).close()
    log, rng = tmp_path / "log", np.random.default_rng(1)
    kills = 0

    while len(acknowledged(log)) < trials:
        process = PROCESSES.Process(target=run_trials, args=(place, "left", str(log), trials))
        process.start()
        enough = len(acknowledged(log)) + rng.integers(1, 3 * trials // 20)
        while process.is_alive() and len(acknowledged(log)) < enough:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.03))  # somewhere within one of the next trials
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        kills += process.exitcode == -signal.SIGKILL

    study = sw.Study.open(place)
    stored = [entry.content for entry in study.journal() if entry.kind == "scored"]
    counts = Counter(content["trial"] for content in stored)
    assert kills > 3
    assert set(acknowledged(log)) <= set(counts)
    assert set(counts.values()) == {1}
    assert all(content["score"] == score_of(content["trial"]) for content in stored)
    assert study.verify().problems == ()
    assert study.verdict().tasks[0].rows == len(stored) // 2


def test_processes_at_once_share_one_study(place: str, tmp_path: Path) -> None:
    running(place, 0, n_max=60).close()
    processes = [
        PROCESSES.Process(
            target=run_trials, args=(place, f"station {number}", str(tmp_path / f"{number}"), 30)
        )
        for number in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    study = sw.Study.open(place)
    trials = [trial for number in range(4) for trial in acknowledged(tmp_path / f"{number}")]
    assert len(trials) == len(set(trials)) == study.status().counted == 120
    assert study.finished
    assert study.verify().problems == ()


@contextmanager
def full_disk(study: sw.Study, server: Server | None) -> Iterator[None]:
    """Let the store grow no further: a page limit, or a file limit of the server's process."""
    with study.store.engine.connect() as connection:
        if server is None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        else:
            process = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            server.limit_file_size(process, 1 << 20)
    yield
    if server is None:
        with study.store.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000000")
    study.store.engine.dispose()  # whichever connection was limited, it is gone


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_half_written(
    place: str, kind: str, request: pytest.FixtureRequest
) -> None:
    study = running(place)
    server = request.getfixturevalue("server") if kind == "postgresql" else None
    rng = np.random.default_rng(1)
    trial = take(study)
    remarks = 0

    def fill() -> None:
        nonlocal remarks
        while True:
            study.amend(rng.bytes(1000).hex())
            remarks += 1

    before = study.journal()[-1].seq
    with full_disk(study, server), pytest.raises(sw.StoreFailed, match="nothing was written"):
        fill()

    assert study.journal()[-1].seq == before + remarks
    assert study.verify().problems == ()
    assert study.record(trial.trial, True, station="left", key="again").counted


def test_a_read_only_sqlite_file_is_a_clear_error() -> None:
    """As a user who may read the study but not write it; root could always write."""
    folder = Path(tempfile.mkdtemp(prefix="stopwise-read-only-"))
    study = running(f"sqlite:///{folder}/study.db")
    seq = study.journal()[-1].seq
    folder.chmod(0o555)
    for path in folder.iterdir():
        path.chmod(0o444)
    with unprivileged(), pytest.raises(sw.StoreFailed, match="nothing was written") as caught:
        sw.Study.open(folder / "study.db").amend("a remark")

    assert "readonly" in str(caught.value) or "unable to open" in str(caught.value)
    assert study.journal()[-1].seq == seq
    folder.chmod(0o755)
    shutil.rmtree(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be nobody for a while, if this is root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_postgresql_is_a_clear_error_and_can_be_read(server: Server) -> None:
    server.execute("CREATE DATABASE archive")
    place = f"{server.url('archive')}#cups"
    study = running(place)
    server.execute("ALTER DATABASE archive SET default_transaction_read_only = on")
    archived = sw.Study.open(place)

    with pytest.raises(sw.StoreFailed, match="read-only transaction"):
        archived.amend("a remark")

    assert archived.verdict() == study.verdict()
    assert archived.verify().problems == ()


def test_a_server_that_crashes_is_a_clear_error_and_nothing_acknowledged_is_lost(
    server_to_crash: Server,
) -> None:
    server = server_to_crash
    study = running(f"{server.url()}#cups")
    trial = take(study)
    server.stop("immediate")

    with pytest.raises(sw.StoreFailed, match=r"send it again with the same key|was written"):
        study.record(trial.trial, True, station="left", key="k")

    server.start()
    assert study.record(trial.trial, True, station="left", key="k").counted
    assert study.record(trial.trial, True, station="left", key="k").repeated
    assert study.status().counted == 7
    assert study.verify().problems == ()


def test_a_locked_sqlite_file_is_an_error_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks while another waits does not wait twice."""
    assert database.SECONDS_TO_WAIT < 10
    monkeypatch.setattr(database, "SECONDS_TO_WAIT", 1.5)
    study = running(f"sqlite:///{tmp_path}/study.db")
    waited = []

    def remark(late: float) -> None:
        time.sleep(late)
        began = time.monotonic()
        with pytest.raises(sw.StoreFailed, match="is locked"):
            study.amend("a remark")
        waited.append(time.monotonic() - began)

    with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        threads = [threading.Thread(target=remark, args=(late,)) for late in (0.0, 0.7)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        other.execute("ROLLBACK")

    assert len(waited) == 2
    assert max(waited) < 2.5
    study.amend("a remark")


@pytest.mark.slow("ten seconds of waiting; adds the real limits to those of test_silence")
def test_a_postgresql_that_is_frozen_is_an_error_in_10_seconds(server_to_crash: Server) -> None:
    study = running(f"{server_to_crash.url()}#cups")
    began = time.monotonic()
    with server_to_crash.frozen(), pytest.raises(sw.StoreFailed) as caught:
        study.amend("a remark")

    assert time.monotonic() - began < 10
    assert caught.value.code == "no-answer"
    study.amend("a remark")

"""Backup and restore as docs/deployment.md says, on both stores, while the study is in use."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

import stopwise as sw
from stopwise.study.lifecycle import CloseDay
from tests.cli.processes import environment, wait_for_a_question
from tests.study.live import locked, score_one
from tests.study.postgres import Server

TRIALS = 6


def run_trials(study: sw.Study, number: int) -> None:
    for _ in range(number):
        score_one(study, True, "arm")


def assert_restored(study: sw.Study, verdict: str) -> None:
    """All that was backed up is there, nothing later, and the study goes on."""
    assert study.verify().sound
    assert len(study.records()) == TRIALS
    assert study.verdict().sentence == verdict

    run_trials(study, 2)
    assert study.verify().sound
    study.close()


def test_sqlite_backup_and_restore(tmp_path: Path) -> None:
    study = locked(tmp_path / "cups")
    run_trials(study, TRIALS)
    verdict = study.verdict().sentence
    database = tmp_path / "cups" / "study.db"

    assert study.backup(tmp_path / "copy.kept").hash == study.status().hash
    assert (tmp_path / "copy.kept").stat().st_mode & 0o077 == 0
    with pytest.raises(sw.NotAllowed, match="already exists"):
        study.backup(tmp_path / "copy.kept")
    with sw.Study.open(tmp_path / "copy.kept") as copy:
        assert copy.verify().sound
    run_trials(study, 2)
    study.close()
    for name in ("study.db-wal", "study.db-shm"):
        database.with_name(name).unlink(missing_ok=True)
    (tmp_path / "copy.kept").replace(database)

    assert_restored(sw.Study.open(tmp_path / "cups"), verdict)


def test_postgresql_backup_and_restore(server: Server) -> None:
    server.execute("CREATE DATABASE kept")
    url = f"{server.url('kept')}#cups"
    where = ["--host", str(server.folder), "--username", "stopwise"]
    dump = str(server.folder / "studies.dump")
    study = locked(url)
    run_trials(study, TRIALS)
    verdict = study.verdict().sentence
    with pytest.raises(sw.InvalidInput, match="use pg_dump for PostgreSQL"):
        study.backup(server.folder / "copy.db")

    server.run("pg_dump", *where, "--format=custom", f"--file={dump}", "kept")
    run_trials(study, 2)
    study.close()
    server.run("pg_restore", *where, "--clean", "--if-exists", "--dbname=kept", dump)

    assert_restored(sw.Study.open(url), verdict)


@pytest.mark.parametrize("hold", [False, True])
def test_after_sigterm_the_database_alone_holds_everything(tmp_path: Path, *, hold: bool) -> None:
    """A service that is stopped leaves nothing in the write-ahead log, even if others read on."""
    folder = tmp_path / "cups"
    study = locked(folder)
    if not hold:
        study.close()
    command = [sys.executable, "-m", "stopwise", "study", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, env=environment(), text=True
    ) as server:
        assert server.stdout is not None
        address, _, token = server.stdout.readline().partition('"owner_link": "')[2].partition("#")
        headers = {"Authorization": f"Bearer {token.partition(chr(34))[0]}"}
        with httpx.Client(base_url=address.removesuffix("/join"), headers=headers) as client:
            for _ in range(TRIALS):
                trial = client.post("/api/trials/next", json={}).json()["trial"]["trial"]
                answer = {"answer": True}
                assert client.post(f"/api/trials/{trial}/score", json=answer).is_success
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 0

    shutil.copy(folder / "study.db", tmp_path / "alone.db")
    assert sw.Study.open(tmp_path / "alone.db").status().scored == TRIALS
    study.close()


def test_a_locked_plan_without_its_store_is_an_error_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "cups"
    with locked(folder) as study:
        run_trials(study, 1)
        database = folder / "study.db"
    kept = database.rename(tmp_path / "kept.db")

    for _ in range(2):  # the first try makes no empty one
        with pytest.raises(sw.StopwiseError, match=r"was locked, but .*backup"):
            sw.Study.open(folder)
    assert not database.exists()

    with sw.Study.create(tmp_path / "other") as draft:
        draft.status()
    shutil.copy(tmp_path / "other" / "study.db", database)
    with pytest.raises(sw.StopwiseError, match="its store holds no locked plan"):
        sw.Study.open(folder)

    kept.replace(database)
    assert sw.Study.open(folder).status().scored == 1


def test_a_hash_that_was_written_down_finds_a_journal_that_was_rewritten(tmp_path: Path) -> None:
    """Two studies alike: each verifies, and only the first holds the hash that was noted of it."""
    study, rewritten = locked(tmp_path / "cups"), locked(tmp_path / "again")
    run_trials(study, TRIALS)
    run_trials(rewritten, TRIALS)
    noted = study.do(CloseDay()).hash
    run_trials(study, 1)

    assert study.verify(noted).sound
    assert study.verify(noted[:16].upper()).sound
    assert rewritten.verify().sound
    assert "rewritten" in rewritten.verify(noted).problems[0]
    with pytest.raises(sw.InvalidInput, match="at least 16 digits"):
        study.verify("")


def test_a_study_ends_in_order_when_the_system_asks(tmp_path: Path) -> None:
    """Sabotage that fails it: leave out the signal in ``opening.open_study``."""
    folder = tmp_path / "cups"
    locked(folder).close()
    command = [sys.executable, "-m", "stopwise", "study", "run", str(folder), "--station", "a"]
    theirs = subprocess.PIPE
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, env=environment()) as process:
        wait_for_a_question(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 128 + signal.SIGTERM

    shutil.copy(folder / "study.db", tmp_path / "alone.db")
    assert sw.Study.open(tmp_path / "alone.db").holding("a") is not None

"""Backup and restore as docs/deployment.md says, on both stores, while the study is in use."""

import sqlite3
from pathlib import Path

import stopwise as sw
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

    with sqlite3.connect(database) as source, sqlite3.connect(tmp_path / "copy.db") as copy:
        source.backup(copy)
    source.close()
    copy.close()
    run_trials(study, 2)
    study.close()
    for name in ("study.db-wal", "study.db-shm"):
        database.with_name(name).unlink(missing_ok=True)
    (tmp_path / "copy.db").replace(database)

    assert_restored(sw.Study.open(tmp_path / "cups"), verdict)


def test_postgresql_backup_and_restore(server: Server) -> None:
    server.execute("CREATE DATABASE kept")
    url = f"{server.url('kept')}#cups"
    where = ["--host", str(server.folder), "--username", "stopwise"]
    dump = str(server.folder / "studies.dump")
    study = locked(url)
    run_trials(study, TRIALS)
    verdict = study.verdict().sentence

    server._run("pg_dump", *where, "--format=custom", f"--file={dump}", "kept")
    run_trials(study, 2)
    study.close()
    server._run("pg_restore", *where, "--clean", "--if-exists", "--dbname=kept", dump)

    assert_restored(sw.Study.open(url), verdict)

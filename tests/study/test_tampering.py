"""Stores that were forged, damaged, or come from another version: named, and not mended."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, insert, select, text

import stopwise as sw
from stopwise.core.snapshot import dump
from stopwise.study.database import connect, database_url, journal, migrate, studies
from stopwise.study.events import Scored, Unblinded
from stopwise.study.saved_state import FORMAT
from stopwise.study.store import Store
from tests.study.live import locked, policy_of, report, running, take


def execute(study: sw.Study, statement: str, **values: object) -> None:
    """Change the tables behind the study's back."""
    with study.store.engine.connect().execution_options(writes=True) as connection:
        own = {"study": study.store.study} if ":study" in statement else {}
        connection.execute(text(statement), {**own, **values})
        connection.commit()


TAMPERING = {
    "a changed score": (
        "UPDATE journal SET body = replace(body, '1.0', '0.0') WHERE study = :study AND seq = 4",
        "entry 4 was changed",
    ),
    "an entry cut out": (
        "DELETE FROM journal WHERE study = :study AND seq = 5",
        "entry 5 is missing",
    ),
    "the end cut off": (
        "DELETE FROM journal WHERE study = :study AND seq > 10",
        "it ends with entry 10, but 14 were written",
    ),
    "two entries swapped": (
        "UPDATE journal SET seq = CASE seq WHEN 5 THEN 1006 WHEN 6 THEN 1005 END "
        "WHERE study = :study AND seq IN (5, 6)",
        "entry 5 is missing",
    ),
    "a forged hash": (
        "UPDATE journal SET hash = 'abc' WHERE study = :study AND seq = 6",
        "entry 6 was changed",
    ),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_named_and_not_mended(place: str, name: str) -> None:
    statement, complaint = TAMPERING[name]
    study = running(place)
    execute(study, statement)

    with pytest.raises(sw.InvalidState, match=complaint):
        sw.Study.open(place)
    assert any(complaint in problem for problem in study.verify().problems)


UNFIT: dict[str, tuple[int, dict[str, Any]]] = {
    "a plan that is none": (2, {"plan": {"name": "cups", "alpha": 7}}),
    "a trial of no task": (3, {"task": "juggle"}),
    "a score of no trial": (4, {"trial": 99}),
    "a score that is none": (4, {"answer": "well done"}),
}


@pytest.mark.parametrize("name", UNFIT)
def test_entries_that_make_no_sense_are_named(place: str, name: str) -> None:
    """Also when the whole chain was forged anew, so that no hash tells."""
    number, changes = UNFIT[name]
    study = running(place)
    entries = study.journal()
    with study.store.writer() as writer:
        writer.seq, writer.hash = number - 1, entries[number - 2].hash
        writer._connection.execute(delete(journal).where(journal.c.seq >= number))
        for entry in entries[number - 1 :]:
            event = replace(entry.event, **(changes if entry.seq == number else {}))
            writer.add([event], who=entry.who, key=entry.key)

    assert any(f"entry {number}: " in problem for problem in study.verify().problems)
    if name != "a score that is none":  # the verdict needs no answers, only scores
        with pytest.raises(sw.InvalidState, match=f"entry {number} does not fit"):
            sw.Study.open(place)


def test_another_order_than_the_drawn_one_is_found(place: str) -> None:
    """Catches an owner who rewrites the whole chain to hand out trials as they please."""
    study = running(place, 0)
    secret = study.store.secret()
    execute(
        study,
        "UPDATE studies SET secret = :other WHERE study = :study",
        other="0" * len(secret),
    )

    forged = sw.Study.open(place)
    report(forged)

    assert any("does not match the locked plan" in problem for problem in forged.verify().problems)


def test_forged_facts_with_a_proper_hash_are_found(tmp_path: Path) -> None:
    """Catches a score that is not the answer's, and names that are not behind the labels."""
    study = running(f"sqlite:///{tmp_path}/study.db#cups", 2)
    trial = study.next_trial("left")
    assert trial is not None
    names = {"A": study.resolve(trial.code).policy, "B": "nobody"}
    forged = [
        Scored(trial=trial.trial, answer=True, score=0.0),
        Unblinded(names=names, secret=study.store.secret(), reason=""),
    ]
    with study.store.writer() as writer:
        writer.add(forged, who="nobody")

    problems = " ".join(study.verify().problems)

    assert "the score does not match the answer" in problems
    assert "the names do not match the labels" in problems


def test_a_damaged_saved_state_is_named_and_never_believed(place: str) -> None:
    study = running(place)
    study._ledger.save()
    execute(
        study,
        "UPDATE snapshots SET content = replace(content, 'true', 'false') WHERE study = :study",
    )

    assert sw.Study.open(place).verdict() == study.verdict()
    assert any("the saved state" in problem for problem in study.verify().problems)


def test_a_state_saved_by_an_older_version_is_passed_over(place: str) -> None:
    study = running(place)
    study._ledger.save()
    execute(
        study,
        rf"""UPDATE snapshots
        SET content = replace(content, '"format"\:{FORMAT},', '"format"\:{FORMAT - 1},')
        WHERE study = :study""",
    )

    assert sw.Study.open(place).verdict() == study.verdict()
    assert study.verify().sound


def test_a_saved_state_is_that_of_the_replay(place: str) -> None:
    study = running(place, 40)
    study.void(7, "a reason")
    study._ledger.save()
    report(study)
    reopened = sw.Study.open(place)

    assert reopened.verdict() == study.verdict()
    assert reopened.status() == study.status()
    assert study.verify().problems == ()


def rewritten(content: Any, change: Callable[[float], float]) -> Any:
    """The content with every number of evidence changed, also in the texts within."""
    if isinstance(content, float):
        return change(content)
    if isinstance(content, list):
        return [rewritten(part, change) for part in content]
    if isinstance(content, dict):
        return {key: rewritten(part, change) for key, part in content.items()}
    return content


@pytest.mark.parametrize(("change", "sound"), [(1 + 1e-13, True), (1.001, False)])
def test_a_saved_state_may_be_rounded_otherwise_and_no_more(
    place: str, change: float, sound: bool
) -> None:
    """Another numpy or processor gives other last digits: that is no fault of the study."""
    study = running(place)
    study._ledger.save()
    saved = study.store.snapshot()
    assert saved is not None
    content = json.loads(saved[2].partition("\n")[2])
    for board in content["boards"].values():
        question = json.loads(board["question"])
        parts = {
            name: rewritten(part, lambda value: value * change)
            for name, part in question["content"].items()
            if name not in ("settings", "rules")
        }
        settings = {key: question["content"][key] for key in question["content"].keys() - parts}
        board["question"] = dump(question["kind"], question["version"], {**settings, **parts})
    written = json.dumps(content, separators=(",", ":"))
    digest = hashlib.sha256(written.encode()).hexdigest()
    study.store.save_snapshot((*saved[:2], f"{digest}\n{written}"))

    assert f"{digest}\n{written}" != saved[2]
    problems = study.verify().problems
    assert problems == (() if sound else (f"the saved state does not match entry {saved[0]}",))


def test_a_damaged_file_is_named_and_not_mended(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study = running(f"sqlite:///{path}", 20)
    study.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    whole = path.read_bytes()
    page = whole.index(b'"previous"') // 4096
    path.write_bytes(whole[: page * 4096] + os.urandom(4096) + whole[(page + 1) * 4096 :])
    damaged = path.read_bytes()

    with pytest.raises(sw.InvalidState, match="damaged"):
        sw.Study.open(path).verdict()
    assert path.read_bytes() == damaged


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    path.write_text("dear diary, " * 1000)

    with pytest.raises(sw.InvalidState, match="not a database"):
        sw.Study.open(path)


def test_a_store_of_the_first_schema_version_is_upgraded(
    kind: str, place: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    study = running(place, 20)
    if kind == "sqlite":
        old = f"sqlite:///{tmp_path}/old.db"
    else:
        server = request.getfixturevalue("server")
        server.execute("CREATE DATABASE old")
        old = server.url("old")
    engine = connect(database_url(old))
    migrate(engine, "0001")
    with study.store.engine.connect() as source, engine.connect() as target:
        for table in (studies, journal):
            rows = source.execute(select(table).where(table.c.study == study.store.study)).all()
            target.execute(insert(table), [dict(row._mapping) for row in rows])
        target.commit()
    engine.dispose()

    upgraded = sw.Study.open(old)

    assert upgraded.verdict() == study.verdict()
    upgraded._ledger.save()
    assert sw.Study.open(old).verify().problems == ()


def test_a_store_of_a_newer_stopwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study = running(f"sqlite:///{path}")
    execute(study, "UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(sw.InvalidState, match="upgrade stopwise"):
        Store.open(path)


def test_reading_the_verdict_is_not_tampering(tmp_path: Path) -> None:
    """What is saved is the same whether or not anyone has looked at the evidence before."""
    study = locked(f"sqlite:///{tmp_path}/study.db#cups")
    for _ in range(8):
        trial = take(study)
        study.record(trial.trial, policy_of(study, trial.trial) == "new")
    assert study.verdict().tasks[0].pairs[0].p_value < 1
    study._ledger.save()

    assert study.verify().problems == ()

"""Stores that were forged, damaged, or have another format: named, and not mended."""

import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, text

import stopwise as sw
from stopwise.study.database import journal
from stopwise.study.entries import encode
from stopwise.study.episodes import EpisodeBegan
from stopwise.study.event import Event
from stopwise.study.events import Corrected, Released, Scored, Unblinded
from stopwise.study.store import Store
from tests.study.live import report, running, take


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
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_named_and_not_mended(place: str, name: str) -> None:
    statement, complaint = TAMPERING[name]
    study = running(place)
    execute(study, statement)

    with pytest.raises(sw.InvalidState, match=complaint):
        sw.Study.open(place)
    assert any(complaint in problem for problem in study.verify().problems)


def test_an_entry_that_follows_another_is_found(place: str) -> None:
    """An entry is put after another one than the one before it, and every hash made to match.

    Sabotage that fails it: leave out the check of ``previous`` in ``entries.verified``.
    """
    study = running(place)
    entries = study.journal()
    with study.store.writer() as writer:
        own = journal.c.study == study.store.study
        writer._connection.execute(delete(journal).where(own & (journal.c.seq >= 5)))
        writer.seq, writer.hash = 4, entries[1].hash  # what it names as the one before it
        for entry in entries[4:]:
            writer.add([entry.event], who=entry.who, key=entry.key)

    complaint = "entry 5 does not follow entry 4"
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
            event = entry.event.model_copy(update=changes if entry.seq == number else {})
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
        study, "UPDATE studies SET secret = :other WHERE study = :study", other="0" * len(secret)
    )

    forged = sw.Study.open(place)
    report(forged)

    assert any("does not match the locked plan" in problem for problem in forged.verify().problems)


def test_a_last_entry_that_was_replaced_is_found(place: str) -> None:
    """With a proper hash, and no entry after it that could show it.

    Sabotage that fails it: compare only the number of entries in ``Store._rows``.
    """
    study = running(place)
    last = study.journal()[-1]
    assert isinstance(last.event, Scored)
    forged, digest = encode(
        last.event.model_copy(update={"note": "another"}),
        study=study.store.study,
        seq=last.seq,
        moment=last.moment,
        who=last.who,
        key=last.key,
        previous=last.previous,
    )
    change = "UPDATE journal SET body = :body, hash = :hash WHERE study = :study AND seq = :seq"
    execute(study, change, body=forged, hash=digest, seq=last.seq)

    complaint = f"entry {last.seq} is not the one that was written last"
    with pytest.raises(sw.InvalidState, match=complaint):
        sw.Study.open(place)
    assert any(complaint in problem for problem in study.verify().problems)


FORGED: dict[str, tuple[list[Event], str]] = {
    "another secret": (
        [Unblinded(names={"A": "nobody"}, secret="5a" * 32, reason="")],
        "the secret is not the one that was committed to",
    ),
    "a second episode": (
        [EpisodeBegan(trial=3, episode=name, lease=60.0) for name in ("one", "two")],
        "trial 3 was run a second time",
    ),
    "a good score for what was given back": (
        [Released(trial=3, reason="hot", score=1.0)],
        "the score is not the worst",
    ),
    "a score that is not the answer's": (
        [Scored(trial=3, answer=True, score=0.0)],
        "the score does not match the answer",
    ),
    "a correction that is not the answer's": (
        [Corrected(trial=1, reason="x", answer=True, score=0.0, salt="")],
        "the score does not match the answer",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_facts_with_a_proper_hash_are_found(tmp_path: Path, name: str) -> None:
    """Sabotage that fails it: leave out one of the cases in ``verification._faults``."""
    events, complaint = FORGED[name]
    study = running(f"sqlite:///{tmp_path}/study.db#cups", 2)
    take(study)
    with study.store.writer() as writer:
        writer.add(events, who="nobody")

    assert complaint in " ".join(study.verify().problems)


def test_names_that_are_not_behind_the_labels_are_found(tmp_path: Path) -> None:
    study = running(f"sqlite:///{tmp_path}/study.db#cups", 2)
    names = {"A": "nobody", "B": "new"}
    with study.store.writer() as writer:
        writer.add([Unblinded(names=names, secret=study.store.secret(), reason="")], who="nobody")

    assert "the names do not match the labels" in " ".join(study.verify().problems)


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


def test_what_the_database_itself_finds_wrong_is_told(tmp_path: Path) -> None:
    """An index that does not fit the table: no entry and no hash shows it, the keys are lost.

    Sabotage that fails it: leave out ``store.damage()`` in ``verification.verify``.
    """
    path = tmp_path / "study.db"
    with running(f"sqlite:///{path}#cups") as study:
        assert study.verify().sound
    whole = path.read_bytes()
    assert whole.count(b"cupskey 1") == 1  # in the index alone: in the table a number is between
    path.write_bytes(whole.replace(b"cupskey 1", b"cupskey 0"))
    with sw.Study.open(path) as study:
        problems = study.verify().problems
        assert len(study.journal()) == 14
    assert problems
    assert all("the file is damaged: row" in problem for problem in problems)


@pytest.mark.parametrize(
    ("statement", "said"),
    [("UPDATE stopwise SET format = 9999", "format 9999"), ("DROP TABLE stopwise", "format None")],
)
def test_a_store_of_another_format_is_refused_in_one_line(
    tmp_path: Path, statement: str, said: str
) -> None:
    study = running(f"sqlite:///{tmp_path}/study.db")
    execute(study, statement)
    study.close()

    with pytest.raises(sw.InvalidState) as refused:
        Store.open(tmp_path / "study.db")
    assert str(refused.value) == (
        f"this store was made in {said}, but this stopwise reads format 1: continue with the "
        "stopwise version it was started with"
    )

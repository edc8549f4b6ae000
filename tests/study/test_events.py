"""The events of a journal: their stored text never changes, and each field says who may see it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import stopwise as sw
from stopwise.study import lifecycle
from stopwise.study.entries import Entry, decode, encode
from stopwise.study.event import EVENT_KINDS, Event, Open, read_event
from tests.study.scripted import fix_draws, scripted, scripted_runner, stored_lines

GOLDEN = Path(__file__).with_name("golden")


def golden(name: str) -> list[str]:
    return (GOLDEN / name).read_text(encoding="utf-8").splitlines()


def read(line: str) -> Entry:
    return decode(line, "")


SCRIPTS = {"journal.jsonl": (scripted, "cups"), "journal_runner.jsonl": (scripted_runner, "cups")}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_same_study_is_stored_as_the_same_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Byte for byte: other text would be another hash."""
    fix_draws(monkeypatch)
    monkeypatch.setattr(lifecycle, "__version__", "0.1.0")
    script, study_name = SCRIPTS[name]

    with script(f"sqlite:///{tmp_path}/study.db#{study_name}") as study:
        if os.environ.get("STOPWISE_PIN"):
            (GOLDEN / name).write_text("\n".join([*stored_lines(study), ""]), encoding="utf-8")
        assert stored_lines(study) == golden(name)
        assert study.verify().problems == ()


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_was_stored_is_read_and_would_be_stored_alike(name: str) -> None:
    for line in golden(name):
        entry, whole = read(line), json.loads(line)
        body, _ = encode(
            entry.event,
            study=whole["study"],
            seq=entry.seq,
            moment=entry.moment,
            who=entry.who,
            key=entry.key,
            previous=entry.previous,
        )
        assert body == line


def test_every_kind_has_a_golden_line_and_a_place_in_the_replay() -> None:
    assert {read(line).kind for name in SCRIPTS for line in golden(name)} == set(EVENT_KINDS)
    for event in EVENT_KINDS.values():
        assert event.change is not Event.change, event


def test_a_field_that_says_nothing_of_who_may_see_it_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Seen\.arm must be declared as Open, Blind or Never"):

        class Seen(Event, kind="seen"):
            trial: Open[int]
            arm: str

    assert "seen" not in EVENT_KINDS


SCORED = {
    "trial": 1,
    "score": 1.0,
    "answer": True,
    "note": "",
    "tag": None,
    "seconds": None,
    "salt": None,
}
UNREADABLE: dict[str, tuple[str, dict[str, Any], str]] = {
    "a newer kind": ("painted", {}, r"entry 7 is of kind 'painted', which .* upgrade stopwise"),
    "a newer field": ("scored", {**SCORED, "angle": 3}, r"entry 7 \(scored\) .* upgrade stopwise"),
    "another type": (
        "scored",
        {**SCORED, "score": "1"},
        r"damaged: entry 7 .* score: Input should",
    ),
    "a missing field": ("voided", {"trial": 1}, r"damaged: entry 7 \(voided\), reason: Field"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_understood_is_refused_and_named(name: str) -> None:
    """An unknown field may change what the entry means, and who may see it."""
    kind, content, complaint = UNREADABLE[name]

    with pytest.raises(sw.InvalidState, match=complaint):
        read_event(kind, content, "entry 7")

"""What an event marks as blind is in nothing that anyone is shown before unblinding.

The study is one in which every kind of event happened, so a new event must be in it, and what each
field says is searched for wherever events are shown.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import stopwise as sw
from stopwise.study.entries import Entry, decode
from stopwise.study.event import EVENT_KINDS, Event, Visibility
from stopwise.study.events import Locked, Released, TokenCreated
from stopwise.study.study_report import chapters
from stopwise.web.bodies import EntryView
from tests.study.scripted import fix_draws, scripted, scripted_runner
from tests.web.serving import served

GOLDEN = Path(__file__).parents[1] / "study" / "golden"
EVENTS = [
    decode(line, "hash")
    for name in ("journal.jsonl", "journal_runner.jsonl")
    for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()
]
# Fields that say nothing in the scripted studies.
FURTHER = (
    next(entry.event for entry in EVENTS if isinstance(entry.event, Locked)).model_copy(
        update={"stored_trials": {"step 10k": 40}}
    ),
    Released(trial=9, reason="robot is hot", score=0.125),
    next(entry.event for entry in EVENTS if isinstance(entry.event, TokenCreated)).model_copy(
        update={"expires": 1.8e9}
    ),
)
EVENTS += [Entry(900 + at, 1.0, "ada", event, None, "", "") for at, event in enumerate(FURTHER)]

# What the proof of blinding rests on (docs/design/studies.md); all else is open.
HIDDEN = {
    Visibility.BLIND: {
        "locked": {"plan", "arms", "baseline", "stored_trials"},
        "assigned": {"arm", "salt", "opens"},
        "released": {"score"},
        "scored": {"score", "answer", "tag", "seconds", "salt"},
        "corrected": {"score", "answer", "salt"},
        "imported": {"rows"},
        "episode ended": {"outcome", "seconds", "salt"},
        "unblinded": {"names", "secret"},
    },
    Visibility.NEVER: {"token created": {"digest"}},
}


def values(event: Event, *marks: Visibility) -> dict[str, Any]:
    """Return the fields with these marks, as far as they say something."""
    return {
        name: value
        for name, value in event.stored().items()
        if event.visibility[name] in marks and value not in (None, "", [], {})
    }


def telling(value: Any) -> list[str]:
    """Return the texts by which a value could be recognised; a label alone is nowhere hidden."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in telling(part)]
    if isinstance(value, list | tuple):
        return [text for part in value for text in telling(part)]
    if isinstance(value, float):
        return [f"{value:.3g}"] if value % 1 else []
    return [value] if isinstance(value, str) and len(value) > 2 else []


def test_every_event_is_tried() -> None:
    assert {entry.kind for entry in EVENTS} == set(EVENT_KINDS)
    tried = {(entry.kind, name) for entry in EVENTS for name in values(entry.event, *Visibility)}
    assert tried == {
        (kind, name) for kind, event in EVENT_KINDS.items() for name in event.visibility
    }


def test_what_blinding_rests_on_is_marked() -> None:
    for mark, hidden in HIDDEN.items():
        for kind, event in EVENT_KINDS.items():
            marked = {name for name, own in event.visibility.items() if own is mark}
            assert marked == hidden.get(kind, set()), kind


@pytest.mark.parametrize("entry", EVENTS, ids=lambda entry: f"{entry.seq} {entry.kind}")
def test_no_view_of_an_entry_holds_what_is_hidden(entry: Any) -> None:
    for blinded in (True, False):
        view = EntryView.of(entry, blinded=blinded)
        hidden = [Visibility.NEVER, *([Visibility.BLIND] if blinded else [])]
        shown = set(entry.event.visibility) - set(values(entry.event, *hidden))
        assert set(view.content) <= shown
        for name, value in values(entry.event, *hidden).items():
            for text in telling(value):
                assert text not in view.text, name
                assert text not in json.dumps(view.content), name
        for name in values(entry.event, Visibility.OPEN):
            assert view.content[name] == getattr(entry.event, name)


@pytest.mark.parametrize("script", [scripted, scripted_runner])
def test_nothing_blind_is_shown_of_a_running_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Callable[..., sw.Study]
) -> None:
    fix_draws(monkeypatch)
    study = script(f"sqlite:///{tmp_path}/study.db#cups", unblind=False)
    monkeypatch.undo()
    token = study.create_token("owner", "me")
    with study, served(study) as url, httpx.Client(base_url=url, trust_env=False) as client:
        client.post("/api/join", json={"token": token})
        entries = client.get("/api/journal?limit=1000").json()["entries"]
        page = client.get("/owner?trials=1000").text
        _, _, after = page.partition('id="live-trials"')
        listed = after[: after.index('name="reason"')]
        assert listed.count('name="trial"') == len(study.trial_lines(1000))
        journal = page[page.index("<h2>Journal</h2>") :]
        report = "\n".join("; ".join(row) for chapter in chapters(study) for row in chapter.rows)

        assert len(entries) == len(study.journal()) == journal.count("<tr>") - 1
        shown = {"journal": json.dumps(entries), "page": journal, "report": report}
        shown["list"] = listed
        events = [entry.event for entry in study.journal()]
        told = {text for event in events for text in telling(values(event, Visibility.OPEN))}
        for event, seen in zip(events, entries, strict=True):
            for name, value in values(event, Visibility.BLIND, Visibility.NEVER).items():
                assert name not in seen["content"]
                # Of the plan only the policies are a secret; a tag may be named by an amendment.
                secret = value["policies"] if name == "plan" else value
                for text in set(telling(secret)) - told:
                    found = [place for place, words in shown.items() if occurs(text, words)]
                    assert not found, (event.kind, name, text)


def occurs(text: str, shown: str) -> bool:
    """Whether the text is there as a word of its own: 0.25 is not in 0.253."""
    return re.search(rf"(?<![\w.]){re.escape(text)}(?![\w.])", shown) is not None

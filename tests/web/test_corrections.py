"""A wrong score is put right over the API: by the owner, with a reason, as by the command."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import httpx
import pytest

import stopwise as sw
from stopwise.study.access import Role
from tests.study.live import score_one
from tests.web.serving import CUPS, served

RIGHT = {"answer": ["cup reached"], "reason": "tapped all four"}


@contextmanager
def scored(place: str) -> Iterator[tuple[sw.Study, httpx.Client, dict[str, dict[str, str]]]]:
    """Serve a study whose first trial has a score; yield a client and the headers of each role."""
    with sw.Study.create(place, CUPS) as study:
        study.lock()
        score_one(study, ["cup reached", "cup grasped"], "arm 1")
        study.next_trial("arm 1")
        tokens = {role.value: study.create_token(role, f"the {role}") for role in Role}
        headers = {role: {"Authorization": f"Bearer {token}"} for role, token in tokens.items()}
        with (
            served(study) as url,
            httpx.Client(base_url=f"{url}/api/trials", trust_env=False, timeout=600) as client,
        ):
            yield study, client, headers


def test_the_owner_corrects_a_score(place: str) -> None:
    with scored(place) as (study, client, headers):
        before = study.seq
        assert client.get("/1/rubric", headers=headers["owner"]).json() == study.rubric(1)
        answer = client.post("/1/correct", json=RIGHT, headers=headers["owner"])
        assert answer.json() == {"done": True}
        (entry,) = study.journal(before)

        assert (entry.who, entry.kind) == ("the owner", "corrected")
        assert (entry.content["reason"], entry.content["answer"]) == tuple(
            RIGHT[name] for name in ("reason", "answer")
        )
        assert entry.content["score"] == pytest.approx(1 / 6)
        assert study.verify().sound


def test_the_owner_chooses_from_a_list(place: str) -> None:
    """Newest first: what each trial is, and what may be done about it; never how it went."""
    with scored(place) as (study, _, _):
        study.start(2, station="arm 1")
        study.release(2, station="arm 1", reason="robot is hot")
        for number in (3, 4, 5):
            study.next_trial(f"arm {number}", who=f"bo {number}")
        study.void(3, "camera was unplugged")
        study.record(4, [], station="arm 4")
        study.correct(4, ["cup reached"], "tapped wrongly")

        def told(line: dict[str, Any]) -> tuple[Any, ...]:
            return tuple(line[key] for key in ("trial", "who", "now", "correctable", "voidable"))

        lines = list(map(asdict, study.trial_lines(50)))
        assert [told(line) for line in lines] == [
            (5, "bo 5", "under way", False, True),
            (4, "bo 4", "scored, corrected", False, False),
            (3, "bo 3", "voided", False, False),
            (2, "arm 1", "given back", False, True),
            (1, "arm 1", "scored", True, True),
        ]
        hidden = {"score", "arm", "answer", "seconds"}
        assert not hidden & set(lines[0])

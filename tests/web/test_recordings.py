"""Who may send a recording, and who may see it."""

import httpx
import pytest

import stopwise as sw
from stopwise.web import limits
from stopwise.web.routes import recordings
from tests.study.scripted import PHOTO


def test_a_recording_is_seen_by_its_operator_and_by_all_after_unblinding(
    study: sw.Study, client: httpx.Client, headers: dict[str, dict[str, str]]
) -> None:
    """Beside the evidence, a recording would tell the owner which label it is."""
    taken = client.post("/api/trials/next", json={"station": "a"}, headers=headers["operator"])
    assert taken.json()["trial"]["trial"] == 1

    def send(who: str, content: bytes = PHOTO) -> httpx.Response:
        return client.post("/api/trials/1/recordings", content=content, headers=headers[who])

    assert {who: send(who).status_code for who in ("other", "owner", "viewer")} == {
        "other": 409, "owner": 409, "viewer": 403,
    }  # fmt: skip
    assert send("operator", b"<html>").status_code == 400
    assert send("runner", PHOTO + bytes(limits.LARGEST_BODY)).status_code == 201
    name = send("operator").json()["recording"]

    def see(who: str, file: str = name) -> httpx.Response:
        return client.get(f"/api/trials/1/recordings/{file}", headers=headers[who])

    def seen() -> dict[str, int]:
        return {who: see(who).status_code for who in headers}

    assert seen() == {"owner": 409, "operator": 200, "viewer": 409, "runner": 409, "other": 409}
    study.record(1, [], station="a", who="the operator")
    assert seen() == {"owner": 409, "operator": 200, "viewer": 409, "runner": 409, "other": 409}
    found = see("operator")
    assert (found.content, found.headers["content-type"]) == (PHOTO, "image/jpeg")
    assert see("operator", "..%2f..%2fstudy.db").status_code in (400, 404)
    assert see("operator", f"{'0' * 32}.jpg").status_code == 409
    study.unblind()
    assert seen() == {"owner": 200, "operator": 200, "viewer": 200, "runner": 409, "other": 409}


def test_a_recording_that_is_too_large_is_refused_on_the_way(
    client: httpx.Client, headers: dict[str, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "LARGEST", 1000)
    client.post("/api/trials/next", json={"station": "a"}, headers=headers["operator"])
    url = "/api/trials/1/recordings"
    answer = client.post(url, content=PHOTO + bytes(1000), headers=headers["operator"])
    assert answer.status_code == 413
    assert answer.json()["error"] == "too_large"

"""Who may do what: every route, for every role, by token and by cookie."""

import re
from typing import Any

import httpx
import pytest

import stopwise as sw
from stopwise.web.app import CONCERNS
from stopwise.web.permissions import csrf_token
from tests.study.scripted import PHOTO

ROLES = ("owner", "operator", "viewer", "runner")
# By letters: owner, operator (p), viewer, runner.
MAY = {
    "GET /api/status": "opvr",
    "GET /api/verdict": "ov",
    "GET /api/report": "ov",
    "GET /api/trials.csv": "ov",
    "GET /api/journal": "o",
    "POST /api/journal/close": "o",
    "GET /api/events": "opvr",
    "GET /api/plan": "o",
    "PUT /api/plan": "o",
    "POST /api/plan/lock": "o",
    "POST /api/plan/amendments": "o",
    "POST /api/plan/unblind": "o",
    "POST /api/tokens": "o",
    "DELETE /api/tokens/{token}": "o",
    "GET /api/me": "opvr",
    "POST /api/trials/next": "op",
    "GET /api/trials/held": "opr",
    "GET /api/trials/{trial}/whereabouts": "op",
    "POST /api/trials/{trial}/start": "opr",
    "POST /api/trials/{trial}/score": "op",
    "POST /api/trials/{trial}/release": "op",
    "GET /api/trials/{trial}/rubric": "o",
    "POST /api/trials/{trial}/correct": "o",
    "POST /api/trials/{trial}/void": "o",
    "POST /api/trials/{trial}/recordings": "opr",
    "GET /api/trials/{trial}/recordings/{name}": "opvr",
    "POST /api/stations/check": "op",
    "POST /api/stations/attend": "r",
    "POST /api/stations/hear": "r",
    "POST /api/trials/{trial}/stop": "op",
    "GET /api/policies": "r",
    "GET /api/policies/{code}": "r",
    "POST /api/trials/{trial}/episode": "r",
    "POST /api/trials/{trial}/episode/end": "r",
}
FOR_ALL = {"GET /api/health", "POST /api/join", "POST /api/leave"}
PAGES = {
    "/operate": "op",
    "/view": "ov",
    "/wall": "ov",
    "/owner": "o",
    "/view/live": "ov",
    "/wall/live": "ov",
    "/owner/live": "o",
}
LETTERS = dict(zip(ROLES, "opvr", strict=True))
CHANGES = [place for place in MAY if not place.startswith("GET")]


def ask(client: httpx.Client, place: str, headers: dict[str, str]) -> httpx.Response:
    """Send a request to a route, with a body that is never right."""
    method, path = place.split()
    url = path.format(trial=1, token="x", name=f"{0:032}.jpg", code="XXX")
    wrong = None if method == "GET" else list[str]()
    return client.request(method, url, headers=headers, params={"once": "true"}, json=wrong)


def test_each_route_is_for_these_roles_and_no_others(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    """Sabotage that fails it: another role in the signature of any route, or ``_allow`` empty."""
    routes = {
        f"{method} {route.path}"
        for concern in CONCERNS
        for route in concern.router.routes
        for method in route.methods
    }
    assert {place for place in routes if " /api/" in place} == {*MAY, *FOR_ALL}
    study.lock()
    for place, roles in MAY.items():
        assert ask(client, place, {}).status_code == 401, place
        for role, token in tokens.items():
            answer = ask(client, place, {"Authorization": f"Bearer {token}"})
            allowed = answer.status_code not in (401, 403)
            assert allowed == (LETTERS[role] in roles), (place, role, answer.text)


@pytest.mark.parametrize("role", ROLES)
def test_each_page_is_for_these_roles_and_others_are_sent_away(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str], role: str
) -> None:
    """A runner, which knows whose trial it is, has no page, even with its token as a cookie."""
    study.lock()
    client.cookies.set(client.app.state.site.cookie, tokens[role])  # type: ignore[attr-defined]  # of a TestClient
    for page, roles in PAGES.items():
        answer = client.get(page)
        assert answer.status_code == (200 if LETTERS[role] in roles else 303), page


@pytest.mark.parametrize("place", CHANGES)
def test_no_change_is_made_by_a_cookie_alone(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str], place: str
) -> None:
    """Another site could have sent it. Sabotage that fails it: a further method in ``SAFE``."""
    role = next(role for role in ROLES if LETTERS[role] in MAY[place])
    client.cookies.set(client.app.state.site.cookie, tokens[role])  # type: ignore[attr-defined]  # of a TestClient
    own = csrf_token(tokens[role])
    before = study.seq
    for mark in ({}, {"X-CSRF-Token": own[:-1]}, {"X-CSRF-Token": csrf_token("sw_other")}):
        assert "did not come from a page of this study" in ask(client, place, mark).text
    assert study.seq == before
    assert ask(client, place, {"X-CSRF-Token": own}).status_code not in (401, 403)


def test_a_wrong_token_is_refused_beside_a_good_cookie(
    client: httpx.Client, tokens: dict[str, str]
) -> None:
    client.post("/api/join", json={"token": tokens["owner"]})
    assert client.get("/api/me").json() == {"role": "owner", "name": "the owner"}
    wrong = {"Authorization": f"Bearer {tokens['owner'][:-1]}"}
    assert client.get("/api/me", headers=wrong).status_code == 401


def test_what_is_done_is_entered_under_the_name_of_the_token(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    """Sabotage that fails it: leave ``who`` out of any route that changes something."""
    created = study.seq

    def do(by: str, method: str, path: str, **sent: Any) -> Any:
        headers = {"Authorization": f"Bearer {tokens[by]}"}
        content = {"json": sent} if method != "PHOTO" else {"content": PHOTO}
        answer = client.request(
            method.replace("PHOTO", "POST"), f"/api{path}", headers=headers, **content
        )
        assert answer.is_success, (path, answer.text)
        return answer.json()

    checks = "checks: [lens clean]\ntags: "
    do("owner", "PUT", "/plan", text=re.sub(r"(?m)^tags:", checks, study.plan_text))
    do("owner", "POST", "/plan/lock")
    do("owner", "POST", "/plan/amendments", reason="slow", changes={"lease_minutes": 40})
    do("operator", "POST", "/stations/check", station="a", ticked=["lens clean"])
    do("runner", "POST", "/stations/attend", station="a")
    do("operator", "POST", "/trials/next", station="a")
    do("operator", "POST", "/trials/1/start", station="a")
    do("runner", "POST", "/trials/1/episode", episode="one")
    do("runner", "POST", "/trials/1/start", station="a")
    do("runner", "POST", "/trials/1/episode/end", episode="one", outcome="failed", seconds=3)
    do("runner", "PHOTO", "/trials/1/recordings")
    do("operator", "POST", "/trials/1/score", station="a", answer=[])
    do("owner", "POST", "/trials/1/correct", answer=["cup reached"], reason="slipped")
    code = do("operator", "POST", "/trials/next", station="a")["trial"]["code"]
    do("runner", "GET", f"/policies/{code}")
    do("operator", "POST", "/trials/2/release", station="a", reason="hot")
    do("owner", "POST", "/trials/2/void", reason="the cable", redraw=False)
    do("owner", "POST", "/tokens", role="viewer", name="eva")
    do("owner", "DELETE", f"/tokens/{study.tokens()[-1].token}")
    do("owner", "POST", "/plan/unblind", reason="done")

    found: dict[str, str] = {}
    for entry in study.journal(created):
        found[entry.who] = f"{found.get(entry.who, '')}, {entry.kind}"
    assert found == {
        "the owner": ", locked, amended, corrected, voided, token created, token revoked"
        ", unblinded",
        "the operator": ", checked, assigned, started, scored, assigned, released",
        "the runner": ", attended, episode began, started, episode ended, filmed, started",
    }
    (voided,) = (e.event for e in study.journal(created) if e.kind == "voided")
    assert voided.stored() == {"trial": 2, "reason": "the cable", "redraw": False}

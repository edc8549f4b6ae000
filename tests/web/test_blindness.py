"""Nobody but the runner learns which policy is behind a code, from anything the app ever says.

Every route is walked, found by asking the app itself, so that a new one cannot be forgotten.
Showing ``plan.content()`` in the status, the entry "locked" of the journal to a viewer, or the name
of a policy in an error would each fail here.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import httpx
import polars as pl
import pytest

import stopwise as sw
from stopwise.study.entries import encode
from stopwise.study.events import Assigned, Corrected, Scored
from stopwise.web.app import CONCERNS
from stopwise.web.bodies import EntryView
from tests.study.live import score_one
from tests.web.serving import CUPS, served

ALL = ["cup reached", "cup grasped", "cup lifted", "stacked and released"]
NAMES = ("diffusion-v1", "flow-v2", "serve v1", "serve v2")
BODIES = {
    "/api/trials/next": {"station": "arm 1"},
    "/api/trials/{trial}/score": {"answer": ["cup reached"], "station": "arm 1"},
    "/api/join": {"token": "sw_wrong"},
    "/api/tokens": {"role": "owner", "name": "me"},
    "/api/plan": {"text": "name: x"},
    "/api/plan/amendments": {"reason": "x", "changes": {"policies": ["x", "y"]}},
    "/api/trials/{trial}/correct": {"answer": ["cup grasped"], "reason": "x"},
    "/api/trials/{trial}/void": {"reason": "x"},
}
ILL_FORMED: tuple[Any, ...] = ({"answer": "x", "station": "arm 1"}, [])


def all_routes() -> set[tuple[str, str]]:
    """Return every method and path, of the API and of the pages."""
    found = {
        (method, route.path)
        for concern in CONCERNS
        for route in concern.router.routes
        for method in route.methods
    }
    assert len(found) > 30
    return found | {("GET", "/api/openapi.json")}


def answers(
    client: httpx.Client, study: sw.Study, headers: dict[str, str]
) -> Iterator[tuple[str, httpx.Response]]:
    """Yield the answer of each route to good, bad and ill-formed requests."""
    events = [entry.event for entry in study.journal()]
    codes = [event.code for event in events if isinstance(event, Assigned)]
    for method, path in sorted(all_routes()):
        places = {
            path.format(trial=number, code=code, token="x", place=0, name=f"{0:032}.jpg")
            for number, code in [(1, "XXX"), (999, codes[0] if codes else "XXX")]
        }
        bodies = [None] if method in ("GET", "DELETE") else [BODIES.get(path, {}), *ILL_FORMED]
        query = {"once": "true"} if path == "/api/events" else {}
        for place in places:
            for body in bodies:
                response = client.request(method, place, json=body, headers=headers, params=query)
                yield f"{method} {place} {body}", response


def phases(study: sw.Study) -> Iterator[str]:
    """Take a study through its phases, up to but not including unblinding."""
    yield "draft"
    study.lock()
    yield "locked"
    first = study.next_trial("arm 1")
    yield "assigned"
    assert first is not None
    study.record(first.trial, ["cup reached"], station="arm 1")
    study.void(first.trial, "camera unplugged")
    yield "voided"
    while not study.finished:
        for station in ("arm 1", "arm 2"):
            trial = study.next_trial(station)
            if trial is not None:
                better = study.resolve(trial.code).policy == "flow-v2"
                study.record(trial.trial, ALL if better else [], station=station)
    yield "finished"


def unmasked(response: httpx.Response) -> str | None:
    """Return the first name found in an answer: body, headers or cookies."""
    text = response.text + repr(response.headers.raw)
    return next((name for name in NAMES if name in text), None)


EVERY = pytest.mark.slow("walks all routes in five phases; adds those in which little is known")


@pytest.mark.parametrize(
    "during",
    [
        {"draft", "finished"},
        pytest.param({"draft", "locked", "assigned", "voided", "finished"}, marks=EVERY),
    ],
    ids=["both ends", "every phase"],
)
@pytest.mark.parametrize("role", ["operator", "viewer", None])
def test_no_route_tells_a_name_before_unblinding(
    study: sw.Study,
    client: httpx.Client,
    tokens: dict[str, str],
    role: str | None,
    during: set[str],
) -> None:
    headers = {"Authorization": f"Bearer {tokens[role]}"} if role else {}
    seen = set()
    for phase in phases(study):
        if phase not in during:
            continue
        if role:
            client.post("/api/join", json={"token": tokens[role]})
        for request, response in answers(client, study, headers):
            assert response.status_code < 500, (phase, request, response.text)
            assert unmasked(response) is None, (phase, request)
            seen.add(response.status_code)
    assert {403, 400} <= seen if role else 401 in seen


def test_a_broken_draft_is_shown_to_its_owner_alone(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    """What is wrong may name policies: "baseline: must be one of ..."."""
    assert study.folder is not None
    (study.folder / "study.yaml").write_text(study.plan_text + "\nbaseline: someone\n")
    for role in ("operator", "viewer"):
        headers = {"Authorization": f"Bearer {tokens[role]}"}
        client.post("/api/join", json={"token": tokens[role]})
        for _, response in answers(client, study, headers):
            assert response.status_code < 500
            assert unmasked(response) is None
    client.post("/api/join", json={"token": tokens["owner"]})
    assert "baseline: someone" in client.get("/owner").text
    headers = {"Authorization": f"Bearer {tokens['owner']}"}
    draft = client.get("/api/plan", headers=headers).json()["text"]
    answer = client.put("/api/plan", json={"text": draft}, headers=headers)
    assert "line" in answer.json()["detail"]
    assert "must be one of diffusion-v1, flow-v2" in answer.json()["detail"]


def test_the_evidence_of_the_owner_is_blind_too(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    for _ in phases(study):
        pass
    headers = {"Authorization": f"Bearer {tokens['owner']}"}
    client.post("/api/join", json={"token": tokens["owner"]})
    paths = ("status", "verdict", "report", "trials.csv", "journal")
    for path in (*paths, "trials/1/rubric"):
        response = client.get(f"/api/{path}", headers=headers)
        assert response.status_code == 200, path
        assert unmasked(response) is None, path
    for entry in client.get("/api/journal?limit=1000", headers=headers).json()["entries"]:
        assert not {"arm", "opens", "arms", "salt"} & set(entry["content"]), entry
    for page in ("/owner", "/owner/live", "/wall"):
        assert unmasked(client.get(page)) is None

    assert client.post("/api/plan/unblind", json={}, headers=headers).status_code == 200
    assert "flow-v2" in client.get("/owner/live").text
    shown = client.get("/api/verdict", headers={"Authorization": f"Bearer {tokens['viewer']}"})
    assert shown.json()["tasks"][0]["pairs"][0]["better"] == "flow-v2"


def test_no_label_can_be_searched_by_its_hash(study: sw.Study) -> None:
    """A hash that is shown binds the label of a trial: without a salt, two tries would find it."""
    study.lock()
    for _ in range(3):
        score_one(study, [], "arm 1")
    found = []
    for entry in study.journal():
        if not isinstance(entry.event, Assigned):
            continue
        seen = EntryView.of(entry, blinded=True)
        opens = None if entry.event.opens is None else ("A", "B")
        for arm in ("A", "B"):
            _, digest = encode(
                Assigned(**seen.content, arm=arm, opens=opens),
                study=study.store.study,
                seq=seen.seq,
                moment=entry.moment,
                who=seen.who,
                key=None,
                previous=entry.previous,
            )
            found.append(digest == seen.hash)
    assert not any(found)


def labels_found(journal: list[dict[str, Any]], trials: list[dict[str, Any]]) -> dict[int, str]:
    """Join the owner's journal with the blind file: trials for which one label is left."""
    known: dict[int, dict[str, Any]] = {}
    for entry in journal:
        if entry["kind"] in ("assigned", "scored"):
            told = dict(entry["content"])
            if words := re.search(r"scored ([\d.]+)", entry["text"]):
                told["score"] = float(words[1])
            known.setdefault(told["trial"], {}).update(told)
    found = {}
    for number, trial in known.items():
        fitting = {
            row["policy"]
            for row in trials
            if (row["task"], row["trial"]) == (trial["task"], trial.get("row", row["trial"]))
            and math.isclose(row["score"], trial.get("score", row["score"]), abs_tol=0.01)
        }
        if len(fitting) == 1:
            found[number] = fitting.pop()
    return found


def test_journal_and_file_together_tell_no_label(
    study: sw.Study, client: httpx.Client, tokens: dict[str, str]
) -> None:
    """Where both scores of a row are known and differ, a trial with a score has one label."""
    for _ in phases(study):
        pass
    study.correct(2, ["cup grasped"], "tapped wrongly")
    headers = {"Authorization": f"Bearer {tokens['owner']}"}

    journal = client.get("/api/journal?limit=1000", headers=headers).json()["entries"]
    file = client.get("/api/trials.csv", headers=headers)
    frame = pl.read_csv(file.content)
    assert "trial" not in frame.columns
    place = pl.int_range(pl.len()).over("task", "policy")
    trials = frame.with_columns(trial=place).to_dicts()
    assert labels_found(journal, trials) == {}
    # With scores in the journal, the same join finds nearly all of them.
    all_told = [EntryView.of(entry, blinded=False).model_dump() for entry in study.journal()]
    assert len(labels_found(all_told, trials)) > 0.7 * len(trials)
    assert "tapped wrongly" in (page := client.get("/api/report", headers=headers).text)
    assert "corrected to" not in page
    study.unblind()
    page = client.get("/api/report", headers=headers).text
    assert "trial 2 corrected to 0.167: tapped wrongly (first entered as " in page


def test_no_score_can_be_searched_by_its_hash(study: sw.Study) -> None:
    study.lock()
    trial = score_one(study, ["cup reached"], "arm 1")
    study.correct(trial.trial, ALL, "tapped wrongly")
    for entry in study.journal():
        if isinstance(entry.event, Scored | Corrected):
            _, digest = encode(
                entry.event.model_copy(update={"salt": None}),
                study=study.store.study,
                seq=entry.seq,
                moment=entry.moment,
                who=entry.who,
                key=entry.key,
                previous=entry.previous,
            )
            assert digest != entry.hash


def test_a_name_that_is_a_script_is_text_everywhere(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    evil = "<script>alert(1)</script>"
    plan = {**CUPS, "name": evil, "policies": [evil, "<img src=x onerror=alert(1)>"]}
    plan["tasks"] = [{**CUPS["tasks"][0], "name": evil, "instructions": evil}]
    with sw.Study.create(tmp_path_factory.mktemp("evil") / "study", plan) as study:
        token = study.create_token("owner", evil)
        study.lock(who=evil)
        for row in range(6):
            for station in (evil, "arm 2"):
                trial = study.next_trial(station)
                if trial is not None:
                    answer = ["cup reached"] if study.resolve(trial.code).policy == evil else []
                    study.record(
                        trial.trial, answer, station=station, note=evil, key=f"{evil}{row}{station}"
                    )
        study.unblind(reason=evil)
        with (
            served(study) as url,
            httpx.Client(base_url=url, trust_env=False, timeout=600) as client,
        ):
            client.post("/api/join", json={"token": token})
            for page in ("/operate", "/owner", "/owner/live", "/view", "/wall", "/api/report"):
                text = client.get(page).text
                assert "script&gt;" in text or page == "/view", page
                assert not re.search(r"<script>|<img src=x", text), page

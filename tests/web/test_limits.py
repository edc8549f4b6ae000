"""The same limits in the library, the API, the command line and the pages."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import stopwise as sw
from stopwise.study.limits import NAME, NOTE, SECONDS
from stopwise.study.study_plan import StudyPlan
from tests.cli.typed import study as call
from tests.study.live import take
from tests.study.plans import plan

TRIAL: dict[str, Any] = {"answer": [], "station": "arm 1"}


@pytest.fixture
def joined(study: sw.Study, client: httpx.Client) -> httpx.Client:
    """A client with an owner's token, at a trial that has begun."""
    study.lock()
    client.headers["Authorization"] = f"Bearer {study.create_token('owner', 'ada')}"
    client.post("/api/trials/next", json={"station": "arm 1"})
    return client


def refused(use: Callable[[], object]) -> bool:
    """Whether the library or the API refuses."""
    try:
        answer = use()
    except sw.StopwiseError:
        return True
    return getattr(answer, "status_code", None) == 400


@pytest.mark.parametrize(
    ("name", "longest"), [("note", "x" * NOTE), ("seconds", SECONDS)], ids=["note", "seconds"]
)
def test_reports_have_the_same_limits(
    study: sw.Study, joined: httpx.Client, name: str, longest: Any
) -> None:
    beyond = longest + ("x" if name == "note" else 1)
    remark: dict[str, Any] = {name: beyond}
    assert refused(lambda: study.record(1, [], station="arm 1", **remark))
    assert refused(lambda: joined.post("/api/trials/1/score", json={**TRIAL, **remark}))

    remark = {name: longest}
    assert joined.post("/api/trials/1/score", json={**TRIAL, **remark}).is_success
    trial = take(study, "arm 1")
    study.record(trial.trial, [], station="arm 1", **remark)


def test_reasons_have_the_same_limit(study: sw.Study, joined: httpx.Client, tmp_path: Path) -> None:
    for reason, accepted in (("x" * (NOTE + 1), False), ("x" * NOTE, True)):
        body = {"reason": reason}
        answer = joined.post("/api/plan/amendments", json=body)
        assert answer.is_success == accepted, answer.text
        assert refused(partial(study.amend, reason)) != accepted
        assert refused(partial(study.release, 1, station="arm 1", reason=reason)) != (accepted)
        typed = call("amend", tmp_path / "cups", "--reason", reason)
        assert (typed.exit_code == 0) == accepted, typed.output


def test_names_have_the_same_limit(study: sw.Study, joined: httpx.Client, tmp_path: Path) -> None:
    for name, accepted in (("x" * (NAME + 1), False), ("x" * NAME, True)):
        assert refused(partial(study.next_trial, name)) != accepted
        answer = joined.post("/api/trials/next", json={"station": name})
        assert (answer.status_code == 409) == accepted, answer.text  # it holds a trial elsewhere
        body = {"role": "viewer", "name": f"y{name[1:]}"}
        assert joined.post("/api/tokens", json=body).is_success == accepted
        assert refused(partial(study.create_token, "viewer", name)) != accepted
        typed = call("token", "create", tmp_path / "cups", "viewer", f"z{name[1:]}")
        assert (typed.exit_code == 0) == accepted, typed.output
        for entry in ({"name": name}, {"tasks": [name]}, {"checks": [name]}):
            fine = not refused(partial(sw.Study.create, tmp_path / "x", plan(**entry)))
            assert fine == accepted, entry
            (tmp_path / "x" / "study.yaml").unlink(missing_ok=True)
    assert StudyPlan.model_validate(plan(policies=["x" * NAME, "y"]))


def test_pages_let_people_type_as_much_and_no_more(joined: httpx.Client) -> None:
    token = joined.headers["Authorization"].removeprefix("Bearer ")
    joined.post("/api/join", json={"token": token})
    pages = "".join(
        joined.get(path, headers={"Accept": "text/html"}).text for path in ("/owner", "/operate")
    )

    lengths = {int(number) for number in re.findall(r'(?:maxlength|data-longest)="(\d+)"', pages)}
    assert lengths == {NAME, NOTE}

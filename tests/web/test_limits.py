"""The same limits in the library, the API, the command line and the pages."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import stopwise as sw
from stopwise.study.limits import NAME, NOTE, SECONDS
from tests.cli.typed import study as call
from tests.study.plans import plan


@pytest.fixture
def joined(study: sw.Study, client: httpx.Client) -> httpx.Client:
    """A client with an owner's token, at a trial that has begun."""
    study.lock()
    client.headers["Authorization"] = f"Bearer {study.create_token('owner', 'ada')}"
    client.post("/api/trials/next", json={"station": "arm 1"})
    return client


def refused(use: Callable[[], Any]) -> bool:
    """Whether the library, the API or the command refuses."""
    try:
        answer = use()
    except sw.StopwiseError:
        return True
    return getattr(answer, "status_code", None) == 400 or getattr(answer, "exit_code", None) == 2


@pytest.mark.parametrize("beyond", [False, True])
def test_everything_that_is_said_has_one_limit(
    study: sw.Study, joined: httpx.Client, tmp_path: Path, *, beyond: bool
) -> None:
    note, name = "x" * (NOTE + beyond), "x" * (NAME + beyond)
    score: dict[str, Any] = {"answer": [], "station": "arm 1"}
    other = {"role": "viewer", "name": f"y{name[1:]}"}
    uses: list[Callable[[], Any]] = [
        lambda: study.amend(note),
        lambda: joined.post("/api/plan/amendments", json={"reason": note}),
        lambda: call("amend", tmp_path / "cups", "--reason", note),
        lambda: study.create_token("viewer", name),
        lambda: joined.post("/api/tokens", json=other),
        lambda: call("token", "create", tmp_path / "cups", "viewer", f"z{name[1:]}"),
        lambda: study.record(1, [], station="arm 1", note=note),
        lambda: joined.post("/api/trials/1/score", json=score | {"seconds": SECONDS + beyond}),
        lambda: sw.Study.create(tmp_path / "name", plan(name=name)),
        lambda: sw.Study.create(tmp_path / "tasks", plan(tasks=[name])),
    ]
    assert [number for number, use in enumerate(uses) if refused(use) != beyond] == []


def test_pages_let_people_type_as_much_and_no_more(joined: httpx.Client) -> None:
    token = joined.headers["Authorization"].removeprefix("Bearer ")
    joined.post("/api/join", json={"token": token})
    pages = "".join(
        joined.get(path, headers={"Accept": "text/html"}).text for path in ("/owner", "/operate")
    )
    lengths = {int(number) for number in re.findall(r'(?:maxlength|data-longest)="(\d+)"', pages)}
    assert lengths == {NAME, NOTE}

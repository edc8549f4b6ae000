"""A study in its folder, and a client of the server that serves it."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import httpx
import pytest
from starlette.testclient import TestClient

import stopwise as sw
from stopwise.study.access import Role
from stopwise.web import analyst
from stopwise.web.app import create_app
from tests.study.conftest import kind, new_study, place, server
from tests.web.serving import CUPS

__all__ = ["analysed_here", "client", "kind", "new_study", "place", "server", "study", "tokens"]


@pytest.fixture(autouse=True)
def analysed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Analyse in this process: each process beside it takes seconds to import what it needs."""
    monkeypatch.setattr(analyst.Analyst, "do", lambda self, what: analyst.WORK[what](self._study))


@pytest.fixture
def study(tmp_path: Path) -> Iterator[sw.Study]:
    with sw.Study.create(tmp_path / "cups", CUPS) as study:
        yield study


@pytest.fixture
def tokens(study: sw.Study) -> dict[str, str]:
    return {role.value: study.create_token(role, f"the {role}") for role in Role}


@pytest.fixture
def headers(study: sw.Study, tokens: dict[str, str]) -> dict[str, dict[str, str]]:
    """Lock the study; return with what each role, and another operator, sends its requests."""
    study.lock()
    own = {**tokens, "other": study.create_token("operator", "the other")}
    return {name: {"Authorization": f"Bearer {token}"} for name, token in own.items()}


@pytest.fixture
def client(study: sw.Study) -> Iterator[httpx.Client]:
    """Speak to the app without a server between."""
    app = create_app(study)
    with TestClient(
        app, "http://127.0.0.1", raise_server_exceptions=False, follow_redirects=False
    ) as client:
        yield cast("httpx.Client", client)  # or that of httpx2, which does the same
    app.state.site.close()

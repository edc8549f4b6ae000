"""Whatever is sent to the API, it answers; and it answers what its OpenAPI says."""

import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

import stopwise as sw
from stopwise.web.app import create_app
from tests.web.serving import CUPS, served

PATHS = {"owner": ".", "operator": "trials|status", "runner": "episode|polic|attend"}
WRONG: tuple[Any, ...] = (None, [], "x", {}, {"answer": {"x": [None]}, "station": 3, "text": 1e999})


def running(folder: Path, role: str) -> tuple[sw.Study, str]:
    """Return a study and a token: the owner meets a draft, the others a running study."""
    study = sw.Study.create(folder, CUPS)
    token = study.create_token(role, "fuzz")
    if role != "owner":
        study.lock()
        study.next_trial("fuzz")
    return study, token


@pytest.mark.slow("makes up 900 requests for the API; adds input that nobody thought of")
@pytest.mark.parametrize("role", PATHS)
def test_no_input_breaks_the_server(tmp_path: Path, role: str) -> None:
    """The owner's draft is locked on the way."""
    from tests.web.fuzzing import fuzz

    study, token = running(tmp_path / "cups", role)
    with study, served(study) as url:
        fuzz(url, token, PATHS[role])


@pytest.mark.parametrize("role", PATHS)
def test_wrong_input_is_answered_as_described(tmp_path: Path, role: str) -> None:
    study, token = running(tmp_path / "cups", role)
    app = create_app(study)
    with study, TestClient(app, raise_server_exceptions=False) as client:
        document = client.get("/api/openapi.json").json()
        refused = 0
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                if method in ("get", "delete"):
                    continue
                place = re.sub(r"{\w+}", "1", path)
                for body in WRONG:
                    content = b"{" if body is None else json.dumps(body).encode()
                    answer = client.request(
                        method, place, content=content, headers={"Authorization": f"Bearer {token}"}
                    )
                    assert str(answer.status_code) in operation["responses"], (place, body)
                    assert answer.status_code < 500, (place, body)
                    refused += answer.status_code == 400
        app.state.site.close()
    assert refused > 10


def test_the_description_is_complete(client: httpx.Client) -> None:
    document = client.get("/api/openapi.json").json()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            place = f"{method} {path}"
            assert operation["description"], place
            assert operation["tags"], place
            success = next(code for code in operation["responses"] if code.startswith("2"))
            assert operation["responses"][success]["content"], place
            for code in ("400", "409", "503"):
                found = operation["responses"][code]["content"]["application/json"]["schema"]
                assert found == {"$ref": "#/components/schemas/Failure"}, place
            if path not in ("/api/health", "/api/join", "/api/leave"):
                assert operation["security"] == [{"token": []}], place
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "HTTPValidationError" not in document["components"]["schemas"]

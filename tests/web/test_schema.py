"""Whatever is sent to the API, it answers; and it answers what its OpenAPI says."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import stopwise as sw
from tests.web.serving import CUPS, served

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]


FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,  # the same requests each time
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("role", ["owner", "operator", "runner"])
def test_no_input_breaks_the_server(tmp_path: Path, role: str) -> None:
    """The owner meets a draft that is locked on the way, the others a running study."""
    with sw.Study.create(tmp_path / "cups", CUPS) as study:
        token = study.create_token(role, "fuzz")
        if role != "owner":
            study.lock()
            study.next_trial("fuzz")
        with served(study) as url:
            schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json").include(
                path_regex={"operator": "trials|status", "runner": "episode|polic|attend"}.get(
                    role, "."
                )
            )
            for operation in schema.get_all_operations():
                assert isinstance(operation, Ok)
                for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                    fuzz(operation.ok().as_strategy(generation_mode=mode), token)


def fuzz(cases: SearchStrategy[schemathesis.Case[Any]], token: str) -> None:
    """Send some requests and hold the answers against the description."""

    @FEW
    @given(case=cases)
    def check(case: schemathesis.Case[Any]) -> None:
        if case.path == "/api/events":
            case.query = {"once": "true"}  # a stream never ends
        headers = {"Authorization": f"Bearer {token}"}
        case.call_and_validate(checks=CHECKS, headers=headers, timeout=600)

    with suppress(Unsatisfiable):  # an operation without input has no wrong input
        check()


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

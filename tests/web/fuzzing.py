"""Requests that schemathesis makes up from the API's description; it takes seconds to import."""

from contextlib import suppress
from typing import Any

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


def fuzz(url: str, token: str, paths: str) -> None:
    """Send right and wrong requests to all operations whose path matches."""
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json").include(path_regex=paths)
    for operation in schema.get_all_operations():
        assert isinstance(operation, Ok)
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _send(operation.ok().as_strategy(generation_mode=mode), token)


def _send(cases: SearchStrategy[schemathesis.Case[Any]], token: str) -> None:
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

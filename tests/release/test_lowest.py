"""What `make test-lowest` installs: the lower bound of everything that the package asks for."""

import tomllib
from typing import Any

from tests.release.conftest import ROOT
from tests.release.lowest import GROUPS, constraints

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = SETTINGS["project"]


def test_every_dependency_is_held_at_its_lower_bound() -> None:
    held = [line.partition("==")[0] for line in constraints(PROJECT)]
    extras = PROJECT["optional-dependencies"]

    assert len(held) == len(set(held))
    assert {"numpy", "typer", "fastapi", "psycopg", "ray", "inspect-ai"} <= set(held)
    assert len(held) == len(PROJECT["dependencies"]) + sum(map(len, extras.values())) - 1


def test_every_extra_is_tested_and_every_test_is_there() -> None:
    tested = {extra for group in GROUPS.values() for extra in group.extras}

    assert tested | {"study"} == set(PROJECT["optional-dependencies"])  # which postgres asks for
    assert all((ROOT / path).exists() for group in GROUPS.values() for path in group.tests)

"""No dependency without a reason that is written down, none without a use."""

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.release.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
# Used without an import: the driver in a database's address.
OTHERWISE = {"psycopg": r"postgresql\+psycopg"}


def names(*groups: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for group in groups for text in group}


@cache
def modules() -> dict[str, set[str]]:
    """Return the modules that each installed distribution brings."""
    found: dict[str, set[str]] = {}
    for module, homes in packages_distributions().items():
        for home in homes:
            found.setdefault(canonicalize_name(home), set()).add(module)
    return found


RUNTIME = names(PROJECT["project"]["dependencies"], *EXTRAS.values()) - {"stopwise"}
ALL = names(
    PROJECT["project"]["dependencies"],
    PROJECT["dependency-groups"]["dev"],
    PROJECT["build-system"]["requires"],
    *EXTRAS.values(),
) - {"stopwise"}


@pytest.mark.parametrize("name", sorted(ALL))
def test_each_dependency_has_a_reason(name: str) -> None:
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Dependencies")[2]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]

    assert any(re.search(rf"(^|[\s,]){re.escape(name)}($|[\s,])", row) for row in rows)


@pytest.mark.parametrize("name", sorted(RUNTIME))
def test_each_dependency_of_users_is_used(name: str) -> None:
    assert used(name, (ROOT / "src").rglob("*.py"))


def used(name: str, files: Iterable[Path]) -> bool:
    imported = "|".join(rf"^\s*(import|from) {module}\b" for module in modules()[name])
    pattern = re.compile(OTHERWISE.get(name, imported), re.MULTILINE)
    return any(pattern.search(text_of(path)) for path in files)


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")

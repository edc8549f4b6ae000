"""The tables of methods in README and docs say of each method what its class says."""

import re
from pathlib import Path

import pytest

import stopwise as sw

ROOT = Path(__file__).parents[2]


def rows(page: str) -> dict[str, str]:
    """Return the row of each method in the first table of methods of a page."""
    found: dict[str, str] = {}
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and line.count("|") >= 4:
            for name in re.findall(r"`([a-z-]+)`", line.split("|")[1]):
                found.setdefault(name, line)
    return found


@pytest.mark.parametrize("page", ["docs/methods.md"])
def test_each_method_has_its_row(page: str) -> None:
    table = rows(page)

    for name, info in sw.methods().items():
        row = table[name]
        assert ("paired" in row) == ("paired" in info.designs), row


def test_every_method_says_when_to_choose_it_and_what_to_cite() -> None:
    for info in sw.methods().values():
        assert 20 < len(info.advice) < 100, info.name
        assert len(info.citation) > 40, info.name

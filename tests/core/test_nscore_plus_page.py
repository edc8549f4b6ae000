"""The design page of ``nscore-plus`` and its code say the same, name by name."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).parents[2] / "docs/design/nscore-plus.md").read_text()
RULES: list[tuple[str, str]] = re.findall(r"^### (.+): `([\w.]+)`$", PAGE, re.MULTILINE)
SYMBOLS: list[tuple[str, str, str]] = re.findall(
    r"^\| (\$.+?\$) \| (`.+?`) \| .+ \| `([\w.]+)` \|$", PAGE, re.MULTILINE
)


def source(place: str) -> str:
    """Return the source of a module of the package, or of something in it."""
    module, *names = place.split(".")
    found: Any = importlib.import_module(f"stopwise.core.nscore_plus.{module}")
    for name in names:
        found = getattr(found, name)
    return inspect.getsource(found)


def test_each_rule_is_where_the_page_says() -> None:
    assert len(RULES) == 17
    assert all(source(place) for _, place in RULES)


@pytest.mark.parametrize(("symbols", "names", "place"), SYMBOLS)
def test_each_symbol_has_its_name_where_the_page_says(symbols: str, names: str, place: str) -> None:
    for name in re.findall(r"`(\w+)`", names):
        assert re.search(rf"\b{name}\b", source(place)), f"{symbols} is not {name} in {place}"


def test_symbols_and_names_are_one_to_one() -> None:
    assert len(SYMBOLS) >= 36
    for column in (0, 1):
        listed = re.findall(r"[^,$` ]+", " ".join(row[column] for row in SYMBOLS))
        assert len(listed) == len(set(listed))

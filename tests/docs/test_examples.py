"""The examples in docstrings; those in the pages are collected by pytest itself."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    str(path.relative_to(folder).with_suffix("")).replace("/", ".")
    for folder, part in ((ROOT / "src", "stopwise"), (ROOT, "docs"))
    for path in sorted((folder / part).rglob("*.py"))
    if "\n    >>> " in path.read_text(encoding="utf-8")
]


def test_they_are_there() -> None:
    assert len(EXAMPLES) > 10


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_examples_of_a_module(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(module), optionflags=options)

    assert result.failed == 0, capsys.readouterr().out
    assert result.attempted > 0

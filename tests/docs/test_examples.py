"""The examples in docstrings; those in the pages are collected by pytest itself."""

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    for path in sorted((ROOT / "src").rglob("*.py"))
    if "\n    >>> " in path.read_text(encoding="utf-8")
] + ["docs.reference.formulas"]


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_examples_of_a_module(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testmod(importlib.import_module(module), optionflags=options)

    assert result.attempted > 0
    assert result.failed == 0, capsys.readouterr().out

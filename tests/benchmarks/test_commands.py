"""Commands on the pages that repeat figures name options that their programs have."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"`?python -m (benchmarks[\w.]*)((?: --?[\w.-]+| [\w./]+)*)`")
COMMANDS = sorted(
    {
        found
        for page in (ROOT / "docs").rglob("*.md")
        for found in COMMAND.findall(page.read_text(encoding="utf-8"))
    }
)


def options_of(program: Path) -> set[str]:
    """Return the options that the decorator of a program declares."""
    calls = [
        node
        for node in ast.walk(ast.parse(program.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "benchmark"
    ]
    names = {keyword.arg or "" for call in calls for keyword in call.keywords}
    return {name.replace("_", "-") for name in names}


def test_the_pages_name_commands() -> None:
    assert len({module for module, _ in COMMANDS}) > 15


@pytest.mark.parametrize(("module", "typed"), COMMANDS)
def test_a_command_names_options_that_it_has(module: str, typed: str) -> None:
    place = ROOT / module.replace(".", "/")
    program = place / "__main__.py" if place.is_dir() else place.with_suffix(".py")
    assert set(re.findall(r"--([\w-]+)", typed)) <= options_of(program)

"""What the pages name is there: commands and their options, modules, files, plans.

An option that is renamed fails here on every page that still has its old name.
"""

import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import stopwise as sw
from docs.reference import commands
from stopwise.study.runner_file import RunnerFile

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMANDS = dict(commands.commands())
LINE = re.compile(r"(?:^|[`$/ ])(stopwise [a-z][^`\n]*)", re.MULTILINE)
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`((?:tests|benchmarks|docs|src)/[\w/.-]+\.\w+)`")
RUNNER = "# runner.yaml"  # how the file of a runner begins
MODULE = re.compile(r"python -m (benchmarks[\w.]*)")


def shown(page: Path) -> Iterator[str]:
    """Yield the commands of a page: in blocks for the terminal, and between backticks."""
    text = page.read_text(encoding="utf-8")
    for language, block in FENCE.findall(text):
        if language in {"console", "bash", "ini"}:
            yield from LINE.findall(block.replace("\\\n", " "))
    yield from re.findall(r"`(stopwise [a-z][^`]*)`", FENCE.sub("", text))


def words(line: str) -> list[str]:
    """Return the words of a command up to a comment or the next command."""
    return shlex.split(re.split(r"\s(?:#|\|\||&&|\|)\s", line)[0])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_options_on_a_page_exist(page: Path) -> None:
    unknown = []
    for line in shown(page):
        found = words(line)
        names = [" ".join(found[:length]) for length in (4, 3, 2)]
        command = next((COMMANDS[name] for name in names if name in COMMANDS), None)
        if command is None:
            unknown.append(line)
            continue
        known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
        options = {word.partition("=")[0] for word in found if re.match(r"--[a-z]", word)}
        unknown += [f"{line}: {option}" for option in sorted(options - known)]

    assert unknown == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_modules_on_a_page_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    files = [name for name in FILE.findall(text) if not (ROOT / name).exists()]
    modules = [name for name in MODULE.findall(text) if importlib.util.find_spec(name) is None]

    assert files == []
    assert modules == []


def test_plans_in_the_guides_are_plans(tmp_path: Path) -> None:
    """Each block of YAML with policies can be locked as it stands."""
    fences = [found for page in PAGES for found in FENCE.findall(page.read_text(encoding="utf-8"))]
    blocks = [block for language, block in fences if language == "yaml" and "policies:" in block]
    plans = [block for block in blocks if not block.startswith(RUNNER)]
    for number, plan in enumerate(plans):
        study = sw.Study.create(tmp_path / str(number), yaml.safe_load(plan))
        study.lock()
        study.close()

    assert plans
    files = [block for block in blocks if block.startswith(RUNNER)]
    for file in files:
        RunnerFile.model_validate(yaml.safe_load(file))
    assert files

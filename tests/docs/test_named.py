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
MODULE = re.compile(r"python -m (benchmarks[\w.]*)")


def shown(text: str) -> Iterator[list[str]]:
    """Words of the commands of a page: in blocks for the terminal, and between backticks."""
    lines = re.findall(r"`(stopwise [a-z][^`]*)`", FENCE.sub("", text))
    for language, block in FENCE.findall(text):
        if language in {"console", "bash", "ini"}:
            lines += LINE.findall(block.replace("\\\n", " "))
    for line in lines:
        yield shlex.split(re.split(r"\s(?:#|\|\||&&|\|)\s", line)[0])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    unknown = [name for name in FILE.findall(text) if not (ROOT / name).exists()]
    unknown += [name for name in MODULE.findall(text) if importlib.util.find_spec(name) is None]
    for words in shown(text):
        names = [" ".join(words[:length]) for length in (4, 3, 2)]
        command = next((COMMANDS[name] for name in names if name in COMMANDS), None)
        if command is None:
            unknown.append(" ".join(words))
        else:
            known = {option for parameter in command.params for option in parameter.opts}
            options = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
            unknown += [f"{names[-1]}: {option}" for option in options - known - {"--help"}]

    assert unknown == []


def test_plans_in_the_guides_are_plans(tmp_path: Path) -> None:
    """Each block of YAML with policies can be locked as it stands, or is the file of a runner."""
    fences = [fence for page in PAGES for fence in FENCE.findall(page.read_text(encoding="utf-8"))]
    blocks = [block for language, block in fences if language == "yaml" and "policies:" in block]
    assert len(blocks) > 5
    for number, block in enumerate(blocks):
        if block.startswith("# runner.yaml"):
            RunnerFile.model_validate(yaml.safe_load(block))
        else:
            with sw.Study.create(tmp_path / str(number), yaml.safe_load(block)) as study:
                study.lock()

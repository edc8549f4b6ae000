"""The README: its links lead somewhere, here and on a package index, and its commands work."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hatch_build import for_index
from tests.cli.processes import environment

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
TARGET = re.compile(r'\]\(([^)\s]+)\)|<img src="([^"]+)"')
ADDRESS = "https://example.org/lab/stopwise"


def targets(text: str) -> list[str]:
    """Targets of its links and images."""
    return ["".join(found) for found in TARGET.findall(text)]


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {re.sub(r"\s", "-", heading.strip()) for heading in plain}


def test_it_is_short() -> None:
    assert TEXT.count("\n") < 130


def test_its_links_lead_to_files_and_headings() -> None:
    broken = []
    for target in targets(TEXT):
        file, _, anchor = target.partition("#")
        page = ROOT / file
        if not page.exists() or (anchor and anchor not in anchors(page)):
            broken.append(target)

    assert len(targets(TEXT)) > 30
    assert broken == []


def test_on_an_index_every_link_is_absolute_or_gone() -> None:
    known = for_index(TEXT, ADDRESS, "v1.2.3")
    unknown = for_index(TEXT, "", "v1.2.3")

    assert len(targets(known)) == len(targets(TEXT))
    assert f"{ADDRESS}/blob/v1.2.3/docs/first-steps.md" in targets(known)
    assert f"{ADDRESS}/raw/v1.2.3/docs/images/study-owner.png" in targets(known)
    assert all(target.startswith(ADDRESS) for target in targets(known))
    assert targets(unknown) == []
    assert "Tutorial: docs/first-steps.md." in unknown


def shown() -> list[tuple[str, str]]:
    """Return the commands after the line that installs, and what is quoted of their output."""
    [block] = re.findall(r"```console\n(\$ python3 -m venv .*?)```", TEXT, re.DOTALL)
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[2:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


@pytest.mark.parametrize(("command", "said"), shown(), ids=lambda text: text[:20].strip())
def test_its_commands_print_what_it_quotes(command: str, said: str, tmp_path: Path) -> None:
    words = [
        str(ROOT / word) if word.startswith("src/") else word
        for word in shlex.split(command, comments=True)
    ]
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, text=True, check=False, cwd=tmp_path,
        env=environment(),
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    printed = " ".join(done.stdout.split())
    for quoted in filter(None, map(str.strip, " ".join(said.split()).split("..."))):
        assert quoted in printed

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
ADDRESS = "https://example.org/lab/stopwise"
# Commands after the line that installs, each with what is quoted of its output.
BLOCK = re.findall(r"```console\n(\$ python3 -m venv .*?)```", TEXT, re.DOTALL)[0]
SHOWN = [part.split("\n", 1) for part in re.split(r"^\$ ", BLOCK, flags=re.MULTILINE)[2:]]


def targets(text: str) -> list[str]:
    links = re.findall(r'\]\(([^)\s]+)\)|<img src="([^"]+)"', text)
    return ["".join(link) for link in links]


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings)
    return {re.sub(r"\s", "-", heading) for heading in plain}


def test_it_is_short() -> None:
    assert TEXT.count("\n") < 130


@pytest.mark.parametrize("target", targets(TEXT))
def test_its_links_lead_to_files_and_headings(target: str) -> None:
    file, _, anchor = target.partition("#")

    assert (ROOT / file).exists()
    assert not anchor or anchor in anchors(ROOT / file)


def test_on_an_index_every_link_is_absolute_or_gone() -> None:
    known = targets(for_index(TEXT, ADDRESS, "v1.2.3"))
    unknown = for_index(TEXT, "", "v1.2.3")

    assert len(known) == len(targets(TEXT))
    assert f"{ADDRESS}/blob/v1.2.3/docs/first-steps.md" in known
    assert f"{ADDRESS}/raw/v1.2.3/docs/images/study-owner.png" in known
    assert all(target.startswith(ADDRESS) for target in known)
    assert targets(unknown) == []
    assert "Tutorial: docs/first-steps.md." in unknown


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=lambda text: text[:20].strip())
def test_its_commands_print_what_it_quotes(command: str, output: str, tmp_path: Path) -> None:
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
    assert all(" ".join(quoted.split()) in printed for quoted in output.split("..."))

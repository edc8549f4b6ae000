"""The map of the folders, and what it promises, hold for the tree as it is."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from benchmarks.house import class_names, listings

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")


def test_every_folder_is_on_the_map() -> None:
    table = PAGE.partition("## The folders")[2].partition("## One of each")[0]
    package = ROOT / "src" / "stopwise"
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    files = {path.name for path in package.glob("[a-z]*.py")}

    named = set(re.findall(r"`([a-z_]+)/`", table)) | set(re.findall(r"`([a-z_]+\.py)`", table))
    assert folders | files == named


def test_every_file_of_a_study_is_on_its_map() -> None:
    table = PAGE.partition("## The files of `study/`")[2].partition("## Four walks")[0]
    files = {path.name for path in (ROOT / "src" / "stopwise" / "study").glob("[a-z]*.py")}

    assert files == set(re.findall(r"`([a-z_]+\.py)`", table))


def test_no_class_name_is_used_twice() -> None:
    """A name that is used twice is one that says too little."""
    assert [name for name, number in class_names(ROOT).items() if number > 1] == []


def test_the_settings_are_spelled_out_where_the_page_says() -> None:
    """Fails when a new place lists the settings again."""
    files = Counter(str(path.relative_to(ROOT / "src" / "stopwise")) for path, _ in listings(ROOT))

    assert files == {
        "core/rules.py": 1,  # the value itself
        "questions/analysis.py": 1,  # its JSON
        "study/study_plan.py": 1,  # what study.yaml declares
        "cli/options.py": 1,  # the options of all commands
    }


def test_the_numbers_of_the_page_are_counted(tmp_path: Path) -> None:
    """Of a small tree by the command: its own takes seconds, and has other numbers every day."""
    folder = tmp_path / "src" / "stopwise"
    (folder / "one").mkdir(parents=True)
    (folder / "one" / "same.py").write_text('"""Told."""\n\nclass Same:\n    x = 1  # said\n')
    call = "f(method=0, alpha=0, n_max=0, bounds=0, design=0) if rules.by else 0\n"
    (folder / "same.py").write_text(f"# Why.\nclass Same:\n    pass\n\n{call}")
    command = [sys.executable, "-m", "benchmarks.house", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = dict(line.split(": ") for line in done.stdout.splitlines())

    assert {what: int(number) for what, number in found.items()} == {
        "places that list the settings": 1,
        "files": 2,
        "lines": 9,
        "lines of code": 5,
        "conditions on a reading outside core/readings": 1,
        "class names used twice": 1,
        "module names used twice": 1,
    }

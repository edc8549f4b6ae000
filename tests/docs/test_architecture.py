"""The map of the folders, and what it promises, hold for the tree as it is."""

import ast
import re
from collections import Counter
from pathlib import Path

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
    names = Counter(
        node.name
        for path in (ROOT / "src" / "stopwise").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, number in names.items() if number > 1] == []

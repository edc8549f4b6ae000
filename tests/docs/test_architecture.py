"""The map of the folders, and what it promises, hold for the tree as it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "stopwise"
PAGE = (ROOT / "docs" / "design" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("heading", "folder"), [("The folders", SOURCE), ("The files of `study/`", SOURCE / "study")]
)
def test_every_folder_and_file_is_on_its_map(heading: str, folder: Path) -> None:
    table = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    files = {path.name for path in folder.glob("[a-z]*.py")}
    folders = {f"{path.parent.name}/" for path in folder.glob("*/__init__.py")}

    assert files | folders == set(re.findall(r"`([a-z_]+(?:\.py|/))`", table))


def test_no_class_name_is_used_twice() -> None:
    """A name that is used twice is one that says too little."""
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    names = re.findall(r"^class (\w+)", text, re.MULTILINE)

    assert sorted(names) == sorted(set(names))

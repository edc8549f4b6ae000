"""Advice is in the words of the command line: nothing that a command prints is Python."""

import json
import re
from pathlib import Path

import pytest

from stopwise.cli.wording import as_option
from stopwise.messages import BLANK, Setting
from tests.cli.typed import run

# columns={'block': 'episode'}, missing='drop', again=True, score=
PYTHON = re.compile(r"(?<!--column )\b[a-z_]+=(\{|'|True|None|[ ,;)]|$)", re.MULTILINE)


@pytest.mark.parametrize(
    ("setting", "typed"),
    [
        (Setting("missing", "drop"), "--missing drop"),
        (Setting("score"), "--score"),
        (Setting("score", "my score"), "--score 'my score'"),
        (Setting("on_error", "score:0"), "--on-error score:0"),
        (Setting("again", True), "--again"),
        (Setting("bounds", (0, 1)), "--bounds 0,1"),
        (Setting("columns", {"block": "episode"}), "--column block=episode"),
        (Setting("columns", {"trial": None}), "--column trial="),
        (Setting("columns", {"task": [BLANK]}), "--column task=NAME,NAME"),
        (Setting("columns", {"time": BLANK}), "--column time=NAME"),
        (Setting("columns", {"task": ["a", "b"]}), "--column task=a,b"),
        (Setting("guesses", words="(mean, standard deviation)"), "MEAN+-SD, as in 50+-20"),
    ],
)
def test_each_setting_is_an_option(setting: Setting, typed: str) -> None:
    assert as_option(setting) == typed


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A column per policy, whose note advises a column of blocks."""
    path = tmp_path / "wide.csv"
    path.write_text("old,new\n" + "0.5,0.7\n0.2,0.9\n0.4,0.6\n" * 5)
    return path


@pytest.mark.parametrize(
    "command",
    [
        "analyze {wide}",
        "watch {wide} --once",
        "plan --pilot {wide} --n-max 12 --precision 0.1",
        "forecast {wide} --n-max 20 --precision 0.1",
    ],
)
def test_notes_are_options_on_the_screen_and_on_the_page(
    command: str, wide: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    written = [] if command.startswith("watch") else ["--html", str(page)]
    code, output = run(*command.format(wide=wide).split(), "--bounds", "0,1", *written)

    assert code in (0, 3), output
    assert "if those in a row of the table do, say so with --design paired" in output
    assert not PYTHON.search(output)
    if written:
        assert "--design paired" in page.read_text()
        assert "columns=" not in page.read_text()


def test_how_a_file_was_read_is_one_line_on_the_screen_and_a_note_each_in_json(
    tmp_path: Path,
) -> None:
    path, page = tmp_path / "trials.csv", tmp_path / "page.html"
    path.write_text("model,episode,success\n" + "old,1,no\nnew,1,yes\nold,2,yes\nnew,2,yes\n")
    _, output = run("analyze", str(path), "--html", str(page))
    _, content = run("analyze", str(path), "--json")

    read = "policy = model, score = success, trial = episode; override with --column"
    notes = [line for line in output.splitlines() if line.startswith("note: ")]
    assert len(notes) == 2
    assert notes[0] == f"note: columns used: {read} policy=NAME"
    assert page.read_text().count("<li>columns used: ") == 1
    assert {
        "policy column: 'model' (guessed)",
        "trial column: 'episode' (guessed)",
        "score column: 'success' (guessed)",
        "bounds of 'success': [0, 1], since it holds only true and false (or yes and no)",
    } < set(json.loads(content)["warnings"])

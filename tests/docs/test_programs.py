"""The small programs of the guide run as they stand there, in a folder with the files they name."""

import ast
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from tests.cli.processes import environment

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "guides" / "programs.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r'^```python title="(.+?)"\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the programs run, with the results that they read."""
    rng = np.random.default_rng(3)
    rows = [
        f"{task},{policy},{rng.binomial(4, rate) / 4}\n"
        for task in ("cup", "drawer")
        for _ in range(40)
        for policy, rate in {"base": 0.3, "new": 0.85}.items()
    ]
    (tmp_path / "results.csv").write_text("task,policy,score\n" + "".join(rows))
    (tmp_path / "check.csv").write_text("task,policy,score\n" + "".join(rows[:80]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*command: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], input=typed, capture_output=True, text=True, check=False,
        env=environment(),
    )  # fmt: skip


def test_the_loop_at_the_robot_stops_by_itself(folder: Path) -> None:
    """Whoever is asked for, one number serves both: a typo, then a pair that shows nothing."""
    first = run("-c", PROGRAMS["loop.py"], typed="0,5\n0.5\n7\n0.5\n0.5\n")

    assert "a number, please" in first.stdout
    assert "must lie within the bounds [0, 1]" in first.stdout
    assert first.returncode == 1  # nobody was there any more: the power went
    assert sw.SequentialTest.from_json((folder / "test.json").read_text()).verdict.n == 1

    test = sw.SequentialTest(n_max=50, bounds=(0, 1))
    test.run([0.5, 0.25] * 3, [0.25, 0.5] * 3)
    (folder / "test.json").write_text(test.to_json())
    again = run("-c", PROGRAMS["loop.py"], typed="0\n0\n" * 60)
    assert again.stdout.startswith("pair 7: run ")
    assert again.returncode == 0
    assert "alpha = 0.05" in again.stdout.splitlines()[-1]


def test_the_cells_of_the_notebook_show_a_table_figures_and_text() -> None:
    notebook = json.loads((DOCS / "notebook.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    shown = []
    for cell in cells:
        *statements, last = ast.parse(cell).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(statements, []), "cell", "exec"), names)
        shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))

    analysis, scores, intervals, stream, verdict, *_ = shown
    assert "<table" in analysis._repr_html_()
    for figure in (scores, intervals, stream):
        picture = io.BytesIO()
        figure.savefig(picture)
        assert len(picture.getvalue()) > 5_000
    assert verdict.decision.value == "policy1"


@pytest.mark.parametrize("name", ["groups.py", "groups_pandas.py", "table.py"])
def test_a_program_answers(name: str, folder: Path) -> None:
    done = run("-c", PROGRAMS[name])

    assert done.returncode == 0, done.stderr
    if name == "table.py":
        assert (folder / "policies.tex").read_text().startswith("\\begin{tab")
        assert "@" in (folder / "references.bib").read_text()
    else:
        assert "cup,new > base" in done.stdout
        assert "drawer,new > base" in done.stdout


def test_the_check_and_the_command_end_alike() -> None:
    done = run("-c", PROGRAMS["check.py"])
    [words] = re.findall(r"^\$ (stopwise gate .*)$", PAGE, re.MULTILINE)
    other = run("-m", *shlex.split(words))

    assert done.returncode == other.returncode == 0, done.stderr + other.stderr
    assert done.stdout.split() == other.stdout.split()[: len(done.stdout.split())]
    assert "new is less than 0.1 worse than base" in done.stdout

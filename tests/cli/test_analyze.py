"""``stopwise analyze`` as a user runs it."""

import json
from pathlib import Path

import pytest

from benchmarks.paper.datasets import DATA, ROBOARENA
from tests.cli.typed import EXAMPLE, run


def test_report_and_figures_are_written(tmp_path: Path) -> None:
    code, output = run(
        "analyze", EXAMPLE, "--bounds", "0,1",
        "--html", str(tmp_path / "report.html"), "--figures", str(tmp_path / "figures"),
    )  # fmt: skip

    assert code == 0
    assert "report.html" in output
    assert "Which policy is better?" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "figures" / "scores.svg").exists()


def test_figures_of_tasks_stay_in_their_folder(tmp_path: Path) -> None:
    """A task is a name, whatever it looks like as a path."""
    path = tmp_path / "tasks.csv"
    rows = [f"{task},{p},{s}" for task in ("../../up", "/a b") for p in "xy" for s in (0.1, 0.9)]
    path.write_text("\n".join(["task,policy,score", *rows]) + "\n")

    code, _ = run("analyze", str(path), "--bounds", "0,1", "--figures", str(tmp_path / "figures"))

    folders = sorted(folder.name for folder in (tmp_path / "figures").iterdir())
    assert code == 0
    assert folders == ["1-up", "2-a_b", "board.pdf", "board.png", "board.svg"]


if (DATA / "roboarena_complete599.csv").is_file():

    def test_roboarena_as_in_the_paper(tmp_path: Path) -> None:
        """The published trials per policy, through the command line."""
        lines = (DATA / "roboarena_complete599.csv").read_text().splitlines()
        wanted = tuple(f",{name}," for name in ROBOARENA.values())
        kept = [line for line in lines[1:] if any(name in line for name in wanted)]
        (tmp_path / "four.csv").write_text("\n".join([lines[0], *kept]) + "\n")

        code, output = run(
            "analyze", str(tmp_path / "four.csv"), "--method", "nscore", "--bins", "21",
            "--adjust", "bonferroni", "--design", "paired", "--ties", "paper",
            "--bounds", "0,1", "--json",
        )  # fmt: skip
        used = {p["name"]: p["trials_used"] for p in json.loads(output)["policies"]}

        assert code == 0
        assert {shown: used[name] for shown, name in ROBOARENA.items()} == {
            "pi0": 395, "pi0-FAST": 503, "PG-Diff": 503, "PG-Bin": 18,
        }  # fmt: skip


@pytest.fixture
def returns(tmp_path: Path) -> str:
    """A file of returns in the thousands, without a task column."""
    rows = [f"sac,{3000 + 10 * i}\nppo,{2000 - 10 * i}" for i in range(20)]
    path = tmp_path / "returns.csv"
    path.write_text("algo,return\n" + "\n".join(rows) + "\n")
    return str(path)


def test_returns_are_written_out(returns: str, tmp_path: Path) -> None:
    """Not as 3.1e+03, in the terminal and in the report."""
    page = tmp_path / "report.html"
    code, output = run("analyze", returns, "--bounds", "0,5000", "--html", str(page))

    assert code == 0
    assert "3095" in output
    assert "e+03" not in output + page.read_text()
    assert "task task" not in output

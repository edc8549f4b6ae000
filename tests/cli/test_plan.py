"""``stopwise plan`` and ``forecast`` as a user runs them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import stopwise as sw
from stopwise.cli import app

FAST = ["--method", "step", "--n-max", "10,20"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plan", *arguments])


def ahead(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["forecast", *arguments])


@pytest.fixture
def trials(tmp_path: Path) -> Path:
    rows = [f"base,{i % 3 // 2},{i % 4 / 4}\nnew,{i % 2},{i % 4 / 4 + 0.25}\n" for i in range(16)]
    path = tmp_path / "trials.csv"
    path.write_text("policy,success,score\n" + "".join(rows))
    return path


def test_guesses_in_all_forms() -> None:
    simulated = ["--n-max", "10", "--precision", "0.1", "--json"]
    for guesses in (
        ["0.2", "0.9"],
        ["0.3+-0.1", "0.7±0.1"],
        ["0:0.8,1:0.2", "0:0.2,0.5:0.3,1:0.5"],
    ):
        content = json.loads(run(*guesses, *simulated).stdout)
        assert content["rows"][0]["power"] > 0.3
        assert content["rows"][0]["n_max"] == 10


def test_percentages_are_shares() -> None:
    text, rates = sw.plan("50%", ".7", n_max=10), sw.plan(0.5, 0.7, n_max=10)
    assert text.rows == rates.rows
    typed = run("50%", "70%", *FAST, "--margin", "5%", "--power", "90%", "--json").stdout
    assert typed == run("0.5", "0.7", *FAST, "--margin", "0.05", "--power", "0.9", "--json").stdout
    assert run("50%+-20%", "--gaps", "10%", "--n-max", "10", "--precision", "0.1").exit_code == 0


def test_hours_page_and_figures(tmp_path: Path) -> None:
    page, folder = tmp_path / "plan.html", tmp_path / "figures"
    files = ("--html", str(page), "--figures", str(folder))
    done = run("0.3", "0.8", *FAST, "--minutes-per-trial", "3", *files)

    assert done.exit_code == 0
    assert "hours" in done.stdout
    assert "How many trials will it take?" in page.read_text()
    assert (folder / "power.svg").exists()


def test_midway_forecast(trials: Path) -> None:
    given = [str(trials), "--bounds", "0,1.25", "--n-max", "40"]
    done = ahead(*given, "--futility-chance", "0.1")
    content = json.loads(ahead(*given, "--json").stdout)

    assert done.exit_code == 0
    assert "does not affect validity" in " ".join(done.stdout.split())
    assert content["seen"] == {"base": 16, "new": 16}


def test_several_scores_of_a_pilot_are_one_table(trials: Path) -> None:
    page = trials.with_name("scores.html")
    given = ["--pilot", str(trials), "--score", "success=0,1", "--score", "score", "--bounds"]
    given += ["0,1.25", "--n-max", "15,30", "--precision", "0.1"]
    done = run(*given, "--html", str(page))
    content = json.loads(run(*given, "--json").stdout)
    alone = json.loads(run(*given[:2], *given[4:], "--json").stdout)

    assert done.exit_code == 0, done.output
    assert "score n_max power" in " ".join(done.stdout.split())
    assert "score would need the fewest trials on average" in " ".join(done.stdout.split())
    assert [own["score"] for own in content] == ["success", "score"]
    assert content[1] == {"score": "score", **alone}
    assert "Score success" in page.read_text()


def test_several_tasks_are_forecast_on_one_page(trials: Path, tmp_path: Path) -> None:
    header, *rows = trials.read_text().splitlines()
    lines = [f"{row},{task}" for task in ("cup", "<b>lid") for row in rows]
    trials.write_text("\n".join([f"{header},task", *lines]))
    page, folder = tmp_path / "ahead.html", tmp_path / "figures"
    done = ahead(
        str(trials), "--bounds", "0,1.25", "--n-max", "40", "--precision", "0.1",
        "--html", str(page), "--figures", str(folder), "--json",
    )  # fmt: skip

    assert [task["task"] for task in json.loads(done.stdout)] == ["cup", "<b>lid"]
    assert page.read_text().count("data:image/svg+xml") == 2
    assert "Task &lt;b&gt;lid" in page.read_text()
    assert "does not affect validity" in page.read_text()
    assert len(list(folder.rglob("further.svg"))) == 2


def test_naming_the_best() -> None:
    given = ["0.3", "0.5", "0.9", "--goal", "best", "--n-max", "60", "--precision", "0.05"]
    done = run(*given)
    content = json.loads(run(*given, "--indifference", "0.1", "--json").stdout)
    said = " ".join(done.stdout.split())

    assert done.exit_code == 0
    assert "If the two best are equal" in said
    assert "names the best of 3 with probability" in said
    assert content["indifference"] == 0.1
    assert len(content["rows"]) == len(content["equal"]) == 1

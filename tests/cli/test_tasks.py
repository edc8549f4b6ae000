"""The mean over tasks, as it is typed."""

from pathlib import Path

import pytest

from tests.cli.typed import run

RACE = [
    "race", "--policy", "low=tests.rollout.players:make_low",
    "--policy", "high=tests.rollout.players:make_high",
]  # fmt: skip
ENV = "tests.rollout.players:draw"


@pytest.fixture
def trials(tmp_path: Path) -> str:
    """Three tasks in turn; the second policy is better on each."""
    path = tmp_path / "trials.csv"
    lines = [
        f"{task},{policy},{int((number % 5 < 4) == (policy == 'new'))}"
        for number in range(20)
        for task in ("lift", "push", "reach")
        for policy in ("old", "new")
    ]
    path.write_text("\n".join(["task,policy,success", *lines]) + "\n")
    return str(path)


def test_a_file_is_ranked_by_the_mean_over_its_tasks(trials: str) -> None:
    mean = ["analyze", trials, "--bounds", "0,1", "--tasks"]
    code, output = run(*mean, "mean:lift=2")
    _, doubted = run(*mean, "random")

    assert code == 0
    assert "new > old (> means better in the weighted mean over 3 tasks" in output
    assert "Each task by itself (a description" in output
    assert "50 %" in output
    assert "do not look like fresh draws in random order" in doubted


def test_a_race_names_its_tasks(tmp_path: Path) -> None:
    page = tmp_path / "race.html"
    tasks = ["--env", f"lift={ENV}", "--env", f"push={ENV}"]
    code, output = run(*RACE, *tasks, "--tasks", "mean", "--n-max", "60", "--html", str(page))
    alone, why = run(*RACE, *tasks)

    assert code == 0, output
    assert "high > low (> means better in the mean over 2 tasks" in output
    assert "the tasks were drawn with seed" in output
    assert "<h2>Mean over tasks</h2>" in page.read_text()
    assert alone != 0
    assert "several environments are tasks: give --tasks mean" in why

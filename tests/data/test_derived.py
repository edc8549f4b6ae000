"""Scores made of several columns."""

from pathlib import Path

import pytest

import stopwise as sw
from tests.cli.typed import run
from tests.data import files

ROWS = [("a", 1, 0, 0.5), ("b", 1, 1, 0.25), ("a", 0, 1, 1), ("b", 1, 1, 0)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    lines = [",".join(map(str, row)) for row in ROWS]
    return files.text(tmp_path / "a.csv", "\n".join(["policy,clean,re-run,x 2", *lines, ""]))


@pytest.mark.parametrize(
    ("score", "scores", "bounds"),
    [
        ("re-run - clean", [-1, 0, 1, 0], (-1, 1)),
        ("re-run − clean", [-1, 0, 1, 0], (-1, 1)),
        ("0.5 * clean + re-run*0.5", [0.5, 1, 0.5, 1], (0, 1)),
        ("1 - x 2", [0.5, 0.75, 0, 1], (0, 1)),
        ("-2*clean+x 2", [-1.5, -1.75, 1, -2], (-2, 1)),
    ],
)
def test_sums_of_columns_have_the_bounds_that_follow(
    path: Path, score: str, scores: list[float], bounds: tuple[float, float]
) -> None:
    trials = sw.read_trials(path, score=score)

    assert trials.frame["score"].to_list() == scores
    assert trials.bounds == {"task": bounds}
    assert "more of which counts as better; if less is, say" in trials.notes[0]
    assert any("are assumed to lie in [0, 1]" in note for note in trials.notes)
    assert sw.analyze(path, score=score, lower_is_better=True).bounds == bounds


@pytest.mark.parametrize("score", ["clean * clean", "clean / 2", "(clean)", "clean - y", "open(1)"])
def test_what_is_no_sum_of_columns_is_no_column(path: Path, score: str) -> None:
    with pytest.raises(sw.InvalidInput, match="there is no column"):
        sw.read_trials(path, score=score)


def test_bounds_are_asked_for_where_none_follow(path: Path) -> None:
    files.text(path, "policy,time,delay,success\na,3,4,yes\nb,5,1,no\n")
    assert sw.read_trials(path, score="time - delay").bounds == {}
    assert sw.read_trials(path, score="time - delay", bounds=(-9, 9)).bounds == {"task": (-9, 9)}
    code, said = run("analyze", str(path), "--score", "time - delay")
    assert (code, "--bounds" in said) == (2, True)
    code, said = run("analyze", str(path), "--score", "1 - success")
    assert code == 0

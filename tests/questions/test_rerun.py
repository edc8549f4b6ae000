"""Two runs of one policy on the same scenes."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import stopwise as sw
from stopwise.cli import app
from stopwise.errors import InvalidInput

RNG = np.random.default_rng(3)


def run(flips: float, gap: float = 0.0, scenes: int = 500, **columns: Any) -> pl.DataFrame:
    """A run whose outcomes differ from the usual ones on a share of scenes."""
    usual = np.arange(scenes) % 4 > 0
    luck = RNG.random(scenes)
    won = np.where(luck < flips / 2, True, np.where(luck < flips, False, usual))
    won = np.where(luck > 1 - gap, True, won)
    order = RNG.permutation(scenes)
    return pl.DataFrame(
        {"policy": ["pi0"] * scenes, "scene": order, "success": won[order] * 1, **columns}
    )


def test_it_says_what_flips_how_the_mean_changed_and_what_can_be_shown() -> None:
    first, second = run(0.1), run(0.1)

    found = sw.compare(first, second, rerun=True)["pi0"]

    x, y = (own.sort("scene")["success"].to_numpy() for own in (first, second))
    assert found.flips == (x != y).sum()
    assert found.change == pytest.approx(y.mean() - x.mean())
    assert found.interval.low < 0 < found.interval.high
    assert 0.03 < found.smallest_gap < 0.08
    assert f"pi0: {found.flips} of 500 scenes flip" in found.sentence
    assert "no change between the runs was shown" in found.sentence
    assert (
        "something has changed" in sw.compare(run(0.05), run(0.05, 0.4), rerun=True)["pi0"].sentence
    )


def test_the_interval_covers_and_the_smallest_gap_is_shown_as_often_as_said() -> None:
    covered = shown = 0
    for _ in range(150):
        gaps = RNG.choice([1.0, -1.0, 0.0], 200, p=[0.15, 0.05, 0.8])
        usual = np.maximum(-gaps, 0.0)
        found = sw.compare(*({"p": own} for own in (usual, usual + gaps)), rerun=True)["p"]
        covered += found.interval.low <= 0.1 <= found.interval.high
        shown += found.p_value <= 0.05

    assert covered >= 150 * 0.95 - 3 * np.sqrt(150 * 0.05)
    # Of twenty scenes that flip by themselves, a gap of .1 is what 200 of them can show.
    assert shown >= 100


def test_no_flips_at_all_bound_the_change_by_what_could_have_been_missed() -> None:
    same = {"p": [1.0, 0.0] * 50}

    found = sw.compare(same, same, rerun=True)["p"]

    assert found.flips == 0
    assert "(100 %)" in sw.compare({"p": [1]}, {"p": [0]}, rerun=True)["p"].sentence
    assert found.interval.high == pytest.approx(1 - 0.05 ** (1 / 100))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        (({"a": [1, 0]}, {"b": [1, 0], "c": [0, 1]}), "the runs have no policy in common"),
        ((run(0, scenes=4), run(0, scenes=4).with_columns(scene=9)), "has scene '9' twice"),
        (({"a": [1, 0]},), "a rerun is two runs: give both"),
        (({"a": [1, 0.5]}, {"a": [1, 0]}), "a rerun compares successes and failures"),
    ],
)
def test_what_is_no_rerun_is_refused(runs: Any, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        sw.compare(*runs, rerun=True)


def test_the_command_reads_two_files(tmp_path: Path) -> None:
    files = [str(tmp_path / f"{day}.csv") for day in ("monday", "tuesday")]
    for file in files:
        run(0.1).write_csv(file)

    result = CliRunner().invoke(app, ["compare", *files, "--rerun"])

    assert "of 500 scenes flip" in " ".join(result.output.split())
    assert "has no effect on a rerun" in CliRunner().invoke(
        app, ["compare", *files, "--rerun", "--margin", "0.1"]
    ).output.replace("\n", " ")

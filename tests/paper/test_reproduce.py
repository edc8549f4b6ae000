"""Every reproduction on small settings, and the command as a user runs it."""

import json
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from benchmarks.paper import meta, rendering, table_1_left, table_1_right
from benchmarks.paper.catalogue import REPRODUCTIONS
from benchmarks.paper.published_step import published_design
from benchmarks.paper.result import Cell, Result, Table
from benchmarks.paper.settings import Settings
from stopwise.cli import app
from stopwise.cli.reproduce import _conclude

SMALL = Settings(seed=1, share=0.02)


def command(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["reproduce", *arguments], env={"STOPWISE_DATA": None})
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("STOPWISE_CACHE", str(folder))
    return folder


def test_the_alternatives_are_the_papers() -> None:
    assert len(table_1_left.ALTERNATIVES) == 35
    assert table_1_left.HARD.sum() == 9


def test_bernoulli_rows_agree_within_monte_carlo_error() -> None:
    """Catches a bet that is systematically too small or too large, or a shifted threshold."""
    result = table_1_left.run(Settings(seed=1, share=0.24))

    assert result.compared == 8
    assert not result.disagreements
    assert result.figures["ttd"]().axes


def test_steps_exact_row_is_the_papers_where_undecided_counts_as_n() -> None:
    """At a smaller horizon; what undecided studies count moves the TTD, not the power."""
    design = published_design(table_1_left.ALPHA, 50)
    short = table_1_left.step_exact(design, counted=50)
    counted = table_1_left.step_exact(design, counted=100)

    undecided = 1 - short.power
    assert counted.mean_power == short.mean_power
    assert counted.mean_ttd - short.mean_ttd == pytest.approx(50 * undecided.mean(), abs=0.2)


def test_polynomial_rows_agree_within_monte_carlo_error() -> None:
    result = table_1_right.run(SMALL)

    assert result.compared == 4
    assert not result.disagreements
    for name in ("nscore", "wsr"):
        row = result.tables[0].rows[table_1_right.NAMES[name]]
        assert row["TTD, inverse sampler"].paper is None
    assert result.figures["share_decided"]().axes


def test_both_samplers_have_the_same_mean() -> None:
    paper, inverse = (table_1_right.scores(sampler, 40, 3) for sampler in ("paper", "inverse"))

    for one, other in zip(paper, inverse, strict=True):
        assert one.mean() == pytest.approx(other.mean(), abs=0.01)
        assert 0 <= one.min() <= one.max() <= 1


def test_the_meta_comparison_splits_the_runs() -> None:
    result = meta.run(SMALL)

    rows = result.tables[0].rows
    assert len(rows) == 4
    shares: list[Any] = [row["splits decided"].ours for row in rows.values()]
    assert all(0 <= share <= 1 for share in shares)
    assert "of 30" in str(rows[meta.PUBLISHED].get("2.5 % to 97.5 %", "of 30"))


def test_disagreements_are_found_and_survive_json() -> None:
    cells = {
        "same": Cell.exact(5, 5),
        "undecided": Cell.exact(None, None),
        "other": Cell.exact(5, 6),
        "far": Cell.simulated(10.0, 1.0, 15.7, 1.0),
        "near": Cell.simulated(10.0, 1.0, 15.6, 1.0),
        "random": Cell.one_of(5, {5, 6}, 6),
        "known": Cell.apart(54, 52),
    }
    result = Result((Table("t", tuple(cells), {"row": cells}),), ("note",))

    assert result.disagreements == (
        "t: row, other: 5 instead of 6",
        "t: row, far: 10.0 instead of 15.7",
    )
    assert result.compared == 6
    assert result.published == 7
    assert result.known_differences == ("t: row, known: 54 instead of 52",)
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))).tables == result.tables
    text = rendering.markdown(result)
    assert "5 DIFFERS" in text
    assert "54 *" in text


def test_known_differences_are_counted_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = {"same": Cell.exact(5, 5), "known": Cell.apart(54, 52), "equal": Cell.apart(7, 7)}
    result = Result((Table("t", tuple(cells), {"row": cells}),))

    _conclude(Console(width=200), SimpleNamespace(result=result, kept=False), 1.0)

    assert "Compared with the paper: 2 of 3 agree, 1 differs as stated" in capsys.readouterr().out


def test_the_list_names_every_script() -> None:
    code, printed, _ = command("--list", "--json")

    assert code == 0
    assert [entry["name"] for entry in json.loads(printed)] == list(REPRODUCTIONS)
    assert all(callable(one.run) for one in REPRODUCTIONS.values())


def test_missing_data_are_named_and_the_rest_is_run(tmp_path: Path) -> None:
    code, printed, said = command("table-2", "meta", "--quick", "--data", str(tmp_path), "--json")

    lbm, other = json.loads(printed)
    assert code == 2
    assert "doi:10.5061/dryad.xd2547dxc" in said
    assert len(lbm["missing"]) == 2
    assert not other["missing"]
    assert other["tables"]


def test_a_result_is_kept_written_and_read_again(tmp_path: Path, own_cache: Path) -> None:
    first = command("table-1-right", "--quick", "--json")
    again = command("table-1-right", "--quick", "--json", "--out", str(tmp_path / "out"))
    printed = command("table-1-right", "--quick")

    before, after = json.loads(first[1]), json.loads(again[1])
    assert before.pop("kept") is False
    assert after.pop("kept") is True
    assert before == after
    assert len(list((own_cache / "reproduce").iterdir())) == 1
    assert {path.suffix for path in (tmp_path / "out").iterdir()} == {
        ".json",
        ".md",
        ".png",
        ".svg",
    }
    assert printed[0] == 0
    assert "A quick run: 10% of the paper's redraws" in printed[1]
    assert "Compared with the paper: 4, all agree" in printed[1]


def test_a_figure_that_does_not_agree_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    """With a published TTD that is far off; catches a check that compares nothing."""
    command("--list")  # makes the scripts known under the name that they have in a wheel
    script = import_module("stopwise.reproduce.table_1_right")
    wrong = {"redraws": 3000, "methods": {"wsr": {"ttd": 400.0, "power": 0.84}}}
    monkeypatch.setattr(script, "published", lambda _name: wrong)

    code, printed, _ = command("table-1-right", "--quick")

    assert code == 1
    assert "does not agree: Table I, right" in printed
    assert own_cache.is_dir()


def test_a_file_without_its_columns_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "mujoco_returns.csv").write_text("task,return\nHopper-v3,much\n")

    code, _, said = command("table-3", "--data", str(tmp_path))

    assert code == 2
    assert "has no column 'algo'" in said


@pytest.mark.parametrize(
    "arguments", [["nonsense"], [], ["meta", "--all"], ["--all", "--list", "meta"]]
)
def test_bad_commands_are_refused(arguments: list[str]) -> None:
    code, _, said = command(*arguments)

    assert code == 2
    assert said.startswith("stopwise reproduce: ")

"""Every reproduction on small settings, and the program that runs them."""

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.paper import meta, rendering, table_1_left, table_1_right
from benchmarks.paper.__main__ import main
from benchmarks.paper.result import Cell, Result, Table
from benchmarks.paper.settings import Settings

SMALL = Settings(seed=1, share=0.02)


def program(*only: str, **options: Any) -> bool:
    """Run it quickly; return whether everything agrees."""
    usual = {"all": False, "data": None, "seed": 0, "quick": True, "out": None}
    return bool(main(Namespace(**usual | {"only": list(only)} | options)).good)


def test_the_alternatives_are_the_papers() -> None:
    assert len(table_1_left.ALTERNATIVES) == 35
    assert table_1_left.HARD.sum() == 9


def test_bernoulli_rows_agree_within_monte_carlo_error() -> None:
    """Catches a bet that is systematically too small or too large, or a shifted threshold."""
    result = table_1_left.run(Settings(seed=1, share=0.24))

    assert result.compared == 8
    assert not result.disagreements
    assert result.figures["ttd"]().axes


def test_polynomial_rows_agree_within_monte_carlo_error() -> None:
    result = table_1_right.run(SMALL)

    assert result.compared == 4
    assert not result.disagreements
    for name in ("nscore", "wsr"):
        row = result.tables[0].rows[table_1_right.NAMES[name]]
        assert row["TTD, inverse sampler"].paper is None
    assert result.figures["share_decided"]().axes


def test_the_meta_comparison_splits_the_runs() -> None:
    result = meta.run(SMALL)

    rows = result.tables[0].rows
    assert len(rows) == 4
    shares: list[Any] = [row["splits decided"].ours for row in rows.values()]
    assert all(0 <= share <= 1 for share in shares)
    assert "of 30" in str(rows[meta.PUBLISHED].get("2.5 % to 97.5 %", "of 30"))


def test_disagreements_are_found() -> None:
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
    assert json.loads(json.dumps(result.to_dict()))["compared"] == 6
    text = rendering.markdown(result)
    assert "5 DIFFERS" in text
    assert "54 *" in text


def test_missing_data_are_named_and_the_rest_is_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program("table-2", "meta", data=tmp_path)

    printed = capsys.readouterr().out
    assert printed.count("doi:10.5061/dryad.xd2547dxc") == 2
    assert meta.PUBLISHED in printed


def test_a_result_is_printed_and_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program("table-1-right", out=tmp_path / "out")

    printed = capsys.readouterr().out
    assert "A quick run: 10% of the paper's redraws" in printed
    assert "Compared with the paper: 4, all agree" in printed
    endings = {path.suffix for path in (tmp_path / "out").iterdir()}
    assert endings == {".json", ".md", ".png", ".svg"}
    content = json.loads((tmp_path / "out" / "table-1-right.json").read_text())
    assert content["compared"] == 4


def test_a_figure_that_does_not_agree_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a published TTD that is far off; catches a check that compares nothing."""
    wrong = {"redraws": 3000, "methods": {"wsr": {"ttd": 400.0, "power": 0.84}}}
    monkeypatch.setattr(table_1_right, "published", lambda _name: wrong)

    assert not program("table-1-right")
    assert "does not agree: Table I, right" in capsys.readouterr().out


@pytest.mark.parametrize("names", [["nonsense"], []])
def test_what_is_unknown_is_refused(names: list[str]) -> None:
    with pytest.raises(SystemExit, match="table-1-left, "):
        program(*names)

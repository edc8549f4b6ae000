"""Every reproduction on small settings, and the program that runs them."""

from argparse import Namespace
from typing import Any

import pytest

from benchmarks.paper import table_1_left, table_1_right
from benchmarks.paper.__main__ import main
from benchmarks.paper.settings import Settings

SMALL = Settings(seed=1, share=0.02)


def program(*only: str, **options: Any) -> bool:
    """Run it quickly; return whether everything agrees."""
    usual = {"all": False, "data": None, "seed": 0, "quick": True, "out": None}
    return bool(main(Namespace(**usual | {"only": list(only)} | options)).good)


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


def test_a_figure_that_does_not_agree_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a published TTD that is far off; catches a check that compares nothing."""
    wrong = {"redraws": 3000, "methods": {"wsr": {"ttd": 400.0, "power": 0.84}}}
    monkeypatch.setattr(table_1_right, "published", lambda _name: wrong)

    assert not program("table-1-right")
    assert "does not agree: Table I, right" in capsys.readouterr().out

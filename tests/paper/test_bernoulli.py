"""The paper's Bernoulli table on a reduced run; the full one is ``benchmarks/paper``."""

import json

import pytest

from benchmarks.paper.bernoulli import ALTERNATIVES, EXPECTED, measure

PUBLISHED = json.loads(EXPECTED.read_text())
REDRAWS = 60


def test_the_alternatives_are_the_papers() -> None:
    assert len(ALTERNATIVES) == 35
    assert sum(round(p1 - p0, 6) == 0.1 for p0, p1 in ALTERNATIVES) == 9


@pytest.mark.parametrize("name", ["nscore, 3 bins", "nscore, 10 bins", "savi", "wsr"])
def test_ttd_and_power_agree_within_monte_carlo_error(name: str) -> None:
    """Catches a bet that is systematically too small or too large, or a shifted threshold."""
    row = measure(name, REDRAWS, seed=1)
    paper = PUBLISHED[name]

    assert row.agrees(paper["ttd"], paper["power"], PUBLISHED["redraws"], REDRAWS), (row, paper)

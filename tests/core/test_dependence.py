"""Dependence within pairs is noticed while it happens, and independent scores seldom blamed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.dependence import CORRELATIONS, FALSE_ALARMS, _block_evidence, dependence
from stopwise.messages import Message

Draw = Callable[[np.random.Generator, tuple[int, int]], tuple[Floats, Floats]]


def _binary(rate0: float, rate1: float) -> Draw:
    return lambda rng, size: (
        (rng.random(size) < rate0).astype(float),
        (rng.random(size) < rate1).astype(float),
    )


def _one_drifts(rng: np.random.Generator, size: tuple[int, int]) -> tuple[Floats, Floats]:
    rates = np.linspace(0.1, 0.9, size[1])
    return (rng.random(size) < 0.5).astype(float), (rng.random(size) < rates).astype(float)


NULLS: dict[str, Draw] = {
    "even": _binary(0.5, 0.5),
    "rare": _binary(0.03, 0.1),
    "often": _binary(0.9, 0.97),
    "scores": lambda rng, size: (rng.beta(0.3, 0.3, size), rng.beta(5, 2, size)),
    "one policy drifts": _one_drifts,
}


def shared(rng: np.random.Generator, size: tuple[int, int], sign: int = 1) -> tuple[Floats, Floats]:
    """Success and failure of two policies that find the same scenes hard, or opposite ones."""
    scene = rng.standard_normal(size)
    own0, own1 = 0.6 * rng.standard_normal((2, *size))
    return (scene + own0 > 0).astype(float), (sign * scene + own1 > -0.6).astype(float)


@pytest.mark.parametrize("name", NULLS)
def test_independent_scores_are_seldom_blamed(name: str) -> None:
    """Ever within 300 pairs, in at most 1 % of studies."""
    scores = NULLS[name](np.random.default_rng(1), (700, 300))

    blamed = sum(dependence(*pairs) is not None for pairs in zip(*scores, strict=True))

    assert binomtest(blamed, 700, FALSE_ALARMS, alternative="greater").pvalue > 1e-4


def test_the_mean_e_value_of_a_block_over_its_shifts_is_one() -> None:
    rng = np.random.default_rng(4)
    scores0, scores1 = rng.random((2, 16))
    order = np.random.default_rng(16).permutation(16)
    e_values = np.zeros(CORRELATIONS.size)
    for shift in range(16):
        shifted = np.empty(16)
        shifted[order] = np.roll(scores1[order], shift)
        e_values += np.exp(_block_evidence(scores0, shifted)) / 16

    assert e_values == pytest.approx(1)


def test_a_verdict_says_so_only_where_it_matters() -> None:
    scores0, scores1 = (array[0] for array in shared(np.random.default_rng(6), (1, 120)))

    before = dependence(scores0[:60], scores1[:60])

    def verdict(**settings: Any) -> sw.Verdict:
        test = sw.SequentialTest(alpha=1e-6, **settings)
        half = test.run(scores0[:60], scores1[:60])
        assert (half.n, half.dependence) == (60, before if test.verdict.watched else None)
        return sw.SequentialTest.from_json(test.to_json()).run(scores0[60:], scores1[60:])

    found = verdict()
    assert found.dependence == "together"
    assert "rise and fall together from pair to pair" in str(found)
    assert "declare such trials as paired." in str(found)
    assert "with nscore-plus, nscore or wsr" in str(verdict(method="savi"))
    for settings in ({"design": "paired"}, {"method": "nscore"}, {"method": "wsr"}):
        assert verdict(**settings).dependence is None


@pytest.mark.parametrize(("sign", "code"), [(1, "scores-together"), (-1, "scores-opposed")])
def test_an_analysis_doubts_it_and_names_the_paired_design(sign: int, code: str) -> None:
    scores = dict(
        zip("ab", (a[0] for a in shared(np.random.default_rng(7), (1, 150), sign)), strict=True)
    )

    analysis = sw.analyze(scores)

    (doubt,) = analysis.doubts
    assert isinstance(doubt, Message)
    assert doubt.code == code
    assert "declare such trials as paired" in analysis.sentence
    assert doubt in analysis.warnings
    assert doubt in analysis.to_html().replace("&#39;", "'")
    assert ("for independent scores" in analysis.sentence) == (sign < 0)
    assert not sw.analyze(scores, design="paired").doubts
    assert not sw.analyze(scores, method="nscore").doubts

"""Intervals of many pairs at once: each its own, and in agreement with its decision."""

import numpy as np
import pytest

from stopwise.core.comparison import Comparison
from stopwise.core.rules import Rules
from stopwise.questions.analyze import analyze
from stopwise.questions.family import Family
from stopwise.questions.intervals import difference_intervals

METHODS = ["nscore-plus", "nscore", "wsr", "savi"]


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_of_a_pair_is_the_same_beside_others(method: str) -> None:
    """Also where trials are missing and some pairs never meet."""
    rng = np.random.default_rng(0)
    scores = (rng.random((60, 4)) < [0.3, 0.5, 0.5, 0.8]) * 1.0
    scores[rng.random(scores.shape) < 0.2] = np.nan
    scores[:30, 2] = scores[30:, 3] = np.nan
    pairs = Family(k=4).pairs
    comparison = Comparison(Rules.of(method=method, alternative="two-sided"), pairs=len(pairs))
    levels = np.full(len(pairs), comparison.interval_level)

    together = np.stack(difference_intervals(comparison, scores, pairs, levels), axis=-1)

    for pair in range(len(pairs)):
        alone = difference_intervals(comparison, scores, pairs[[pair]], levels[[pair]])
        assert together[pair].tolist() == np.concatenate(alone).tolist()
    assert together[-1].tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
@pytest.mark.parametrize("method", METHODS)
def test_the_interval_excludes_0_where_the_pair_is_decided(method: str, adjust: str) -> None:
    rng = np.random.default_rng(1)
    scores = {str(rate): (rng.random(80) < rate) * 5.0 for rate in (0.1, 0.5, 0.6, 0.9)}
    pairs = analyze(scores, method=method, adjust=adjust, bounds=(0, 5)).pairs

    assert {pair.decided for pair in pairs} == {True, False}
    for pair in pairs:
        if not pair.implied:
            low, high = pair.interval
            assert pair.decided == (low > 0 or high < 0)

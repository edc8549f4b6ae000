"""Intervals of many pairs at once: each its own, and in agreement with its decision."""

import numpy as np
import pytest

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.analyze import analyze
from stopwise.questions.family import Family
from stopwise.questions.intervals import columns_of, difference_intervals
from stopwise.questions.pairs import PairTests, replay

METHODS = ["nscore-plus", "nscore", "wsr", "savi"]


@pytest.mark.parametrize("method", METHODS)
def test_the_interval_of_a_pair_is_the_same_beside_others(method: str) -> None:
    """Also where trials are missing and some pairs never meet."""
    rng = np.random.default_rng(0)
    scores = (rng.random((1100, 4)) < [0.3, 0.5, 0.5, 0.8]) * 1.0
    scores[40:][rng.random((1060, 4)) < 0.02] = np.nan
    scores[:20, 2] = scores[20:, 3] = np.nan
    settings = {"method": method, "alternative": "two-sided", "adjust": "bonferroni"}
    together = replayed(Rules.of(policies=tuple("abcd"), alpha=0.06, **settings), scores)

    for pair, (first, second) in enumerate(Family(k=4).pairs.tolist()):
        alone = Rules.of(policies=("a", "b"), alpha=0.01, **settings)
        interval = replayed(alone, scores[:, [first, second]])
        assert together[pair].tolist() == interval[0].tolist()
    assert together[-1].tolist() == [-1.0, 1.0]


def replayed(rules: Rules, scores: Floats) -> Floats:
    """Return the intervals (pairs, 2) after these rows."""
    ranking = PairTests(rules)
    outcome = replay(ranking.comparison, ranking.budget, scores[None], with_trace=True)
    levels, pairs = outcome.levels[0], ranking.family.pairs
    columns = [columns_of(ranking.comparison, scores, *pair) for pair in pairs.tolist()]
    low, high, _ = difference_intervals(
        ranking.comparison, columns, levels, outcome.record, outcome.claims[0]
    )
    return np.stack([low, high], axis=-1)


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

"""Futility of several policies: the same end however it is asked, and no decision changed."""

from functools import partial

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.questions.pairs import PairStates, PairTests, replay

NAMES = ("a", "b", "c")


def scores(seed: int, rates: tuple[float, ...] = (0.5, 0.5, 0.7), rows: int = 200) -> Floats:
    return np.asarray(np.random.default_rng(seed).random((rows, len(rates))) < rates, dtype=float)


def test_advice_is_the_default_and_stops_nothing() -> None:
    table = scores(1, (0.5, 0.5, 0.5))
    rule = sw.StopRule(NAMES, n_max=80)
    said = []
    for row in table[:80]:
        for policy, score in zip(NAMES, row, strict=True):
            rule.add(policy, score)
        said.append(rule.futile)
        assert not rule.gave_up

    assert any(said)
    assert not said[0]
    assert not said[-1]  # at n_max nothing lies ahead
    assert rule.rows == 80
    early = sw.analyze(dict(zip(NAMES, table[:60].T, strict=True)), n_max=80)
    assert early.futile
    assert "a decision by n_max has become unlikely" in early.sentence
    assert early.to_dict()["pairs"][0]["futile"]
    silent = sw.analyze(dict(zip(NAMES, table[:60].T, strict=True)), n_max=80, futility=None)
    assert not silent.futile


def ended(futility: str, adjust: str, rates: tuple[float, ...], studies: int = 100) -> PairStates:
    table = np.random.default_rng(5).random((studies, 120, len(rates))) < rates
    rules = Rules.of(policies=NAMES, n_max=120, adjust=adjust, futility=futility)
    ranking = PairTests(rules)
    return replay(ranking.comparison, ranking.budget, table * 1.0)


@pytest.mark.parametrize("adjust", ["bonferroni", "holm"])
def test_a_stop_takes_claims_away_and_makes_none(adjust: str) -> None:
    free, bound = (
        partial(ended, futility, adjust)(rates=(0.4, 0.5, 0.65))
        for futility in ("advisory", "binding")
    )

    assert not (bound.claims & ~free.claims).any()
    assert (bound.last <= free.last).all()
    assert bound.last.sum() < 0.9 * free.last.sum()
    lost = (free.claims & ~bound.claims).any(axis=-1)
    assert bound.futile[lost].all()
    assert lost.mean() < 0.03
    if adjust == "bonferroni":  # under Holm another decision may have come sooner
        same = bound.claims.any(axis=-1)
        assert (bound.rows == free.rows)[same].all()

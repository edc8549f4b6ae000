"""Practically the same, among several policies: in files, live rules, races and their reports."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats

N = 200
MEANS = {"a": 0.7, "b": 0.7, "c": 0.5, "d": 0.65}


def scores_of(seed: int = 3) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    return {name: rng.binomial(6, mean, N) / 6 for name, mean in MEANS.items()}


@pytest.fixture(scope="module")
def analysis() -> sw.Analysis:
    return sw.analyze(scores_of(), equivalence=0.1, n_max=N)


def test_pairs_end_as_better_the_same_or_open(analysis: sw.Analysis) -> None:
    found = {f"{pair.policy0}{pair.policy1}": pair for pair in analysis.pairs}

    assert found["ab"].decision == "equivalent"
    assert found["ab"].relation == "a = b"
    assert found["ac"].relation == "a > c"
    assert all(pair.decided == (pair.p_value <= 0.05) for pair in analysis.pairs)
    assert "a = b" in analysis.order_text or "b = a" in analysis.order_text
    assert "(within 0.1)" in analysis.order_text
    # Letters say who was told apart, and the same were not.
    assert set(analysis.letters["a"]) & set(analysis.letters["b"])


def test_the_sentence_says_what_sameness_assumes(analysis: sw.Analysis) -> None:
    assert "= assumes a difference that stays the same" in analysis.sentence
    assert "the chance of any false claim is at most 0.05" in analysis.sentence
    assert "any false order is" in sw.analyze(scores_of(), n_max=N).sentence


def test_sameness_releases_no_alpha() -> None:
    """Under Holm an order lets others have more of alpha; sameness does not."""
    scores = scores_of()
    found = sw.analyze(scores, equivalence=0.1, n_max=N)
    plain = sw.analyze(scores, n_max=N)
    for pair, without in zip(found.pairs, plain.pairs, strict=True):
        if not pair.same:
            assert pair.interval_level <= without.interval_level


def test_a_race_of_equal_policies_ends_by_itself() -> None:
    def episode(policy: int, seed: int) -> float:
        return float(np.random.default_rng([seed, policy]).binomial(6, 0.6)) / 6

    found = sw.race({"x": 0, "y": 1}, episode, n_max=300, equivalence=0.2, seed=1)

    assert found.decided
    assert found.used < 200
    assert "= y (within 0.2)" in found.sentence or "= x (within 0.2)" in found.sentence


def test_a_plan_answers_with_the_chance_of_each_end() -> None:
    planned = sw.plan(0.7, 0.7, equivalence=0.2, n_max=150, precision=0.05)
    row = planned.rows[0]

    assert row.same is not None
    assert row.same == row.power > 0.7
    assert row.power + row.wrong + row.undecided == pytest.approx(1)
    assert planned.detectable == ()
    assert "as practically the same (within 0.2)" in planned.sentence
    apart = sw.plan(0.5, 0.8, equivalence=0.1, n_max=150, precision=0.05).rows[0]
    assert apart.same is not None
    assert apart.same < 0.05
    assert apart.power > 0.9

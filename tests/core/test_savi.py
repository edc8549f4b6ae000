"""theta-SAVI against its closed form for two levels and against the conditions of optimality."""

import math

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.savi import closest_null, likelihood_ratios


def closed_form_log_e(scores0: list[int], scores1: list[int]) -> float:
    """Beta(1, 2) and Beta(2, 1) posterior means, and q = (p0 + p1)/2."""
    log_e = 0.0
    counts = {0: [1.0, 2.0], 1: [2.0, 1.0]}  # successes, failures
    for score0, score1 in zip(scores0, scores1, strict=True):
        p0 = counts[0][0] / sum(counts[0])
        p1 = counts[1][0] / sum(counts[1])
        if p0 < p1:
            q = (p0 + p1) / 2
            for p, score in ((p0, score0), (p1, score1)):
                log_e += math.log(p / q if score else (1 - p) / (1 - q))
        counts[0][1 - score0] += 1
        counts[1][1 - score1] += 1
    return log_e


@pytest.mark.parametrize("rates", [(0.3, 0.6), (0.5, 0.5), (0.01, 0.05), (0.9, 0.99)])
def test_binary_agrees_with_closed_form(rates: tuple[float, float]) -> None:
    rng = np.random.default_rng(8)
    scores0 = (rng.random(80) < rates[0]).astype(int)
    scores1 = (rng.random(80) < rates[1]).astype(int)
    test = sw.SequentialTest("savi", alternative="greater")

    for score0, score1 in zip(scores0, scores1, strict=True):
        verdict = test.update(score0, score1)

    expected = closed_form_log_e(scores0.tolist(), scores1.tolist())
    assert verdict.log_e == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("margin", [0.0, 0.15, -0.15])
def test_closest_null_satisfies_the_lagrange_conditions(margin: float) -> None:
    """q0 and q1 are distributions whose means differ by exactly the margin."""
    rng = np.random.default_rng(9)
    values = np.array([0.0, 0.2, 0.3, 0.7, 1.0])
    weights0 = rng.multinomial(30, [0.4, 0.3, 0.2, 0.1, 0.0], 200) + 0.4
    weights1 = rng.multinomial(30, [0.1, 0.2, 0.2, 0.3, 0.2], 200) + 0.4
    weights1[100:] = weights0[100:, ::-1]
    fair = (np.ones(200), np.zeros(200))

    a, b = closest_null(weights0, weights1, values, margin, fair)

    p0, p1 = weights0 / 32, weights1 / 32

    in_alternative = (p1 - p0) @ values > margin
    ratio0, ratio1 = likelihood_ratios(a[:, None], b[:, None], values, values, margin)
    q0, q1 = p0 / ratio0, p1 / ratio1
    assert in_alternative.sum() > 90
    assert np.all(ratio0 > 0)
    assert np.all(ratio1 > 0)
    assert q0[in_alternative].sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert q1[in_alternative].sum(axis=1) == pytest.approx(1, abs=1e-6)
    assert ((q1 - q0) @ values)[in_alternative] == pytest.approx(margin, abs=1e-6)
    assert np.all(b[~in_alternative] == 0)


def test_levels_accept_rounded_values_and_nothing_else() -> None:
    test = sw.SequentialTest("savi", levels=8, alternative="greater")

    verdict = test.update(0.14285714, 0.85714286)

    assert verdict.n == 1
    with pytest.raises(sw.InvalidInput, match=r"takes only the scores 0, 0\.142857.*got 0\.5"):
        test.update(0.5, 1.0)

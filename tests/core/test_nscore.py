"""N-SCORE's numerics against slow, independent computations of the same definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import stopwise as sw
from stopwise.core.nscore import NScore, best_bet


def slow_log_e(
    scores0: list[float], scores1: list[float], centres: list[float], margin: float = 0.0
) -> list[float]:
    """N-SCORE from its definition: counts, all pairs of bins, a general optimiser."""
    k = len(centres)
    log_e, out = 0.0, []
    counts = np.full((2, k), 2.0 / k)
    bet = 0.0
    for score0, score1 in zip(scores0, scores1, strict=True):
        log_e += math.log(1.0 + bet * (score1 - score0 - margin))
        out.append(log_e)
        for row, score in enumerate((score0, score1)):
            counts[row, max(i for i in range(k) if centres[i] <= score + 1e-6)] += 1.0
        p0, p1 = counts / counts.sum(axis=1, keepdims=True)
        c = np.array(centres)
        gaps = c[None, :] - c[:, None] - margin
        weights = p0[:, None] * p1[None, :]
        if (weights * gaps).sum() <= 1e-15:
            bet = 0.0
            continue
        found = minimize_scalar(
            lambda x, w=weights, g=gaps: -(w * np.log1p(x * g)).sum(),
            bounds=(0.0, 0.995 / (1.0 + margin)),
            method="bounded",
            options={"xatol": 1e-10},
        )
        bet = float(found.x)
    return out


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("centres", [[0.0, 1.0], [0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.1, 0.6, 1.0]])
def test_agrees_with_slow_reference(centres: list[float], margin: float) -> None:
    """Catches a wrong lag table, prior weight, cap or Newton step."""
    rng = np.random.default_rng(4)
    scores0, scores1 = rng.beta(1, 2, 60), rng.beta(2, 1.5, 60)
    test = sw.SequentialTest("nscore", bin_values=centres, margin=margin, alternative="greater")

    got = [test.update(a, b).log_e for a, b in zip(scores0, scores1, strict=True)]

    expected = slow_log_e(scores0.tolist(), scores1.tolist(), centres, margin)
    assert got == pytest.approx(expected, abs=2e-6)


def test_rounded_milestones_fall_into_their_bins() -> None:
    """0.14285714 in a file is 1/7, and 0.999999999 is 1."""
    method = NScore(bins=8)

    assert method._bin(np.array([0.14285714, 0.2857, 0.999999999, 0.0])).tolist() == [1, 1, 7, 0]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    weights=st.lists(st.floats(0, 1e3), min_size=2, max_size=30),
    largest=st.floats(0.05, 0.995),
    guess=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_best_bet_is_the_maximiser(
    weights: list[float], largest: float, guess: float, seed: int
) -> None:
    """No bet on a fine grid grows faster, whatever the weights and the starting point."""
    values = np.random.default_rng(seed).uniform(-1, 1, len(weights))
    array = np.array([weights])

    bet = best_bet(array, values, np.array([guess * largest]), largest)[0]

    grid = np.linspace(0, largest, 2001)
    growth = (array * np.log1p(np.append(grid, bet)[:, None] * values)).sum(axis=1)
    assert 0 <= bet <= largest
    assert growth[-1] >= growth.max() - 1e-7 * (1 + array.sum())

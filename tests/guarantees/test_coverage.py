"""The promise: the confidence sequence holds the true difference at all times together."""

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.confidence import ConfidenceSequence, WsrConfidenceSequence
from stopwise.core.method import Floats
from tests.guarantees.nulls import NULLS
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA = 0.1
RUNS = 400
N = 120


def draws(name: str) -> tuple[Floats, Floats, float]:
    """Scores of both policies and the true mean difference."""
    rng = np.random.default_rng(6)
    size = (RUNS, N)
    if name == "bernoulli .2, .7":
        return (rng.random(size) < 0.2) * 1.0, (rng.random(size) < 0.7) * 1.0, 0.5
    if name == "beta":
        return rng.beta(2, 5, size), rng.beta(30, 20, size), 0.6 - 2 / 7
    if name == "near the end of the range":
        return (rng.random(size) < 0.01) * 1.0, (rng.random(size) < 0.995) * 1.0, 0.985
    return *NULLS[name].scores(6, RUNS, N), 0.0


def misses(sequence: ConfidenceSequence, name: str) -> int:
    """Count the runs in which the interval ever excludes the truth; check that it only shrinks."""
    scores0, scores1, truth = draws(name)
    state = sequence.start((RUNS,))
    missed = np.zeros(RUNS, dtype=bool)
    low, high = sequence.bounds(state)
    for column in range(N):
        state = sequence.step(state, scores0[:, column], scores1[:, column])
        new_low, new_high = sequence.bounds(state)
        assert np.all(new_low >= low)
        assert np.all(new_high <= high)
        low, high = new_low, new_high
        missed |= (truth < low) | (truth > high)
    return int(missed.sum())


@pytest.mark.parametrize(
    "name",
    [
        "bernoulli .02",
        "bernoulli .5",
        "skewed beta",
        "certain against jackpot",
        "opposed outcomes",
        "shared environment",
        "bernoulli .2, .7",
        "beta",
        "near the end of the range",
    ],
)
@pytest.mark.parametrize("kind", [ConfidenceSequence, WsrConfidenceSequence])
def test_true_difference_is_covered_at_all_times(kind: type[ConfidenceSequence], name: str) -> None:
    """Catches a missing factor 2 for the two sides, and inward rounding of cells."""
    count = misses(kind(alpha=ALPHA), name)

    assert_at_most(count, RUNS, ALPHA)
    assert_pinned(f"{kind.__name__}, {name}", [count])


def test_the_check_can_fail() -> None:
    """Sabotage: cells are struck out at a ninth of the evidence that they need."""
    count = misses(ConfidenceSequence(alpha=0.9), "bernoulli .5")

    assert binomtest(count, RUNS, ALPHA, alternative="greater").pvalue < 1e-4

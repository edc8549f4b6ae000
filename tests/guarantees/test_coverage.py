"""The promise: the confidence sequence holds the true difference at all times together."""

import numpy as np
import pytest
from scipy.stats import binomtest

from stopwise.core.arrays import Floats
from stopwise.core.confidence import ConfidenceSequence
from stopwise.core.wsr import WsrConfidenceSequence
from tests.guarantees.nulls import NULLS
from tests.guarantees.pinned import assert_at_most, assert_pinned

ALPHA = 0.1
RUNS = 400
BLOCK = 100  # runs side by side: so many fit into the processor's cache, twice as fast as all
N = 120


def draws(name: str, runs: int) -> tuple[Floats, Floats, float]:
    """Scores of both policies and the true mean difference."""
    rng = np.random.default_rng(6)
    size = (runs, N)
    if name == "bernoulli .2, .7":
        return (rng.random(size) < 0.2) * 1.0, (rng.random(size) < 0.7) * 1.0, 0.5
    if name == "beta":
        return rng.beta(2, 5, size), rng.beta(30, 20, size), 0.6 - 2 / 7
    if name == "near the end of the range":
        return (rng.random(size) < 0.01) * 1.0, (rng.random(size) < 0.995) * 1.0, 0.985
    return *NULLS[name].scores(6, runs, N), 0.0


def misses(sequence: ConfidenceSequence, name: str, runs: int = RUNS) -> int:
    """Count the runs in which the interval ever excludes the truth; check that it only shrinks."""
    scores0, scores1, truth = draws(name, runs)
    blocks = [slice(start, start + BLOCK) for start in range(0, runs, BLOCK)]
    return sum(missed_in(sequence, scores0[block], scores1[block], truth) for block in blocks)


def missed_in(sequence: ConfidenceSequence, scores0: Floats, scores1: Floats, truth: float) -> int:
    """Count them among the runs of one block."""
    runs = len(scores0)
    state = sequence.start((runs,))
    missed = np.zeros(runs, dtype=bool)
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
    """Catches bets that see their own pair, a wrong side, and too lenient a threshold."""
    count = misses(kind(alpha=ALPHA), name)

    assert_at_most(count, RUNS, ALPHA)
    assert_pinned(f"{kind.__name__}, {name}", [count])


def test_a_missing_factor_for_the_two_sides_shows() -> None:
    """Sabotage: each side is held against 1/alpha instead of 2/alpha, on the tightest case."""
    honest = misses(ConfidenceSequence(alpha=ALPHA), "opposed outcomes", runs=3000)
    lenient = misses(ConfidenceSequence(alpha=2 * ALPHA), "opposed outcomes", runs=3000)

    assert_at_most(honest, 3000, ALPHA)
    assert binomtest(lenient, 3000, ALPHA, alternative="greater").pvalue < 1e-4


@pytest.mark.parametrize("difference", [0.5001, 0.5019])
def test_rounding_is_outward(difference: float) -> None:
    """A certain difference near either edge of its cell is never struck out.

    Inward rounding (nulls at the cell's other edges) would strike it out within 5,000 pairs.
    """
    sequence = ConfidenceSequence(alpha=0.05)
    state = sequence.start(())
    for _ in range(6000):
        state = sequence.step(state, np.asarray(0.0), np.asarray(difference))

    low, high = sequence.bounds(state)
    assert low <= difference <= high
    assert high - low < 0.005

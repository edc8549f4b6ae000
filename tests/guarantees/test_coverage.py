"""The promise: the interval holds the true difference at all times together, at its level."""

import numpy as np
import pytest

from benchmarks.efficiency.interval_paths import interval_paths
from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from tests.guarantees.nulls import NULLS
from tests.guarantees.pinned import assert_at_most, assert_pinned

pytestmark = pytest.mark.slow(
    "thousands of studies: adds intervals at nulls that do not attain the level"
)

ALPHA = 0.1
RUNS = 400
BLOCK = 250  # runs side by side: so many fit into the processor's cache
N = 120


def draws(name: str, runs: int, n: int) -> tuple[Floats, Floats, float]:
    """Scores of both policies and the true mean difference."""
    rng = np.random.default_rng(6)
    size = (runs, n)
    if name == "bernoulli .2, .7":
        return (rng.random(size) < 0.2) * 1.0, (rng.random(size) < 0.7) * 1.0, 0.5
    if name == "beta":
        return rng.beta(2, 5, size), rng.beta(30, 20, size), 0.6 - 2 / 7
    if name == "near the end of the range":
        return (rng.random(size) < 0.01) * 1.0, (rng.random(size) < 0.995) * 1.0, 0.985
    if name == "opposed, .3 apart":
        lot = rng.random(size)
        return (lot < 0.35) * 1.0, (lot >= 0.35) * 1.0, 0.3
    return *NULLS[name].scores(6, runs, n), 0.0


def misses(name: str, rules: Rules, runs: int = RUNS, n: int = N) -> tuple[int, int]:
    """Count the runs in which either end ever passes the truth; check that ends only close in."""
    scores0, scores1, truth = draws(name, runs, n)
    low_missed = high_missed = 0
    for start in range(0, runs, BLOCK):
        block = slice(start, start + BLOCK)
        last_low, last_high = np.array(-1.0), np.array(1.0)
        for low, high, _ in interval_paths(rules, scores0[block], scores1[block]):
            assert np.all(low >= last_low)
            assert np.all(high <= last_high)
            last_low, last_high = low, high
        # ends only close in, so the last ones have passed whatever was passed ever
        low_missed += int((last_low > truth + 1e-9).sum())
        high_missed += int((last_high < truth - 1e-9).sum())
    return low_missed, high_missed


@pytest.mark.parametrize(
    ("name", "design"),
    [
        ("bernoulli .02", "independent"),
        ("bernoulli .5", "independent"),
        ("skewed beta", "independent"),
        ("certain against jackpot", "independent"),
        ("opposed outcomes", "paired"),
        ("shared environment", "paired"),
        ("bernoulli .2, .7", "independent"),
        ("beta", "paired"),
        ("near the end of the range", "independent"),
    ],
)
@pytest.mark.parametrize("method", ["nscore-plus", "nscore", "wsr"])
def test_true_difference_is_covered_at_all_times(method: str, name: str, design: str) -> None:
    """Catches bets that see their own pair, a wrong side, and too lenient a threshold."""
    rules = Rules(method=method, alpha=ALPHA, n_max=N, alternative="two-sided", design=design)
    missed = misses(name, rules)

    assert_at_most(max(missed), RUNS, ALPHA / 2)
    assert_pinned(f"interval, {method}, {name}", list(missed))

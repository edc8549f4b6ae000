"""The confidence sequence against a slow reference, and at its edges."""

import numpy as np
import pytest

import stopwise as sw
from benchmarks.efficiency.interval_paths import interval_paths
from stopwise.core.rules import Rules


def slow_wsr_interval(
    scores0: list[float], scores1: list[float], alpha: float
) -> tuple[float, float]:
    """The published WSR algorithm on a grid of candidate means, point by point."""
    grid = np.linspace(0, 1, 4001)[1:-1]
    above, below = np.ones(grid.size), np.ones(grid.size)
    kept = np.ones(grid.size, dtype=bool)
    total, squares, variance = 0.0, 0.25, 0.25
    for index, (score0, score1) in enumerate(zip(scores0, scores1, strict=True)):
        t = index + 1
        z = (score1 - score0 + 1) / 2
        bet = np.sqrt(2 * np.log(2 / alpha) / (t * np.log(t + 1) * variance))
        above *= 1 + np.minimum(bet, 0.95 / grid) * (z - grid)
        below *= 1 - np.minimum(bet, 0.95 / (1 - grid)) * (z - grid)
        kept &= np.maximum(above, below) / 2 < 1 / alpha
        total += z
        squares += (z - (0.5 + total) / (t + 1)) ** 2
        variance = squares / (t + 1)
    left = grid[kept]
    return 2 * float(left[0]) - 1, 2 * float(left[-1]) - 1


@pytest.mark.parametrize("seed", range(3))
def test_wsr_interval_agrees_with_the_published_algorithm(seed: int) -> None:
    """Up to the nodes; whose bets are renewed a little more rarely."""
    rng = np.random.default_rng(seed)
    scores0, scores1 = rng.beta(2, 3, 60), rng.beta(3, 2, 60)
    test = sw.SequentialTest("wsr", alternative="two-sided")
    for pair in zip(scores0, scores1, strict=True):
        verdict = test.update(*pair)

    low, high = slow_wsr_interval(scores0.tolist(), scores1.tolist(), 0.05)

    assert verdict.interval.low == pytest.approx(low, abs=0.01)
    assert verdict.interval.high == pytest.approx(high, abs=0.01)


@pytest.mark.parametrize("method", ["nscore-plus", "nscore", "wsr", "savi"])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_interval_leaves_the_margin_at_the_deciding_pair(method: str, alternative: str) -> None:
    """And not before: every smaller value has at least the wealth of the test against it."""
    rng = np.random.default_rng(3)
    margin = 0.0 if alternative == "two-sided" else -0.05
    way = -1 if alternative == "less" else 1
    rates = (0.45, 0.7)[::way]
    scores0, scores1 = ((rng.random((200, 120)) < rate) * 1.0 for rate in rates)
    rules = Rules.of(method=method, alternative=alternative, margin=margin, n_max=120)

    decided = 0
    for low, high, decision in interval_paths(rules, scores0, scores1):
        if alternative != "less":
            np.testing.assert_array_equal(low > margin, decision == 1)
        if alternative != "greater":
            np.testing.assert_array_equal(high < -margin, decision == 0)
        decided = int((decision >= 0).sum())
    assert decided > 40


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_one_sided_test_has_a_one_sided_bound(alternative: str) -> None:
    rng = np.random.default_rng(4)
    test = sw.SequentialTest(alternative=alternative, n_max=60, bounds=(0, 5))
    verdict = test.run(5 * rng.random(60), 5 * rng.random(60))

    free = verdict.interval.high if alternative == "greater" else -verdict.interval.low
    assert free == 5
    assert verdict.interval_level == pytest.approx(0.95)
    assert "95% confidence bound: the difference is at" in str(verdict)


@pytest.mark.parametrize(
    ("alike", "apart", "runs", "seed", "margin"),
    [(50, 60, 200, 0, 0.0), (1500, 150, 40, 1500, 0.05)],
)
def test_ends_never_cross_and_0_is_left_though_the_difference_changed(
    alike: int, apart: int, runs: int, seed: int, margin: float
) -> None:
    """Alike for long, then far apart: the ends would cross, in groups of pairs too."""
    rng = np.random.default_rng(seed)
    rates = np.where(np.arange(alike + apart) < alike, 0.5, 0.05)
    scores0, scores1 = (
        (rng.random((runs, rates.size)) < rate) * 1.0 for rate in (rates, 1.0 - rates)
    )
    rules = Rules(alternative="two-sided", margin=margin, n_max=alike + 700)

    for low, high, decision in interval_paths(rules, scores0, scores1):
        assert np.all(low <= high)
        if margin == 0:
            np.testing.assert_array_equal(low > 0, decision == 1)
    assert (decision == 1).any()

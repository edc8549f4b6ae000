"""The confidence sequence against a slow reference, and at its edges."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.confidence import CELLS, ConfidenceSequence
from stopwise.core.wsr import WsrConfidenceSequence


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
    """Up to outward rounding to cells, and the average of both sides in place of their maximum."""
    rng = np.random.default_rng(seed)
    scores0, scores1 = rng.beta(2, 3, 60), rng.beta(3, 2, 60)
    test = sw.SequentialTest("wsr")
    for pair in zip(scores0, scores1, strict=True):
        verdict = test.update(*pair)

    low, high = slow_wsr_interval(scores0.tolist(), scores1.tolist(), 0.05)

    assert verdict.interval.low == pytest.approx(low, abs=2.5 / CELLS)
    assert verdict.interval.high == pytest.approx(high, abs=2.5 / CELLS)


def test_interval_shrinks_onto_a_certain_difference() -> None:
    test = sw.SequentialTest("nscore")
    for _ in range(3000):
        verdict = test.update(0.25, 0.75)

    assert verdict.interval.low <= 0.5 <= verdict.interval.high
    assert verdict.interval.high - verdict.interval.low < 0.02


@pytest.mark.parametrize("pair", [(0.0, 1.0), (1.0, 0.0), (0.5, 0.5)])
def test_extreme_differences_stay_inside(pair: tuple[float, float]) -> None:
    test = sw.SequentialTest("nscore", alternative="two-sided")
    for _ in range(500):
        verdict = test.update(*pair)

    assert verdict.interval.low <= pair[1] - pair[0] <= verdict.interval.high


@pytest.mark.parametrize("kind", [ConfidenceSequence, WsrConfidenceSequence])
def test_an_emptied_sequence_keeps_its_last_interval(kind: type[ConfidenceSequence]) -> None:
    """Possible with probability at most alpha; no error, no empty interval."""
    sequence = kind(alpha=0.99)
    state = sequence.start(())
    rng = np.random.default_rng(0)
    for _ in range(400):
        state = sequence.step(state, np.asarray(rng.random()), np.asarray(rng.random()))
        low, high = sequence.bounds(state)
        assert low < high


def test_several_runs_at_once_are_the_runs_alone() -> None:
    rng = np.random.default_rng(1)
    scores0, scores1 = rng.random((3, 40)), rng.random((3, 40))
    sequence = ConfidenceSequence(alpha=0.05)
    together = sequence.start((3,))
    for column in range(40):
        together = sequence.step(together, scores0[:, column], scores1[:, column])
    low, high = sequence.bounds(together)

    for run in range(3):
        alone = sequence.start(())
        for column in range(40):
            alone = sequence.step(
                alone, np.asarray(scores0[run, column]), np.asarray(scores1[run, column])
            )
        assert sequence.bounds(alone) == (low[run], high[run])

"""Bets of ``nscore-plus``: what each rule of their size is there for."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus import NScorePlus


def steady(rng: np.random.Generator, size: tuple[int, int], level: float, rate: float) -> Floats:
    """Draw scores near a level, and 0 with this rate."""
    return np.where(rng.random(size) < rate, 0.0, level + rng.uniform(-0.02, 0.02, size))


def test_a_first_failure_leaves_evidence_to_go_on_with() -> None:
    """Twenty pairs without noise look certain; a bet of all would lose 4.6 at the first failure."""
    test = sw.SequentialTest("nscore-plus", n_max=1000)
    rng = np.random.default_rng(0)
    for score0, score1 in zip(
        rng.uniform(0.79, 0.81, 20), rng.uniform(0.89, 0.91, 20), strict=True
    ):
        before = test.update(score0, score1).log_e

    after = test.update(0.8, 0.0).log_e

    assert before is not None
    assert after is not None
    assert -3.0 < after - before < -0.5


@pytest.mark.parametrize("design", ["independent", "paired"])
@pytest.mark.parametrize(("level", "rate"), [(0.9, 0.05), (0.95, 0.1)])
def test_rare_failures_cost_no_power(design: str, level: float, rate: float) -> None:
    """Without the rules against rare large losses nscore needs a quarter of these trials."""
    rng = np.random.default_rng(1)
    scores = steady(rng, (200, 300), 0.8, 0.0), steady(rng, (200, 300), level, rate)

    ours = sw.simulate("nscore-plus", *scores, n_max=300, design=design, workers=1)
    published = sw.simulate("nscore", *scores, n_max=300, design=design, workers=1)

    assert ours.rate(1) >= published.rate(1)
    assert ours.n.mean() <= 1.03 * published.n.mean()


@pytest.mark.parametrize("design", ["independent", "paired"])
@pytest.mark.parametrize("margin", [0.0, 0.2, -0.2])
def test_no_bet_can_lose_everything(design: str, margin: float) -> None:
    """Factors stay positive at the worst corner, whatever was seen before."""
    method = NScorePlus(n_max=60, design=design, margin=margin)
    rng = np.random.default_rng(2)
    state = method.start((400, 1))
    for _ in range(60):
        shape0, shape1 = rng.uniform(0.05, 3.0, (2, 400, 1))
        worst = method.step(state, np.ones((400, 1)), np.zeros((400, 1)))
        assert np.isfinite(worst.log_e).all()
        assert (worst.log_e <= state.log_e + 1e-12).all()
        state = method.step(state, rng.beta(shape0, 1.0), rng.beta(1.0, shape1))

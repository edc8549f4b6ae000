"""Bets of ``nscore-plus``: what each rule of their size is there for."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats, put_runs, writable
from stopwise.core.nscore_plus import NScorePlus


def steady(rng: np.random.Generator, size: tuple[int, int], level: float, rate: float) -> Floats:
    """Draw scores near a level, and 0 with this rate."""
    return np.where(rng.random(size) < rate, 0.0, level + rng.uniform(-0.02, 0.02, size))


@pytest.mark.parametrize(
    ("settings", "first", "last", "lost"),
    [
        # Twenty pairs without noise look certain; a bet of all would lose 4.6 at the first failure.
        ({"n_max": 1000}, [(0.79, 0.91), (0.81, 0.89)] * 10, (0.8, 0.0), 3.0),
        # In the paired design a loss after ties or first wins took all but a hundredth.
        ({"n_max": 200, "design": "paired"}, [(1.0, 1.0)] * 6, (1.0, 0.0), -np.log(0.1)),
        ({"n_max": 200, "design": "paired"}, [(0.0, 1.0)] * 2, (1.0, 0.0), -np.log(0.1)),
        # All-or-nothing scores: whoever bets nearly all after four wins loses 5.5.
        ({"n_max": 200, "alpha": 0.001}, [(0.0, 1.0)] * 4, (1.0, 0.0), 4.6),
    ],
)
def test_a_first_loss_leaves_evidence_to_go_on_with(
    settings: dict[str, Any], first: list[Any], last: tuple[float, float], lost: float
) -> None:
    test = sw.SequentialTest("nscore-plus", **settings)
    for pair in first:
        before = test.update(*pair).log_e

    assert test.update(*last).log_e - before > -lost


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
def test_a_leap_is_as_many_steps_to_the_last_bit(design: str) -> None:
    """Long studies renew the bet ever more rarely; in between rows may be taken together."""
    method = NScorePlus(design=design)
    rng = np.random.default_rng(3)
    scores0, scores1 = rng.integers(0, 7, (2, 2300, 3, 2)) / 6
    single = leaping = method.start((3, 2))
    for score0, score1 in zip(scores0, scores1, strict=True):
        single = method.step(single, score0, score1)
    row, leaps = 0, 0
    while row < 2300:
        count = min(method.held(leaping), 2300 - row)
        rows = slice(row, row + count)
        leaping, path = method.leap(leaping, scores0[rows], scores1[rows])
        assert np.array_equal(path[-1], leaping.log_e)
        row, leaps = row + count, leaps + 1

    assert leaps < 1800
    assert np.array_equal(single.log_e, leaping.log_e)
    assert np.array_equal(single.sums, leaping.sums)
    assert np.array_equal(single.bet, leaping.bet)


def test_streams_agree_where_runs_are_at_different_times() -> None:
    """One run of an array may be due for a new bet while another is not."""
    method = NScorePlus()
    scores = np.random.default_rng(4).random((2, 1300))
    late, early = method.start((1,)), method.start((1,))
    for column in range(600):
        late = method.step(late, scores[:1, column], scores[1:, column])
    both = writable(method.start((2,)))
    put_runs(both, np.array([0]), late)
    for column in range(600, 1300):
        pair = scores[:1, column], scores[1:, column]
        late, early = method.step(late, *pair), method.step(early, *pair)
        both = method.step(both, *(np.repeat(score, 2) for score in pair))

    assert np.array_equal(both.log_e, np.concatenate([late.log_e, early.log_e]))


def test_a_row_of_ties_is_no_certain_gain() -> None:
    """Without ``losses_seen`` one loss after many ties costs all evidence: .93 are decided."""
    rng = np.random.default_rng(0)
    scene, own, shared = rng.random((3, 400, 1000))
    other = np.where(shared < 0.8, scene, own)
    policies = [(luck < 0.9) * 1.0 for luck in (scene, other)]
    outcome = sw.simulate("nscore-plus", *policies, margin=-0.05, n_max=1000, design="paired")

    assert outcome.rate(1) > 0.98
    assert outcome.n.mean() < 180

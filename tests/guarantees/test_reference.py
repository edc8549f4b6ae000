"""The promise beside a number: the level is exact, and a bet in hindsight is caught."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus.method import NScorePlus
from stopwise.core.step.one_rate import OneRateTest, one_rate_test
from tests.guarantees.pinned import assert_at_most

RUNS, N = 1500, 100


def test_sabotage_a_bet_that_sees_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Betting only where the score turned out well must be caught."""
    honest = NScorePlus._seen

    def hindsight(self: NScorePlus, bet: Any, r0: Floats, r1: Floats) -> Any:
        seen, growth = honest(self, bet, r0, r1)
        return seen, np.maximum(growth, 0.5 * growth)

    monkeypatch.setattr(NScorePlus, "_seen", hindsight)
    scores = (np.random.default_rng(20).random((RUNS, N)) < 0.5) * 1.0
    found = sw.simulate("nscore-plus", scores, reference=0.5, n_max=N, alternative="greater")
    with pytest.raises(AssertionError):
        assert_at_most(int((found.decision == 1).sum()), RUNS, 0.05)


def exact_error(test: OneRateTest, n_max: int, rate: float) -> float:
    """Count by hand: sequences that reach the boundary, by the number of successes."""
    going, error = {0: 1.0}, 0.0
    for n in range(1, n_max + 1):
        reached: dict[int, float] = {}
        for successes, chance in going.items():
            for more, factor in ((0, 1 - rate), (1, rate)):
                reached[successes + more] = reached.get(successes + more, 0.0) + chance * factor
        error += sum(chance for s, chance in reached.items() if s >= test.reject_from[n])
        going = {s: chance for s, chance in reached.items() if s < test.reject_from[n]}
    return error


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.5, 0.6, 0.87, 0.9, 0.99])
@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.001])
@pytest.mark.parametrize("n_max", [2, 20, 100])
def test_the_level_of_the_table_is_exact(n_max: int, alpha: float, rate: float) -> None:
    """By another program, at the number and everywhere below it; nothing is simulated."""
    test = one_rate_test(alpha, n_max, rate)
    assert test.error <= alpha
    assert exact_error(test, n_max, rate) == pytest.approx(test.error, abs=1e-12)
    below = [test.power(share * rate) for share in np.linspace(0.05, 1.0, 20)]
    assert np.all(np.diff([*below, alpha]) >= -1e-15)
    assert test.cost >= test.least_cost - 1e-9


def test_sabotage_one_more_state_rejects() -> None:
    """A boundary that is lower by one success after 50 trials is caught by the exact level."""
    test = one_rate_test(0.05, 100, 0.6)
    lower = test.reject_from.copy()
    lower[50] -= 1
    assert exact_error(replace(test, reject_from=lower), 100, 0.6) > 0.05

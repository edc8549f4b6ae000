"""The promise beside a number: at the number itself, each direction is declared with at most alpha.

Of scores whose mean is the number both directions are false; any mean on the wrong side is easier.
"""

from collections.abc import Callable
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
Draw = Callable[[np.random.Generator], Floats]


def coins(rate: float) -> Draw:
    """Success or failure."""
    return lambda rng: (rng.random((RUNS, N)) < rate) * 1.0


def replying(rng: np.random.Generator) -> Floats:
    """A rate that answers to the past, .6 and .2 in turn of luck, never above .6 by its mean."""
    scores = np.zeros((RUNS, N))
    for n in range(N):
        lucky = scores[:, :n].mean(axis=1) > 0.5 if n else np.zeros(RUNS, dtype=bool)
        scores[:, n] = rng.random(RUNS) < np.where(lucky, 0.6, 0.2)
    return scores


# By name: the scores, and the number that their mean does not exceed (in all but one it is equal).
AT_THE_NUMBER: dict[str, tuple[Draw, float]] = {
    "coins .5": (coins(0.5), 0.5),
    "coins .87": (coins(0.87), 0.87),
    "coins .02": (coins(0.02), 0.02),
    "seven levels": (lambda rng: rng.binomial(6, 0.6, (RUNS, N)) / 6, 0.6),
    "low noise": (lambda rng: rng.beta(80, 20, (RUNS, N)), 0.8),
    "rare failures": (lambda rng: np.where(rng.random((RUNS, N)) < 0.05, 0.0, 0.6), 0.57),
    "jackpot": (lambda rng: np.where(rng.random((RUNS, N)) < 0.02, 1.0, 0.1), 0.118),
    "replying": (replying, 0.6),
}


def errors(draw: Draw, reference: float, **settings: Any) -> dict[int, int]:
    """How often each direction is declared, in studies that test it alone."""
    scores = draw(np.random.default_rng(20))
    return {
        way: int(
            (
                sw.simulate(
                    scores0=scores,
                    reference=reference,
                    **{"alternative": "greater", "ties": "paper", **rules},
                ).decision
                == way
            ).sum()
        )
        for way, alternative in ((1, "greater"), (0, "less"))
        for rules in [{"alternative": alternative, "workers": 1, **settings}]
    }


def test_sabotage_a_bet_that_sees_its_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """Betting only where the score turned out well must be caught."""
    honest = NScorePlus._seen

    def hindsight(self: NScorePlus, bet: Any, r0: Floats, r1: Floats) -> Any:
        seen, growth = honest(self, bet, r0, r1)
        return seen, np.maximum(growth, 0.5 * growth)

    monkeypatch.setattr(NScorePlus, "_seen", hindsight)
    draw, reference = AT_THE_NUMBER["coins .5"]
    found = errors(draw, reference, method="nscore-plus", n_max=N)
    with pytest.raises(AssertionError):
        assert_at_most(found[1], RUNS, 0.05)


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

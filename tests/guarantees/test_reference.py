"""The promise beside a number: at the number itself, each direction is declared with at most alpha.

Of scores whose mean is the number both directions are false; any mean on the wrong side is easier.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import stopwise as sw
from benchmarks.efficiency.interval_paths import interval_paths
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus.method import NScorePlus
from stopwise.core.rules import Rules
from stopwise.core.step.one_rate import OneRateTest, one_rate_test
from stopwise.questions.pairs import PairTests, replay
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


BINARY = ("coins .5", "coins .87", "coins .02", "replying")


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


@pytest.mark.slow("1,500 studies of each kind: adds nulls that do not attain the level")
@pytest.mark.parametrize(
    ("name", "method", "n_max", "alpha"),
    [
        *((name, "nscore-plus", N, 0.05) for name in AT_THE_NUMBER),
        *((name, "nscore-plus", N, 0.001) for name in AT_THE_NUMBER),
        *((name, "nscore-plus", None, 0.05) for name in AT_THE_NUMBER),
        *((name, "nscore", N, 0.05) for name in (*BINARY, "seven levels")),
        *((name, "wsr", N, 0.05) for name in (*BINARY, "seven levels")),
        *((name, "step", N, 0.05) for name in BINARY),
    ],
)
def test_false_claims_at_the_number_are_rare(
    name: str, method: str, n_max: int | None, alpha: float
) -> None:
    """Catches a number that is taken too low, and bets that see their score (below)."""
    draw, reference = AT_THE_NUMBER[name]
    found = errors(draw, reference, method=method, n_max=n_max, alpha=alpha)
    assert_at_most(found[1], RUNS, alpha)
    if name != "replying":  # whose mean lies below the number
        assert_at_most(found[0], RUNS, alpha)


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


def test_rates_that_answer_to_the_past_do_not_help() -> None:
    """The worst that a rate of at most .6 can do, trial by trial, is to be .6: by induction."""
    test, n_max = one_rate_test(0.05, 60, 0.6), 60
    best = np.where(np.arange(n_max + 1) >= test.reject_from[n_max], 1.0, 0.0)
    for n in range(n_max - 1, -1, -1):
        worst = np.maximum(best[:-1], 0.6 * best[1:] + 0.4 * best[:-1])
        stops = np.arange(n + 1) >= test.reject_from[n] if n else np.array([False])
        best = np.where(stops, 1.0, worst)
    assert float(best[0]) == pytest.approx(test.error, abs=1e-12)


@pytest.mark.parametrize(("n_max", "number", "rate"), [(100, 0.5, 0.7), (50, 0.6, 0.8)])
def test_the_table_is_near_its_bound(n_max: int, number: float, rate: float) -> None:
    """Nearly the power of the fixed test of n_max trials, for far fewer; cost within 2 %."""
    test = one_rate_test(0.05, n_max, number)
    fixed = binom.sf(binom.isf(0.05, n_max, number), n_max, rate)
    assert test.power(rate) > fixed - 0.02
    assert test.expected_n(rate) < 0.62 * n_max
    assert test.cost < 1.02 * test.least_cost


@pytest.mark.slow("1,500 studies of each kind: adds nulls that do not attain the level")
@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("coins .87", "nscore-plus"),
        ("seven levels", "nscore-plus"),
        ("coins .02", "nscore"),
        ("low noise", "nscore"),
        ("coins .87", "step"),
    ],
)
def test_the_interval_holds_the_mean(name: str, method: str) -> None:
    """At all times together, each end at its level; also of numbers that the mean is not."""
    draw, mean = AT_THE_NUMBER[name]
    scores = draw(np.random.default_rng(7))[:300]
    for number in (mean, 0.5):
        rules = Rules(policies=("one",), method=method, n_max=N, reference=number, alpha=0.1)
        number0 = np.full(scores.shape, number)
        for low, high, decision in interval_paths(rules, number0, scores):
            last_low, last_high, decided = low + number, high + number, decision
        assert_at_most(int((last_low > mean + 1e-9).sum()), len(scores), 0.05)
        assert_at_most(int((last_high < mean - 1e-9).sum()), len(scores), 0.05)
        if method != "step":  # the interval agrees with the decision
            assert np.array_equal(last_low > number, decided == 1)
            assert np.array_equal(last_high < number, decided == 0)


@pytest.mark.slow("1,500 studies of each kind: adds nulls that do not attain the level")
def test_several_policies_share_alpha() -> None:
    """Three policies at the number: any claim at all in at most alpha of the studies."""
    ranking = PairTests(Rules(policies=("a", "b", "c"), n_max=60, reference=0.7))
    scores = (np.random.default_rng(3).random((800, 60, 4)) < 0.7) * 1.0
    scores[..., 3] = 0.7
    found = replay(ranking.comparison, ranking.budget, scores, with_p_values=False)
    wrong = int(found.claims.any(axis=(1, 2)).sum())
    assert_at_most(wrong, len(scores), 0.05)
    assert wrong > 10  # of the 40 that it may be: alpha is used

"""The promise with a proxy: whatever it says, equal policies are told apart with at most alpha.

The proofs are in ``docs/design/readings.md``. Each assumption has a test that shows what breaks
without it; those about scenes and audits are in the files beside.
"""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.readings.proxied import Proxied
from stopwise.core.rules import Rules
from stopwise.questions.pairs import PairTests, replay
from tests.guarantees.pinned import assert_at_most
from tests.guarantees.proxies import PROXIES, RUNS, N, Scene, errors, good, studies


@pytest.mark.parametrize("name", PROXIES)
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_no_proxy_breaks_the_level(name: str, alternative: str) -> None:
    """Catches a weight that has seen the pair (shown below)."""
    draw, mean = PROXIES[name]
    found = studies(draw, alternative=alternative, ties="strict", proxy_mean=mean)

    assert_at_most(errors(found), RUNS, 0.05)


@pytest.mark.parametrize("margin", [-0.1, 0.1])
def test_it_holds_at_the_edge_of_a_margin(margin: float) -> None:
    def edge(rng: np.random.Generator, shape: tuple[int, ...]) -> Scene:
        r0, level = (rng.random(shape) < 0.5) * 1.0, rng.random(shape)
        r1 = (level < 0.5 + margin) * 1.0
        return r0, r1, r0, (level < 0.5) * 1.0

    found = studies(edge, margin=margin, proxy_mean=0.0)

    assert_at_most(errors(found), RUNS, 0.05)


@pytest.mark.parametrize("name", ["good", "biased"])
def test_it_holds_in_the_independent_design(name: str) -> None:
    """Bets are those on differences, which assume nothing of how scenes go together."""
    draw, mean = PROXIES[name]
    found = studies(draw, design="independent", proxy_mean=mean)
    paired = studies(draw, proxy_mean=mean)

    assert_at_most(errors(found), RUNS, 0.05)
    np.testing.assert_array_equal(found.log_e, paired.log_e)
    with pytest.raises(AssertionError):  # what the mean of another proxy would do
        assert_at_most(
            errors(studies(draw, design="independent", proxy_mean=mean + 0.2)), RUNS, 0.05
        )


def claims_of_equal(means: dict[str, float]) -> int:
    """Number of studies of three equal policies that claim any order."""
    rng = np.random.default_rng(24)
    scores = (rng.random((RUNS, N, 3)) < 0.5) * 1.0
    guesses = scores * [0.9, 0.5, 0.6] + [0.0, 0.5, 0.1]  # one map per policy, all wrong
    rules = Rules.of(policies=("a", "b", "c"), n_max=N, design="paired", proxy_mean=means)
    ranking = PairTests(rules)
    both = np.stack([scores, guesses])
    found = replay(ranking.comparison, ranking.budget, both, with_p_values=False)
    return int(found.claims.any(axis=(1, 2)).sum())


def test_no_proxy_breaks_the_level_of_several_policies() -> None:
    assert_at_most(claims_of_equal({"a": 0.45, "b": 0.75, "c": 0.4}), RUNS, 0.05)


def test_means_of_other_policies_would_be_caught() -> None:
    with pytest.raises(AssertionError):
        assert_at_most(claims_of_equal({"a": 0.75, "b": 0.45, "c": 0.4}), RUNS, 0.05)


def test_a_weight_chosen_after_the_pair_would_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def afterwards(self: Proxied, state: Any, r0: Floats, r1: Floats) -> Any:
        after = honest(self, state, r0, r1)
        hint = after.hint - state.hint
        worse = after.weight * np.maximum(hint, 0.0)  # left out where it would cost
        gain = np.log1p(after.bet.amount * worse / np.exp(after.log_e - state.log_e))
        return after._replace(log_e=after.log_e + gain)

    honest = Proxied.step
    monkeypatch.setattr(Proxied, "step", afterwards)

    with pytest.raises(AssertionError):
        assert_at_most(errors(studies(good, proxy_mean=0.0)), RUNS, 0.05)


@pytest.mark.slow("thousands of studies: adds rarer errors, and intervals")
def test_intervals_cover_with_a_proxy() -> None:
    """The interval agrees with the decision, and holds the true difference, here .1."""
    rng = np.random.default_rng(3)
    missed = 0
    for run in range(30):
        level0, level1 = rng.random((2, 60))
        r0, r1 = (level0 < 0.5) * 1.0, (level1 < 0.6) * 1.0
        own: dict[str, Any] = {"proxy_mean": 0.0}
        if run % 2:
            own = {"proxy_scores": (rng.random((3000, 2)) < 0.5) * 1.0}
        test = sw.SequentialTest(
            n_max=60,
            design="paired",
            proxy=True,
            **{"alternative": "greater", "ties": "paper", **own},
        )
        verdict = test.run(r0, r1, proxy=(r0, (level1 < 0.5) * 1.0))
        assert (verdict.interval.low > 0) == (verdict.decision == sw.Decision.POLICY1)
        missed += verdict.interval.low > 0.1
    assert_at_most(missed, 30, 0.05)

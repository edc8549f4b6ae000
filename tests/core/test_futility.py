"""Futility of the methods that bet: the chance of a decision, advice, and stops."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.arrays import Floats
from stopwise.core.nscore_plus.growth import effects
from stopwise.core.nscore_plus.horizon import PLAN_EFFECTS, bet_table, chance_table

N = 40
CASES: dict[str, dict[str, Any]] = {
    "nscore-plus": {},
    "nscore-plus, paired, margin": {"design": "paired", "margin": 0.05},
    "nscore": {"bins": 5},
    "nscore, paired, margin": {"design": "paired", "margin": -0.05},
    "wsr": {},
    "savi": {},
    "savi, 3 levels": {"level_values": [0.0, 0.5, 1.0], "margin": 0.05},
}


def settings_of(case: str, **more: Any) -> dict[str, Any]:
    return {"method": case.split(",", maxsplit=1)[0], "n_max": N, **CASES[case], **more}


def binary(rate0: float, rate1: float, runs: int, n: int, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return (rng.random((runs, n)) < rate0) * 1.0, (rng.random((runs, n)) < rate1) * 1.0


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("rate", [0.5, 0.75])
def test_a_futility_stop_changes_no_decision_before_it_and_adds_none(
    case: str, rate: float
) -> None:
    """So whatever the chance says, no study errs that would not have erred without stops."""
    scores0, scores1 = binary(0.5, rate, 300, N)
    sides = "two-sided" if case == "wsr" else "greater"
    settings = settings_of(case, scores0=scores0, scores1=scores1, alternative=sides)

    free = sw.simulate(**settings, futility=None)
    advised = sw.simulate(**settings)
    bound = sw.simulate(**settings, futility="binding")

    for name in ("n", "decision", "log_e", "p_value"):
        np.testing.assert_array_equal(getattr(free, name), getattr(advised, name))
    stopped = (bound.decision < 0) & (bound.n < N)
    for name in ("n", "decision", "log_e", "p_value"):
        np.testing.assert_array_equal(getattr(free, name)[~stopped], getattr(bound, name)[~stopped])
    assert (bound.n[stopped] <= free.n[stopped]).all()
    assert (bound.p_value >= free.p_value).all()
    assert np.mean(free.decision[stopped] >= 0) < 0.03


@pytest.mark.parametrize("seen", [0, 10, 25])
@pytest.mark.parametrize("design", ["independent", "paired"])
def test_the_chance_is_the_share_of_plans_that_decide(seen: int, design: str) -> None:
    """In the plan's own world: effects from its prior, normal steps, its bets and increments."""
    rng = np.random.default_rng(2)
    runs, n_max, target = 6000, 50, np.log(20)
    effect = rng.choice(effects(n_max, PLAN_EFFECTS), runs)
    plan, chances = (table(0.05, n_max, design) for table in (bet_table, chance_table))
    total, need = np.zeros(runs), np.full(runs, target)
    for now in range(n_max):
        if now == seen:
            going, chance = need > 0, chances.at(np.full(runs, now), total, need)
        step = effect + rng.normal(size=runs)
        bet = np.where(need > 0, plan.at(np.full(runs, now), total, np.maximum(need, 0)), 0.0)
        product = bet**2 * (step**2 - 1) / 4 if design == "independent" else 0.0
        total, need = total + step, need - np.log(np.maximum(1 + bet * step + product, 1e-3))
    decided = need <= 0

    assert chance[going].mean() == pytest.approx(decided[going].mean(), abs=0.03)
    for low, high in ((0.0, 0.05), (0.05, 0.3), (0.3, 0.8), (0.8, 1.0)):
        alike = going & (chance >= low) & (chance < high)
        if alike.sum() > 100:
            assert chance[alike].mean() == pytest.approx(decided[alike].mean(), abs=0.08)


def test_an_extended_study_may_go_on() -> None:
    test = sw.SequentialTest(n_max=50, futility="binding")
    test.run(*(scores[0] for scores in binary(0.5, 0.5, 1, 50)))
    assert test.verdict.futile

    test.extend(400)

    assert test.verdict.chance is not None
    assert test.verdict.chance > 0.05
    assert test.update(0, 1).n < 50
    with pytest.raises(sw.InvalidInput, match="need a declared n_max"):
        test.extend(None)
    assert test.verdict.n_max == 400


def test_the_sentence_says_what_has_become_unlikely() -> None:
    test = sw.SequentialTest(n_max=50, alternative="greater")
    for _ in range(12):
        test.update(1, 0)
        test.update(0, 0)
    said = ", and a decision by n_max has become unlikely;"

    assert said in str(test.verdict)
    assert test.verdict.stop

    test = sw.SequentialTest(n_max=50, alternative="two-sided", ties="paper")
    for _ in range(20):
        test.update(1, 0)
        test.update(0, 1)
    assert said in str(test.verdict)


@pytest.mark.parametrize("design", ["independent", "paired"])
def test_steady_scores_within_wide_bounds_end_when_too_little_can_be_won(design: str) -> None:
    rng, shape = np.random.default_rng(11), (300, 200)
    base = rng.beta(200, 200, shape)
    for gap, most in ((0.0, 150), (0.012, 200)):
        better = rng.beta(400 * (0.5 + gap), 400 * (0.5 - gap), shape)
        free, stopped = (
            sw.simulate("nscore-plus", base, better, n_max=200, design=design, futility=futility)
            for futility in ("advisory", "binding")
        )
        assert free.n.mean() > 170
        assert stopped.n.mean() <= most
        assert free.rate(1) - stopped.rate(1) <= 0.01

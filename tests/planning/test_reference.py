"""Plans of one policy against a number."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import stopwise as sw
from stopwise.core.step.one_rate import one_rate_test


def test_step_is_planned_exactly() -> None:
    """One-sided, the exact power and mean are those of the table; a simulation agrees."""
    plan = sw.plan(0.8, reference=0.6, method="step", n_max=50, alternative="greater")
    (row,) = plan.rows
    table = one_rate_test(0.05, 50, 0.6)
    assert row.exact
    assert row.power == pytest.approx(table.power(0.8), abs=1e-12)
    assert row.mean_n == pytest.approx(table.expected_n(0.8), abs=1e-9)
    assert row.mean_trials == row.mean_n
    assert row.most_trials == 50
    both = sw.plan(0.4, reference=0.6, method="step", n_max=50, detectable=False).rows[0]
    scores = (np.random.default_rng(1).random((4000, 50)) < 0.4) * 1.0
    seen = sw.simulate(
        "step", scores, reference=0.6, n_max=50, alternative="two-sided", ties="strict"
    )
    assert both.power == pytest.approx(seen.rate(0), abs=0.03)
    assert both.wrong == pytest.approx(seen.rate(1), abs=0.01)
    assert both.mean_n == pytest.approx(seen.n.mean(), abs=1)


def test_the_fixed_plan_is_the_binomial_test() -> None:
    (row,) = sw.plan(0.95, reference=0.87, method="step", n_max=200, detectable=False).rows
    assert row.fixed_test == "the exact binomial test"
    assert row.fixed_n is not None
    power = binom.sf(binom.isf(0.025, row.fixed_n, 0.87), row.fixed_n, 0.95)
    assert power >= row.power
    assert "saves" in sw.plan(0.95, reference=0.87, method="step", n_max=200).sentence


def test_other_scores_are_simulated() -> None:
    plan = sw.plan((0.7, 0.2), reference=0.5, n_max=60, detectable=False, precision=0.03)
    (row,) = plan.rows
    assert row.scenario == "0.7 ± 0.2 against 0.5"
    assert row.fixed_test == "the one-sample t-test"
    assert row.power > 0.9
    assert row.policies == plan.policies == 1


def test_gaps_lie_above_the_number() -> None:
    plan = sw.plan(reference=0.6, method="step", n_max=100, gaps=[0.1, 0.2])
    assert [row.gap for row in plan.rows] == pytest.approx([0.1, 0.2])
    (limit,) = plan.detectable
    assert limit.gap is not None
    assert plan.rows[0].power < 0.8 < plan.rows[1].power
    assert 0.1 < limit.gap < 0.2


def test_several_policies_and_a_pilot() -> None:
    many = sw.plan(0.9, 0.3, reference=0.6, n_max=60, detectable=False, precision=0.03)
    assert many.rows[0].policies == 2
    assert many.rows[0].mean_trials <= 120
    pilot = {"new": [1.0, 1.0, 1.0, 0.0] * 5}
    alone = sw.plan(pilot=pilot, reference=0.4, n_max=60, detectable=False, precision=0.03)
    assert alone.rows[0].scenario == "new 0.75 (n = 20) against 0.4"
    assert alone.rows[0].power > 0.7


@pytest.mark.parametrize(
    ("guesses", "settings", "message"),
    [
        ((0.6,), {}, "the same mean 0.6"),
        ((0.5,), {"alternative": "greater"}, "above 0.6, but according to the guess it is below"),
        ((0.5,), {"gaps": [0.1]}, "above the reference take no guesses"),
        ((0.5,), {"policies": 2}, "a guess for each of the 2 policies, but got 1"),
        ((0.5,), {"baseline": True}, "a reference is the baseline itself"),
        ((0.5,), {"reference": 1.5}, "strictly between 0 and 1"),
    ],
)
def test_bad_input_gets_one_line(
    guesses: tuple[Any, ...], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(sw.InvalidInput, match=message):
        sw.plan(*guesses, **{"reference": 0.6, **settings})

"""Plans of one policy against a number."""

from typing import Any

import pytest

import stopwise as sw
from stopwise.core.step.one_rate import one_rate_test


def test_a_plan_agrees_with_the_exact_table_of_step() -> None:
    (row,) = sw.plan(0.8, reference=0.6, method="step", n_max=50, alternative="greater").rows
    table = one_rate_test(0.05, 50, 0.6)
    assert row.power == pytest.approx(table.power(0.8), abs=4 * row.power_error)
    assert row.mean_n == pytest.approx(table.expected_n(0.8), abs=4 * row.mean_n_error)
    assert row.mean_trials == row.mean_n
    assert row.most_trials == 50


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
        ((0.6,), {}, "with means 0.6, 0.6 no claim"),
        ((0.5,), {"alternative": "greater"}, "with means 0.5, 0.6 no claim"),
        ((0.5,), {"gaps": [0.1]}, "gaps cannot be combined with so many guesses"),
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

"""What to declare: the n_max that reaches the target power, its cost, and what else would do."""

import json

import pytest

import stopwise as sw
from stopwise.planning import planner


@pytest.fixture(scope="module")
def plan() -> sw.PlanResult:
    """The question that most people ask first."""
    return sw.plan(0.4, 0.7, minutes_per_trial=3, robots=2)


def test_the_n_max_reaches_the_power_and_no_smaller_one_does(plan: sw.PlanResult) -> None:
    assert plan.needed is not None
    n = plan.needed.n_max
    more = [n - n // 6, n]
    rows = sw.plan(0.4, 0.7, n_max=more, seed=11, precision=0.01, detectable=False).rows

    assert rows[0].power < 0.8 - 0.02
    assert rows[1].power == pytest.approx(0.8, abs=0.04)
    assert plan.needed.power >= 0.8
    assert f"For a power of 0.8 declare n_max = {n}." in plan.sentence


def test_equal_policies_cost_what_the_plan_says(plan: sw.PlanResult) -> None:
    assert plan.needed is not None
    (equal,) = plan.equal
    most = plan.needed.most_trials
    assert 0.3 * most < equal.mean_trials < 0.9 * most
    assert equal.wrong < 0.08  # 500 studies at alpha .05
    assert f"it takes nearly all {most} trials, {most * 3 / 60 / 2:.1f} hours" in plan.sentence
    assert f"with binding futility {equal.mean_trials:.0f} trials on average" in plan.sentence


def test_step_stands_beside_it_where_rates_are_guessed(plan: sw.PlanResult) -> None:
    declared = sw.plan(0.5, 0.7, n_max=[20, 60], precision=0.05, detectable=False)
    for own, rates, n in ((plan, (0.4, 0.7), plan.shown.n_max), (declared, (0.5, 0.7), 60)):
        exact = float(sw.step_design(0.025, n).power(*rates))
        step = own.others["step"]
        assert step.power == pytest.approx(exact, abs=4 * step.power_error)
        assert own.notes[-1].startswith("step assumes success rates that stay the same throughout")
        assert own.notes[-1].endswith(f"is {step.power:.3f}")
    content = json.loads(plan.to_json())
    assert content["needed"]["n_max"] == plan.shown.n_max
    assert content["others"]["step"]["n_max"] == plan.shown.n_max
    named = [row["study"] for row in plan.text_tables()["What to expect"]]
    assert named[-4:] == ["for power 0.8", "paired, r = 0.3", "step", "if equal"]
    scores = sw.plan((0.5, 0.2), (0.7, 0.2), n_max=20, precision=0.1, detectable=False)
    assert list(scores.others) == ["paired, r = 0.3"]


def test_who_gives_n_max_is_told_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sw.plan(0.4, 0.7, n_max=30, detectable=False).needed is None
    assert sw.plan(gaps=[0.3, 0.4], method="wsr").needed is None
    monkeypatch.setattr(planner, "MOST_N", 300)
    none = sw.plan(0.5, 0.52, method="wsr")
    assert none.needed is None
    assert "None of these n_max values reaches a power of 0.8." in none.sentence


def test_one_against_a_number_has_one_too() -> None:
    alone = sw.plan(0.9, reference=0.6)
    assert alone.needed is not None
    assert not alone.others
    assert "nearly all" in alone.sentence

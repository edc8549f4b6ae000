"""What to declare: the n_max that reaches the target power, its cost, and what else would do."""

import json

import pytest

import stopwise as sw
from stopwise.planning import planner
from tests.cli.typed import run


@pytest.fixture(scope="module")
def plan() -> sw.PlanResult:
    """The question that most people ask first."""
    return sw.plan(0.4, 0.7, minutes_per_trial=3, robots=2)


def test_the_n_max_reaches_the_power_and_no_smaller_one_does(plan: sw.PlanResult) -> None:
    assert plan.needed is not None
    n = plan.needed.row.n_max
    more = [n - n // 6, n]
    rows = sw.plan(0.4, 0.7, n_max=more, seed=11, precision=0.01, detectable=False).rows

    assert rows[0].power < 0.8 - 0.02
    assert rows[1].power == pytest.approx(0.8, abs=0.04)
    assert plan.needed.row.power >= 0.8
    assert f"For a power of 0.8 declare n_max = {n}." in plan.sentence


def test_equal_policies_cost_what_the_plan_says(plan: sw.PlanResult) -> None:
    assert plan.needed is not None
    equal = plan.needed.equal
    assert equal is not None
    most = plan.needed.row.most_trials
    assert 0.3 * most < equal.mean_trials < 0.9 * most
    assert equal.wrong < 0.08  # 500 studies at alpha .05
    assert f"it takes nearly all {most} trials, {most * 3 / 60 / 2:.1f} hours" in plan.sentence
    assert f"with binding futility {equal.mean_trials:.0f} on average" in plan.sentence


def test_other_methods_and_designs_stand_beside_it(plan: sw.PlanResult) -> None:
    assert plan.needed is not None
    others = plan.others
    assert list(others) == [("nscore-plus", "paired, correlation 0.3"), ("step", "independent")]
    exact = sw.plan(0.4, 0.7, method="step", n_max=plan.needed.row.n_max, detectable=False)
    assert others["step", "independent"].power == exact.rows[0].power
    assert others["nscore-plus", "paired, correlation 0.3"].mean_n < plan.needed.row.mean_n
    (title,) = (name for name in plan.text_tables() if name.startswith("For a power of 0.8"))
    assert [row["method"] for row in plan.text_tables()[title]] == ["nscore-plus"] * 2 + ["step"]
    assert plan.notes[-1].startswith("step assumes success rates that stay the same throughout")
    assert plan.notes[-1].endswith(f"is {exact.rows[0].power:.3f}")
    content = json.loads(plan.to_json())
    assert content["needed"]["row"]["n_max"] == plan.needed.row.n_max
    assert [one["method"] for one in content["others"]] == ["nscore-plus", "step"]


def test_step_stands_beside_a_declared_n_max_of_successes() -> None:
    plan = sw.plan(0.5, 0.7, n_max=[20, 60], precision=0.05, detectable=False)
    exact = sw.plan(0.5, 0.7, n_max=60, method="step", detectable=False)
    assert plan.others["step", "independent"].power == exact.rows[0].power
    assert "The same n_max, declared otherwise" in plan.text_tables()
    assert exact.others == {}
    scores = sw.plan((0.5, 0.2), (0.7, 0.2), n_max=20, precision=0.1, detectable=False)
    assert [method for method, _ in scores.others] == ["nscore-plus"]


def test_robots_share_the_hours(plan: sw.PlanResult) -> None:
    assert plan.hours(40) == 1.0
    with pytest.raises(sw.InvalidInput, match="robots must be a whole number of at least 1"):
        sw.plan(0.4, 0.7, robots=0)


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
    assert alone.others == {}
    assert "nearly all" in alone.sentence


def test_the_command_tells_it() -> None:
    code, text = run("plan", "0.2", "0.8", "--minutes", "6", "--robots", "3")
    assert code == 0
    assert "For a power of 0.8 declare n_max = " in text

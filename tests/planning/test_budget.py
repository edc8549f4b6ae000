"""What a budget of trials finds: shares of pairs, the gap of two policies, and the best alone."""

import json
from typing import Any

import pytest

import stopwise as sw
from stopwise.planning.budget import BudgetPlan
from tests.cli.typed import run


def planned(*guesses: float, **settings: Any) -> BudgetPlan:
    found = sw.plan(*guesses, **{"precision": 0.1, **settings})
    assert isinstance(found, BudgetPlan)
    return found


@pytest.fixture(scope="module")
def plan() -> BudgetPlan:
    """Two hundred trials, four policies, three tasks."""
    return planned(0.2, 0.8, policies=4, budget=200, tasks=3, precision=0.03)


def test_a_budget_is_spent_on_each_task_or_on_tasks_drawn_at_random(plan: BudgetPlan) -> None:
    each, drawn = plan.budget

    assert (each.tasks, each.n_max) == ("each task on its own", 16)
    assert (drawn.tasks, drawn.n_max) == ("tasks drawn at random", 50)
    assert [row.n_max for row in plan.rows] == [16, 50]
    assert "200 trials, tasks drawn at random, are at most 50 per policy" in plan.sentence
    assert plan.detectable == ()


def test_the_gap_of_two_policies_is_found_at_the_share_of_alpha_of_their_pair(
    plan: BudgetPlan,
) -> None:
    gap = plan.budget[1].gap
    assert gap is not None
    again = sw.plan(0.2, 0.2 + gap, n_max=50, alpha=0.05 / 6, seed=8, detectable=False)
    assert again.rows[0].power == pytest.approx(0.8, abs=0.06)


def test_step_stands_beside_the_gap_of_successes(plan: BudgetPlan) -> None:
    one = plan.budget[1]
    assert one.gap is not None
    assert one.step_gap is not None
    exact = sw.plan(0.2, 0.2 + one.step_gap, n_max=50, alpha=0.05 / 6, method="step").rows[0]
    assert exact.power == pytest.approx(0.8, abs=0.06)
    assert f"({one.step_gap:.3g} by step)" in plan.sentence
    assert plan.sentence.startswith("Draw the task of each trial at random")


def test_naming_only_the_best_is_what_its_own_plan_says(plan: BudgetPlan) -> None:
    (naming,) = plan.naming
    settings: dict[str, Any] = {"policies": 4, "goal": "best", "precision": 0.03}
    own = sw.plan(0.2, 0.8, n_max=naming.n_max, **settings)
    within = sw.plan(0.2, 0.8, budget=200, **settings)

    assert naming.power >= 0.8
    assert (naming.power, naming.mean_trials) == (own.rows[0].power, own.rows[0].mean_trials)
    assert within.rows[0].n_max == 50
    assert plan.budget[1].best == (within.rows[0].power,)
    assert f"Naming only the best takes {naming.mean_trials:.0f} (" in plan.sentence


def test_a_method_that_names_no_best_has_none_and_a_pair_needs_none() -> None:
    step = planned(0.2, 0.5, 0.9, budget=60, method="step")
    assert step.naming == ()
    assert [one.best for one in step.budget] == [()]
    pair = planned(0.5, 0.7, budget=60, tasks=3)
    assert pair.naming == ()
    assert "that differ by no gap (0.4" in pair.sentence


@pytest.mark.parametrize(
    "settings", [{}, {"budget": 60, "margin": 0.1}, {"budget": 60, "goal": "best"}, {"n_max": 20}]
)
def test_tasks_without_what_they_divide_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(sw.InvalidInput, match="3 tasks say how a budget is spent"):
        sw.plan(0.2, 0.5, 0.8, tasks=3, **settings)


def test_the_command_answers_with_a_table_and_json(plan: BudgetPlan) -> None:
    typed = "plan 0.2 0.8 --budget 60 --policies 3 --tasks 3 --precision 0.1"
    code, text = run(*typed.split())
    assert code == 0
    assert "each task on its own" in " ".join(text.split())
    content = json.loads(plan.to_json())
    assert [one["n_max"] for one in content["budget"]] == [16, 50]
    assert [one["scenario"] for one in content["naming"]] == [plan.rows[0].scenario]

"""What a budget of trials finds: shares of pairs, the gap of two policies, and the best alone."""

import json
from typing import Any

import pytest

import stopwise as sw
from tests.cli.typed import run


@pytest.fixture(scope="module")
def plan() -> sw.PlanResult:
    """Two hundred trials, four policies, three tasks."""
    return sw.plan(0.2, 0.8, policies=4, budget=200, tasks=3, precision=0.03)


def test_a_budget_is_spent_on_each_task_or_on_tasks_drawn_at_random(plan: sw.PlanResult) -> None:
    assert plan.budget is not None
    each, drawn = plan.budget.spendings

    assert (each.tasks, each.n_max) == ("each task on its own", 16)
    assert (drawn.tasks, drawn.n_max) == ("tasks drawn at random", 50)
    assert [row.n_max for row in plan.rows] == [16, 50]
    assert "the share of all pairs that is told apart is " in plan.sentence
    assert plan.detectable == ()


def test_the_gap_of_two_policies_is_found_at_the_share_of_alpha_of_their_pair(
    plan: sw.PlanResult,
) -> None:
    assert plan.budget is not None
    gap = plan.budget.spendings[1].gap
    assert gap is not None
    again = sw.plan(0.2, 0.2 + gap, n_max=50, alpha=0.05 / 6, seed=8, detectable=False)
    assert again.rows[0].power == pytest.approx(0.8, abs=0.06)


def test_step_stands_beside_the_gap_of_successes(plan: sw.PlanResult) -> None:
    assert plan.budget is not None
    one = plan.budget.spendings[1]
    assert one.gap is not None
    assert one.step_gap is not None
    exact = sw.plan(0.2, 0.2 + one.step_gap, n_max=50, alpha=0.05 / 6, method="step").rows[0]
    assert exact.power == pytest.approx(0.8, abs=1e-3)
    assert f"(by step, if they differ by {one.step_gap:.3g})" in plan.sentence
    assert any(note.startswith("step assumes") for note in plan.notes)
    assert plan.sentence.startswith("Draw the task of each trial at random")


def test_few_trials_tell_nothing_apart_but_by_step() -> None:
    few = sw.plan(0.5, 0.7, budget=60, tasks=3, precision=0.1)
    assert "are at most 10 per policy. No two policies are told apart with power 0.8 by " in str(
        few
    )
    assert "nscore-plus; by step, if they differ by 0.4" in few.sentence
    assert sum(note.startswith("step assumes") for note in few.notes) == 1


def test_naming_only_the_best_is_what_its_own_plan_says(plan: sw.PlanResult) -> None:
    assert plan.budget is not None
    (naming,) = plan.budget.naming
    settings: dict[str, Any] = {"policies": 4, "goal": "best", "precision": 0.03}
    own = sw.plan(0.2, 0.8, n_max=naming.n_max, **settings)
    within = sw.plan(0.2, 0.8, budget=200, **settings)

    assert naming.power >= 0.8
    assert (naming.power, naming.mean_trials) == (own.rows[0].power, own.rows[0].mean_trials)
    assert within.rows[0].n_max == 50
    assert plan.budget.spendings[1].best == (within.rows[0].power,)
    assert f"Naming only the best takes {naming.mean_trials:.0f} (power" in plan.sentence


def test_a_method_that_names_no_best_has_none_and_a_pair_needs_none() -> None:
    step = sw.plan(0.2, 0.5, 0.9, budget=60, method="step", precision=0.1).budget
    assert step is not None
    assert step.naming == ()
    assert [one.best for one in step.spendings] == [()]
    pair = sw.plan(0.2, 0.8, budget=60, tasks=3, precision=0.1)
    assert pair.budget is not None
    assert pair.budget.naming == ()
    assert sw.plan(0.2, 0.8, budget=60, precision=0.1, detectable=False).budget is None


@pytest.mark.parametrize(
    "settings",
    [{}, {"budget": 60, "margin": 0.1}, {"budget": 60, "goal": "best"}, {"n_max": 20}],
)
def test_tasks_without_what_they_divide_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(sw.InvalidInput, match="3 tasks say how a budget is spent"):
        sw.plan(0.2, 0.5, 0.8, tasks=3, **settings)


def test_the_command_answers_with_a_table_and_json(plan: sw.PlanResult) -> None:
    typed = (
        "0.2",
        "0.8",
        "--budget",
        "60",
        "--policies",
        "3",
        "--tasks",
        "3",
        "--precision",
        "0.1",
    )
    code, text = run("plan", *typed)
    assert code == 0
    assert "each task on its own" in " ".join(text.split())
    content = json.loads(plan.to_json())["budget"]
    assert [one["n_max"] for one in content["spendings"]] == [16, 50]
    assert [one["scenario"] for one in content["naming"]] == [plan.rows[0].scenario]


def test_gaps_are_scenarios_of_a_budget() -> None:
    gaps = sw.plan(gaps=[0.1, 0.3], policies=3, budget=90, precision=0.1).budget
    assert gaps is not None
    assert [one.scenario for one in gaps.naming] == ["gap 0.1", "gap 0.3"]
    assert gaps.naming[0].mean_trials > gaps.naming[1].mean_trials

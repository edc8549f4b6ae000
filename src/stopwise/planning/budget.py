"""A given number of trials: how it can be spent on tasks, and what each way of spending finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole, score_text
from stopwise.core.step.method import Step
from stopwise.errors import require
from stopwise.messages import named
from stopwise.planning.plan_result import PlanResult, PlanRow
from stopwise.planning.planner import Planner
from stopwise.planning.presentation import Rows
from stopwise.planning.scenarios import Assumptions, Scenario

ONE, EACH, RANDOM = "one task", "each task on its own", "tasks drawn at random"
# Rows of a study of the best policy that are considered first, and the most.
FEWEST_ROWS, MOST_ROWS = 50, 3200
ADVICE = (
    "Draw the task of each trial at random, unless you need a verdict on each task: all trials "
    "then count for one claim about the mean over the tasks. "
)
OF_TASKS = (
    "rates are those of each task, which has an alpha of its own, or where the task of each trial "
    "is drawn at random, means over the tasks"
)


@dataclass(frozen=True, kw_only=True)
class Spending:
    """A way to spend a budget, and what it finds."""

    tasks: str  # ONE, EACH or RANDOM
    total: int
    n_max: int  # trials per policy, of a task or of all tasks together
    # The smallest difference between two policies that is found with the target power while the
    # pairs share alpha; the same with ``step``; None if there is none.
    gap: float | None = None
    step_gap: float | None = None
    # By scenario: the chance that the best policy is named, if that alone is asked; empty where the
    # settings allow no best policy.
    best: tuple[float, ...] = ()


def divisions(budget: Any, policies: int, tasks: int) -> list[Spending]:
    """List the ways to spend each budget on so many policies that are tried."""
    totals = list(budget) if isinstance(budget, Sequence | np.ndarray) else [budget]
    require(len(totals) > 0, named("budget"), " needs at least one number, but got none")
    require_whole(tasks, "tasks", 1)
    divisors = {ONE: 1} if tasks == 1 else {EACH: tasks, RANDOM: 1}
    least = 2 * policies * tasks
    return [
        Spending(
            tasks=text,
            total=total,
            n_max=require_whole(total, "budget", least) // (policies * divisor),
        )
        for text, divisor in divisors.items()
        for total in totals
    ]


def explains(rules: Rules, budget: Any, tasks: int) -> bool:
    """Whether the plan says what a budget finds; raises where several tasks do not allow it."""
    special = rules.reading.constants or rules.reading.finite or rules.reading.new
    plain = rules.margin == 0 and rules.only_order and not special and rules.goal == "order"
    require(
        tasks == 1 or (budget is not None and plain),
        f"{tasks} tasks say how a budget is spent on ordering policies that are all new: give a ",
        named("budget"),
        ", and no margin, equivalence, reference, list of scenes, stored trials or other goal (the "
        "answer also says what naming only the best takes)",
        parameter="tasks",
    )
    return budget is not None and plain and (tasks > 1 or len(rules.policies) > 2)


def explained(
    plan: PlanResult, chosen: Sequence[Spending], planner: Planner, assumed: Assumptions
) -> "BudgetPlan":
    """Add to a plan what each way of spending tells apart, and what naming the best takes."""
    rules, scenarios = planner.rules, assumed.scenarios
    alpha = rules.alpha / len(rules.pairs)
    pair = replace(planner, rules=replace(rules, policies=rules.policies[:2], alpha=alpha))
    two = replace(assumed.family, policies=2)
    best = None
    several = len(rules.policies) > 2 and rules.baseline is None
    if several and registry.find(rules.method).inverts:
        only = replace(rules, goal="best", adjust=Rules.adjust, ties=Rules.ties)
        best = replace(planner, rules=only)
    spendings = []
    for spending in chosen:
        n_max, step = spending.n_max, None
        if pair.allows_step(two.at(0.0), n_max):
            step = pair.detectable(n_max, two, method=Step.name).gap
        named_best = () if best is None else best.rows(scenarios, [n_max])
        spendings.append(
            replace(
                spending,
                gap=pair.detectable(n_max, two).gap,
                step_gap=step,
                best=tuple(row.power for row in named_best),
            )
        )
    notes = (*plan.notes, *((OF_TASKS,) if chosen[0].tasks != ONE else ()))
    return BudgetPlan(
        **{**vars(plan), "notes": notes},
        budget=tuple(spendings),
        naming=() if best is None else tuple(_naming(best, one) for one in scenarios),
    )


def _naming(best: Planner, scenario: Scenario) -> PlanRow:
    """A study that names the best policy with the target power, or the longest considered."""
    n_max = FEWEST_ROWS
    while True:
        (row,) = best.rows([scenario], [n_max])
        if row.power >= best.power or n_max >= MOST_ROWS:
            return row
        n_max *= 2


@dataclass(frozen=True, kw_only=True, repr=False)
class BudgetPlan(PlanResult):
    """What a budget finds.

    Attributes
    ----------
    budget
        One entry for each way to spend it.
    naming
        By scenario: a study that names only the best policy.
    """

    budget: tuple[Spending, ...]
    naming: tuple[PlanRow, ...]

    @property
    def sentence(self) -> str:
        advice = ADVICE if self.budget[0].tasks != ONE else ""
        ways = "".join(map(self._of, self.budget))
        naming = ", ".join(f"{row.mean_trials:.0f} ({row.scenario})" for row in self.naming)
        best = f"Naming only the best takes {naming} trials of all policies on average. "
        return f"{advice}{ways}{best if naming else ''}{self._caveat()}"

    def _of(self, one: Spending) -> str:
        by_step = "" if one.step_gap is None else f" ({score_text(one.step_gap)} by step)"
        return (
            f"{one.total} trials, {one.tasks}, are at most {one.n_max} per policy, and tell two "
            f"policies apart with power {self.power:g} that differ by {_gap(one.gap)}{by_step}. "
        )

    def text_tables(self) -> dict[str, Rows]:
        expected = [
            {
                "budget": one.total,
                "spent on": one.tasks,
                **({} if self.single else {"gap": f"{row.gap:.4g}"}),
                "n_max": one.n_max,
                "pairs": f"{row.pair_power:.2f}",
                "all": f"{row.power:.2f}",
                **({"best": f"{one.best[index]:.2f}"} if one.best else {}),
            }
            for one in self.budget
            for index, row in enumerate(row for row in self.rows if row.n_max == one.n_max)
        ]
        gaps = [
            {
                "spent on": one.tasks,
                "n_max": one.n_max,
                "two policies differ by": _gap(one.gap),
                "by step": "-" if one.step_gap is None else score_text(one.step_gap),
            }
            for one in self.budget
        ]
        naming = [
            {
                "assumed": row.scenario,
                "n_max (rows)": row.n_max,
                "power": f"{row.power:.2f}",
                "total": f"{row.mean_trials:.0f}",
            }
            for row in self.naming
        ]
        title = f"Smallest difference of two policies found with power {self.power:g}"
        return {"What to expect": expected, title: gaps, "Naming only the best": naming}

    def _content(self) -> dict[str, Any]:
        return {**super()._content(), "naming": list(map(self.cells, self.naming))}


def _gap(gap: float | None) -> str:
    return "no gap" if gap is None else score_text(gap)

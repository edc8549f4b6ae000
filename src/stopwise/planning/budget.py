"""A given number of trials: how it can be spent on tasks, and what each way of spending finds."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from stopwise.core import registry
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole, score_text
from stopwise.core.step.method import Step
from stopwise.errors import require
from stopwise.messages import listed, named
from stopwise.planning.ends import Ends
from stopwise.planning.plan_result import PlanResult
from stopwise.planning.planner import GENEROUS, STEP_ASSUMES, Planner
from stopwise.planning.presentation import Rows
from stopwise.planning.scenarios import Assumptions, Scenario
from stopwise.planning.studies import BestStudy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ONE, EACH, RANDOM = "one task", "each task on its own", "tasks drawn at random"
# Rows of a study of the best policy that are considered first, and the most.
FEWEST_ROWS, MOST_ROWS = 50, 3200
EACH_TASK = (
    "of each task on its own a plan assumes the same rates, and every task has its own alpha"
)
RANDOM_TASKS = (
    "where the task of each trial is drawn at random, the claims are about the mean over the "
    "tasks, and the rates of a plan are means over the tasks"
)


class Division(NamedTuple):
    """A way to spend a budget."""

    tasks: str  # ONE, EACH or RANDOM
    total: int
    n_max: int  # trials per policy, of a task or of all tasks together


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What one way to spend a budget finds."""

    tasks: str
    total: int
    n_max: int
    # The smallest difference between two policies that is found with the target power while the
    # pairs share alpha, and its standard error; the same with ``step``; None if there is none.
    gap: float | None
    gap_error: float
    step_gap: float | None
    # By scenario: the chance that the best policy is named, if that alone is asked; empty where the
    # settings allow no best policy.
    best: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class Naming:
    """What it takes to name only the best policy of a scenario."""

    scenario: str
    n_max: int  # declared rows: doubled until the target power is reached, or given up
    power: float
    mean_trials: float  # of all policies together


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What a budget for so many tasks finds, and by scenario what naming only the best takes."""

    tasks: int
    spendings: tuple[Spending, ...]
    naming: tuple[Naming, ...]


def divisions(budget: Any, policies: int, tasks: int) -> list[Division]:
    """List the ways to spend each budget on so many policies that are tried."""
    totals = list(budget) if isinstance(budget, Sequence | np.ndarray) else [budget]
    require(len(totals) > 0, named("budget"), " needs at least one number, but got none")
    require_whole(tasks, "tasks", 1)
    divisors = {ONE: 1} if tasks == 1 else {EACH: tasks, RANDOM: 1}
    least = 2 * policies * tasks
    return [
        Division(text, total, require_whole(total, "budget", least) // (policies * divisor))
        for text, divisor in divisors.items()
        for total in totals
    ]


def explains(rules: Rules, budget: Any, tasks: int) -> bool:
    """Whether the plan says what a budget finds; raises where several tasks do not allow it."""
    special = rules.reading.constants or rules.reading.finite
    plain = rules.margin == 0 and rules.only_order and not special
    ordered = plain and rules.goal == "order" and not rules.reading.new
    require(
        tasks == 1 or (budget is not None and ordered),
        f"{tasks} tasks say how a budget is spent on ordering policies that are all new: give a ",
        named("budget"),
        ", and no margin, equivalence, reference, list of scenes, stored trials or other goal (the "
        "answer also says what naming only the best takes)",
        parameter="tasks",
    )
    return budget is not None and ordered and (tasks > 1 or len(rules.policies) > 2)


def explained(
    plan: PlanResult, chosen: Sequence[Division], tasks: int, planner: Planner, assumed: Assumptions
) -> "BudgetPlan":
    """Add to a plan what each way of spending tells apart, and what naming the best takes."""
    rules, scenarios = planner.rules, assumed.scenarios
    alpha = rules.alpha / planner.study(chosen[0].n_max).family.size
    pair = replace(planner, rules=replace(rules, policies=rules.policies[:2], alpha=alpha))
    two = replace(assumed.family, policies=2)
    several = len(rules.policies) > 2 and rules.baseline is None
    naming = None
    if several and registry.find(rules.method).inverts:
        naming = replace(rules, goal="best", adjust=Rules.adjust, ties=Rules.ties)
    spendings = []
    for way in chosen:
        found = pair.detectable(pair.study(way.n_max), two)
        step = None
        if pair.allows_step(two.population(0.0), way.n_max):
            step = pair.detectable(pair.study(way.n_max, method=Step.name), two).gap
        ends = [] if naming is None else _named(naming, way.n_max, scenarios, planner)
        best = tuple(one.power for one in ends)
        spendings.append(
            Spending(
                **way._asdict(), gap=found.gap, gap_error=found.gap_error, step_gap=step, best=best
            )
        )
    costs = [] if naming is None else [_cost(naming, scenario, planner) for scenario in scenarios]
    replaced = (GENEROUS, STEP_ASSUMES)
    notes = [note for note in plan.notes if not note.startswith(replaced)]
    if any(one.step_gap is not None for one in spendings):
        notes.append(STEP_ASSUMES)
    if tasks > 1:
        notes += [EACH_TASK, RANDOM_TASKS]
    budget = Budget(tasks=tasks, spendings=tuple(spendings), naming=tuple(costs))
    return BudgetPlan(**{**vars(plan), "budget": budget, "notes": tuple(notes)})


def _named(rules: Rules, n_max: int, scenarios: Sequence[Scenario], planner: Planner) -> list[Ends]:
    study = replace(rules, n_max=n_max)
    return planner.simulator.run([BestStudy(study, scenario.population) for scenario in scenarios])


def _cost(rules: Rules, scenario: Scenario, planner: Planner) -> Naming:
    n_max = FEWEST_ROWS
    (ends,) = _named(rules, n_max, [scenario], planner)
    while ends.power < planner.power and n_max < MOST_ROWS:
        n_max *= 2
        (ends,) = _named(rules, n_max, [scenario], planner)
    return Naming(
        scenario=scenario.text, n_max=n_max, power=ends.power, mean_trials=ends.mean_trials
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class BudgetPlan(PlanResult):
    """What a budget finds, in words."""

    budget: Budget

    LEGEND: ClassVar[str] = (
        'n_max is in trials per policy. "Pairs" is the expected share of the pairs that are told '
        'apart, "all" the chance that all are, and "best" the chance that the best policy is '
        "named, if only that is asked."
    )

    @property
    def sentence(self) -> str:
        parts = [*map(self._of, self.budget.spendings), self._caveat()]
        if self.budget.tasks > 1:
            advice = (
                "Draw the task of each trial at random, unless you need a verdict on each task: "
                "all trials then count for one claim about the mean over the tasks."
            )
            parts.insert(0, advice)
        if self.budget.naming:
            costs = listed(
                [
                    f"{cost.mean_trials:.0f} ({'' if self.single else f'{cost.scenario}, '}"
                    f"power {cost.power:.2f})"
                    for cost in self.budget.naming
                ]
            )
            best = f"Naming only the best takes {costs} trials of all policies on average."
            parts.insert(-1, best)
        return " ".join(parts)

    def _of(self, spending: Spending) -> str:
        rows = [row for row in self.rows if row.n_max == spending.n_max]
        gaps = listed([score_text(gap) for gap in dict.fromkeys(row.gap for row in self.rows)])
        where = "" if self.single else f" if neighbours differ by {gaps}"
        text = f"{spending.total} trials, {spending.tasks}, are at most {spending.n_max} per policy"
        text += self._told_apart(spending.gap, spending.step_gap)
        pairs = _shares(row.pair_power for row in rows)
        text += f"; the share of all pairs that is told apart is {pairs}{where}"
        if spending.best:
            best = _shares(spending.best)
            text += f". Asked for the best only, studies name it with probability {best}"
        return f"{text}."

    def _told_apart(self, gap: float | None, step: float | None) -> str:
        found = f"are told apart with power {self.power:g}"
        by_step = "" if step is None else f"by step, if they differ by {score_text(step)}"
        if gap is None:
            none = f". No two policies {found} by {self.method}"
            return f"{none}; {by_step}" if by_step else none
        beside = f" ({by_step})" if by_step else ""
        return f". Two policies that differ by {score_text(gap)} {found}{beside}"

    def text_tables(self) -> dict[str, Rows]:
        spendings = self.budget.spendings
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
            for one in spendings
            for index, row in enumerate(row for row in self.rows if row.n_max == one.n_max)
        ]
        by_step = any(one.step_gap is not None for one in spendings)
        title = f"Smallest difference of two policies found with power {self.power:g}"
        gaps = [
            {
                "spent on": one.tasks,
                "n_max": one.n_max,
                "two policies differ by": _gap(one.gap),
                **({"by step": _gap(one.step_gap)} if by_step else {}),
            }
            for one in spendings
        ]
        naming = [
            {
                "policies": cost.scenario,
                "n_max (rows)": cost.n_max,
                "power": f"{cost.power:.2f}",
                "total": f"{cost.mean_trials:.0f}",
            }
            for cost in self.budget.naming
        ]
        return {"What to expect": expected, title: gaps, "Naming only the best": naming}

    def _derived(self) -> dict[str, Any]:
        return {**super()._derived(), "budget": asdict(self.budget)}

    def figures(self) -> dict[str, "Figure"]:
        return {"stopping": self.plot_stopping()}


def _gap(gap: float | None) -> str:
    return "-" if gap is None else score_text(gap)


def _shares(shares: Iterable[float]) -> str:
    return listed([f"{share:.2f}" for share in shares])

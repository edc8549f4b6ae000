"""The question, before a study, how many trials it will take to name the best policy."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.messages import Message, Setting
from stopwise.planning.named_best import NamingModel, NamingTimes
from stopwise.planning.plan_result import PlanResult
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.planned_study import MOST_RUNS, PlanModel, PlannedStudy
from stopwise.planning.populations import Guessed, Population
from stopwise.planning.scenarios import Scenario
from stopwise.planning.simulation import Simulator

# Simulated orders of all pairs, which take nearly the same number of trials each time.
# More: time, most of all with many policies. Less: a rougher number.
ORDER_RUNS = 40
# As a share of the range: how alike two policies are that few would care to tell apart.
USUAL_INDIFFERENCE = 0.05


def plan_best(
    rules: Rules,
    horizons: Sequence[int],
    scenarios: Sequence[Scenario],
    simulator: Simulator,
    *,
    notes: tuple[str, ...],
    **common: Any,
) -> PlanResult:
    """Return the plan: each scenario as assumed, and with the second best equal to the best.

    ``common`` are fields of every ``PlanResult``; ``horizons`` are in rows.
    """
    require(
        not rules.later,
        "a plan lets all policies take part from the start: plan without ",
        Setting("later"),
    )
    cases = [case for scenario in scenarios for case in _with_tie(scenario)]
    studies = [(case, what_if, n) for case, what_if in cases for n in horizons]
    models = [NamingModel(replace(rules, n_max=n), case.population) for case, _, n in studies]
    rows = tuple(
        _row(case, n, times, rules, what_if=what_if)
        for (case, what_if, n), times in zip(
            studies, simulator.run(models, most=MOST_RUNS), strict=True
        )
    )
    plan = PlanResult(
        rows=rows,
        detectable=(),
        rules=rules,
        ties="strict",
        notes=(*notes, *_notes(rules)),
        **common,
    )
    if len(scenarios) > 1:
        return plan
    study = replace(rules, n_max=plan.shown.n_max)
    return replace(plan, order_trials=_order_trials(study, scenarios[0].population, simulator.seed))


def _with_tie(scenario: Scenario) -> list[tuple[Scenario, bool]]:
    """Return the scenario and, unless its two best are equal anyway, the one in which they are."""
    if scenario.lead < 1e-9 and isinstance(scenario.population, Guessed):
        return [(scenario, False)]
    text = f"{scenario.text}, but the two best equal"
    tied = replace(scenario, text=text, lead=0.0, population=scenario.population.with_tie())
    return [(scenario, False), (tied, True)]


def _row(
    scenario: Scenario, n_max: int, times: NamingTimes, rules: Rules, *, what_if: bool
) -> PlanRow:
    tenth, half, most = (times.trial_quantile(level) for level in (0.1, 0.5, 0.9))
    return PlanRow.of(
        times,
        scenario.text,
        gap=scenario.lead * rules.scale.span,
        n_max=n_max,
        most_trials=times.most_trials,
        mean_trials_error=times.mean_trials_error,
        trial_quantiles=(tenth, half, most),
        mean_left=times.mean_left,
        what_if=what_if,
        fixed_n=None,
        fixed_test=None,
        policies=len(rules.policies),
    )


def _order_trials(rules: Rules, population: Population, seed: int) -> float:
    """Return the mean trials of all policies in a study that orders all pairs."""
    order = replace(rules, goal="order", indifference=0.0, allocation="leader")
    study = PlannedStudy(order)
    times = PlanModel(study, population).simulate(np.random.SeedSequence(seed), ORDER_RUNS)
    return times.mean_trials


def _notes(rules: Rules) -> list[Message]:
    if rules.indifference > 0:
        return []
    return [
        Message(
            "equal policies at the top are never told apart; ",
            Setting("indifference", USUAL_INDIFFERENCE * rules.scale.span),
            " lets one of them be named, given enough rows, and without a tie mostly ends sooner",
        )
    ]

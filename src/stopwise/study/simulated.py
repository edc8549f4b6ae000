"""A simulator beside a study: its score of each policy from each start state, fixed at the lock.

The study draws the state of each row from the list, so the mean over the list is the proxy's mean,
exactly, and nothing is assumed of how real scenes come about (docs/design/proxy.md).
"""

from collections.abc import Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from stopwise.core.scores import Scale
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import BLANK, Setting, counted

if TYPE_CHECKING:
    from stopwise.study.plan_parts import Task
    from stopwise.study.study_plan import StudyPlan

# Of each task and start state, the score of each policy, by name or by label.
Simulated = dict[str, dict[str, dict[str, float]]]


def require_simulated(plan: "StudyPlan") -> None:
    """Raise unless each policy has a score from each state that a row may draw."""
    tasks = {task.name: task for task in plan.tasks}
    if plan.audit is not None:
        require(not plan.proxy, "audit is for a judge of the trials themselves: leave proxy out")
        require(plan.design == "blocks", "people audit whole rows: the plan needs design: blocks")
        require(plan.over_tasks == "each", "audits belong to one task, not to the mean of many")
    for name, states in plan.proxy.items():
        require(name in tasks, f"proxy: the plan has no task {name!r}")
        require(
            plan.design == "blocks",
            "a proxy scores the scene that all policies share: the plan needs design: blocks",
        )
        require(plan.over_tasks == "each", "a proxy belongs to one task, not to the mean of many")
        conditions = tasks[name].conditions
        require(
            conditions is None or not conditions.drawn,
            f"proxy: {name} draws its conditions from ranges, but only listed states can be "
            "simulated in advance: leave `conditions` out to use the states of the proxy",
        )
        listed = listed_states(plan, tasks[name])
        require(bool(listed), f"proxy: {name} has no start state")
        for state in {**dict.fromkeys(listed), **states}:
            require(state in listed, f"proxy: {state!r} is not listed among the states of {name}")
            known, own = set(plan.policy_names), set(states.get(state, ()))
            require(
                known == own,
                f"proxy: from {state!r}, {name} needs a score of {', '.join(sorted(known))}, but "
                f"has {', '.join(sorted(own)) or 'none'}",
            )
        scores = np.array([list(own.values()) for own in states.values()])
        Scale.declared(tasks[name].score.bounds).check(scores, f"the proxy on {name}")


def listed_states(plan: "StudyPlan", task: "Task") -> tuple[str, ...]:
    """Return the states that rows of a task with a proxy draw from; none if it has no proxy."""
    if task.name not in plan.proxy:
        return ()
    return tuple(sorted(plan.proxy[task.name])) if not task.conditions else task.conditions.listed


def proxy_means(
    plan: "StudyPlan", task: "Task", simulated: Mapping[str, Mapping[str, Mapping[str, float]]]
) -> Any:
    """Return what rules take: the proxy's mean over the states by policy; None without one."""
    scores = [simulated[task.name][state] for state in listed_states(plan, task)]
    return {name: fmean(own[name] for own in scores) for name in scores[0]} if scores else None


def by_label(plan: "StudyPlan", labels: Mapping[str, str]) -> Simulated | None:
    """Return the proxy's scores for policies by their labels; None without a proxy."""
    found = {
        task: {
            state: {label: scores[name] for label, name in labels.items()}
            for state, scores in states.items()
        }
        for task, states in plan.proxy.items()
    }
    return found or None


def from_trials(trials: Trials, plan: "StudyPlan", tasks: Mapping[str, str]) -> Simulated:
    """Return the mean score of each policy from each state; episodes from one state count alike.

    The start state is the block of a trial; those that a task of the plan does not list are left
    out. ``tasks`` says which task of the plan each task of the trials is.
    """
    require(
        "block" in trials.frame.columns,
        "simulated scores need a column with the start state: name it with ",
        Setting("columns", {"block": BLANK}),
        code="no-start-states",
    )
    found: Simulated = {}
    for given, name in tasks.items():
        own = trials.frame.filter(pl.col("task") == given, pl.col("block").is_not_null())
        means = own.group_by("block", "policy").agg(pl.col("score").mean()).sort("block", "policy")
        conditions = plan.task(name).conditions
        wanted = None if conditions is None else {*conditions.listed}
        states: dict[str, dict[str, float]] = {}
        for state, policy, score in means.iter_rows():
            if policy in plan.policy_names and (wanted is None or state in wanted):
                states.setdefault(state, {})[policy] = score
        found[name] = states
    return found


def in_words(plan: "StudyPlan", task: str) -> str:
    """Return what a proxy does in a study, and what is assumed of it; empty without one."""
    if plan.audit is not None:
        return (
            "A judge scores every trial. People score whole rows, each picked at random with a "
            f"chance of {plan.audit:g} once its trials are over and judged, so that nothing can "
            "depend on it. Claims are about people's scores."
        )
    known = next((own for own in plan.tasks if own.name == task), None)
    if known is None or task not in plan.proxy:
        return ""
    states = counted(len(listed_states(plan, known)), "start state")
    return (
        f"A simulator's scores from {states} were fixed with the plan and save trials. The study "
        "draws the state of each row from this list, so their mean is known, and claims are about "
        "the mean over the list. Trials are assumed to start from the state drawn."
    )

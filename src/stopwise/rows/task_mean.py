"""The mean over tasks: the weight of each task, and what each shows by itself.

Proofs are in docs/design/readings.md.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Ints
from stopwise.core.readings.scale import OrderScale, Scale
from stopwise.core.scores import is_number, score_text
from stopwise.errors import require, require_choice
from stopwise.messages import Notes, Setting, counted, few, named, one_look
from stopwise.rows.table import Table
from stopwise.rows.task_tables import of_every_policy, tables

if TYPE_CHECKING:
    import polars as pl

    from stopwise.data.trials import Trials


MEAN = "mean over tasks"
CHOICES = (None, "mean")
ORDERS = ("rounds", "independent", "random")
# With about this probability the numbers of random draws look like something else,
FALSE_ALARM = 1e-4
# and with about that of so many standard deviations their order.
FAR = 4.0


@dataclass(frozen=True, kw_only=True)
class TaskShare:
    task: str
    share: float  # its weight as a part of all weights
    # Of each policy in it, in the task's own unit: a description that claims nothing.
    # ``analyze(tasks="each")`` tests each task.
    trials: Mapping[str, int]
    means: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class TaskMean:
    # "random": the task of each row was drawn, with the shares as probabilities. "rounds": each row
    # is the average of one trial of every task. "independent": the same, and these trials are
    # independent of each other, so that one bet is held through a round.
    order: str
    tasks: tuple[TaskShare, ...]
    by_task: bool = False  # whether each task of a round is compared by itself
    doubts: tuple[str, ...] = ()  # signs that the tasks were not drawn at random, one clause each

    @property
    def meaning(self) -> str:
        how = {
            "random": "the task of each row drawn at random",
            "rounds": "one trial of every task averaged into each row",
            "independent": "one trial of every task in each row, independent of each other",
        }[self.order]
        if self.by_task:
            how = "each task of a round compared by itself"
        equal = len({task.share for task in self.tasks}) == 1
        return f"the {'' if equal else 'weighted '}mean over {len(self.tasks)} tasks, {how}"

    @property
    def unit(self) -> str:
        return "trials" if self.order == "random" else "averages of a round"

    @property
    def row_name(self) -> str:
        """What a row is called where rows are counted; empty for a usual one."""
        return "" if self.order == "random" else "round"

    @property
    def declared(self) -> dict[str, Any]:
        """Settings that follow for the rules."""
        held = self.by_task or self.order == "independent"
        return {"rounds": tuple(task.share for task in self.tasks)} if held else {}

    def text_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "task": task.task,
                "weight": f"{100 * task.share:.3g} %",
                **{
                    f"{policy}: mean (n)": f"{score_text(task.means[policy])} ({n})" if n else ""
                    for policy, n in task.trials.items()
                },
            }
            for task in self.tasks
        ]

    def to_dict(self) -> dict[str, Any]:
        return {"task_order": self.order, "tasks": [dict(vars(task)) for task in self.tasks]}


def shares(
    tasks: Iterable[str], weights: Mapping[str, float] | None, *, complete: bool = True
) -> dict[str, float]:
    """Return each task's share of the weights, 1 where none is declared; or raise."""
    known = list(tasks)
    require(
        weights is None or isinstance(weights, Mapping),
        named("weights"),
        f" must be given by task, as in {{'reach': 2}}, but got {weights!r}",
    )
    for task, weight in (weights or {}).items():
        require(
            is_number(weight) and weight > 0,
            f"the weight of task {task!r} must be a positive number, but is {weight!r}",
            parameter="weights",
        )
        require(
            task in known or not complete,
            named("weights"),
            f" names the task {task!r}, but the tasks are {', '.join(known)}",
        )
    given = {**dict.fromkeys(known, 1.0), **(weights or {})}
    total = sum(given.values())
    return {task: weight / total for task, weight in given.items()}


def task_at(share: Mapping[str, float], drawn: float) -> str:
    # The last end may be rounded to less than 1.
    ends = list(accumulate(share.values()))[:-1]
    return list(share)[bisect_right(ends, drawn)]


def require_tasks_choice(
    tasks: str | None,
    order: str = "rounds",
    weights: Mapping[str, float] | None = None,
    by: str | None = None,
    choices: tuple[str | None, ...] = CHOICES,
) -> None:
    """Raise if these do not go together; ``by`` is given where the tasks of a row may differ."""
    require(
        tasks != "mean" or by != "wins",
        "a win is one of two trials of the same task, but the tasks of a row may differ here",
        parameter="by",
    )
    require_choice("tasks", tasks, choices)
    require_choice("task_order", order, ORDERS)
    for name, given in (("task_order", order != "rounds"), ("weights", weights is not None)):
        require(
            tasks == "mean" or not given,
            named(name),
            " is about the mean over tasks: give ",
            Setting("tasks", "mean"),
            " as well",
        )


def described(
    order: str,
    share: Mapping[str, float],
    frame: "pl.DataFrame",
    policies: Sequence[str],
    doubts: tuple[str, ...] = (),
    *,
    by_task: bool = False,
) -> TaskMean:
    import polars as pl

    cells = frame.group_by("task", "policy").agg(pl.len(), pl.col("score").mean())
    known = {(task, policy): (n, mean) for task, policy, n, mean in cells.rows()}
    tasks = []
    for task, part in share.items():
        by_policy = {policy: known[task, policy] for policy in policies if (task, policy) in known}
        trials = {policy: by_policy.get(policy, (0, 0.0))[0] for policy in policies}
        means = {policy: mean for policy, (_, mean) in by_policy.items()}
        tasks.append(TaskShare(task=task, share=part, trials=trials, means=means))
    return TaskMean(order=order, tasks=tuple(tasks), doubts=doubts, by_task=by_task)


def not_drawn(sequence: Ints, names: Sequence[str], share: Sequence[float]) -> str | None:
    """Why a sequence of tasks does not look drawn with these shares, or None."""
    from scipy.stats import binom

    n, parts = len(sequence), np.asarray(share)
    counts = np.bincount(sequence, minlength=len(parts))
    tails = np.minimum(binom.cdf(counts, n, parts), binom.sf(counts - 1, n, parts))
    worst = int(tails.argmin())
    if 2 * len(parts) * tails[worst] < FALSE_ALARM:
        return (
            f"task {names[worst]} has {counts[worst]} of {n} trials of a policy, where about "
            f"{n * parts[worst]:.0f} were to be drawn"
        )
    # The mean and the variance of the number of neighbours alike, of independent draws.
    same, cubed = (parts**2).sum(), (parts**3).sum()
    spread = (n - 1) * (same - same**2) + 2 * max(n - 2, 0) * (cubed - same**2)
    repeats, expected = int((sequence[1:] == sequence[:-1]).sum()), (n - 1) * same
    if n > 1 and abs(repeats - expected) > FAR * np.sqrt(spread) + 1:
        return (
            f"{repeats} times of {n - 1} a task follows itself, where random draws would do so "
            f"about {expected:.0f} times"
        )
    return None


def over_tasks(
    source: Any,
    *,
    order: str,
    weights: Mapping[str, float] | None,
    design: str | None,
    bounds: tuple[float, float] | None = None,
    growing: bool = False,
    by_task: bool = False,
) -> Table:
    from stopwise.data.order import came_in_turn
    from stopwise.data.trials import Trials

    require(
        isinstance(source, Trials),
        "tasks='mean' needs a trial table with a column of tasks: read it with read_trials",
        parameter="tasks",
    )
    by_task = by_task or source.preferences
    require(
        order == "rounds" or not by_task,
        "each task is compared by itself: that takes rounds, with ",
        Setting("task_order", "rounds"),
        parameter="task_order",
    )
    require(
        not growing or (order != "independent" and not by_task),
        "while files grow, rounds are averaged, and preferences have no averages",
        parameter="task_order",
    )
    there: dict[str, list[str]] = {}
    for task, policy in source.counts():
        there.setdefault(task, []).append(policy)
    if growing:  # which rows there will be must not depend on what has come in
        share = shares(weights or {}, weights)
        for task in there:
            text = f" of growing files must name every task in advance, but {task!r} is missing"
            require(task in share, named("weights"), text)
    else:
        # A task may not have been drawn yet, or not before a policy dropped out: none is left out.
        share = shares(there, weights, complete=order != "random")
    if order == "random":
        trials = _one_range(source, list(there), bounds)
        table, doubts = _drawn(trials, share, design)
        return replace(table, mean=described(order, share, source.frame, table.policies, doubts))
    missing: tuple[str, ...] = ()
    if growing:
        waiting = [task for task in share if task not in there]
        require(not waiting, f"task {few(list(map(repr, waiting)))} has no trials yet")
    else:
        kept, missing = of_every_policy(there)
        share = shares(kept, {task: share[task] for task in kept})
    trials = _one_range(source, list(share), bounds)
    parts = tables(trials, design=design, in_turn=not growing)
    if len(parts) == 1 and not growing:
        return replace(parts[0], notes=(*missing, *parts[0].notes))
    table = _averaged(parts, share, by_task=by_task)
    require(
        order != "independent" or not table.training_runs,
        "trials of several training runs share what a run has learned, so that those of a round "
        "are not independent of each other: leave ",
        Setting("task_order", "independent"),
        " out, and their averages are compared",
    )
    if order != "independent" and not by_task:
        table = replace(table, other_scores=())
    if not growing and not set(share) <= set(weights or ()) and came_in_turn(trials.frame, "task"):
        more = one_look("tasks came one after the other, and a row takes one trial of each")
        missing = (*missing, more)
    mean = described(order, share, source.frame, table.policies, by_task=by_task)
    return replace(table, notes=(*missing, *table.notes), mean=mean)


def _one_range(trials: "Trials", kept: list[str], bounds: tuple[float, float] | None) -> "Trials":
    import polars as pl

    frame, notes = trials.frame.filter(pl.col("task").is_in(kept)), trials.notes
    declared = {task: limits for task, limits in trials.bounds.items() if task in kept}
    if bounds is not None:
        declared = dict.fromkeys(kept, Scale.declared(bounds).ends)
    if len({declared.get(task, (0.0, 1.0)) for task in kept}) > 1:
        scales = [Scale(*declared.get(task, (0.0, 1.0))) for task in kept]
        low = pl.col("task").replace_strict(kept, [scale.low for scale in scales])
        span = pl.col("task").replace_strict(kept, [scale.span for scale in scales])
        frame = frame.with_columns((pl.col("score") - low) / span)
        declared = dict.fromkeys(kept, (0.0, 1.0))
        scaled = "scores are scaled to [0, 1] before they are averaged, since the tasks'"
        notes = (*notes, f"{scaled} ranges differ")
    return replace(
        trials,
        frame=frame,
        bounds=declared,
        notes=notes,
        bounds_inferred=trials.bounds_inferred and bounds is None,
    )


def _drawn(
    trials: "Trials", share: Mapping[str, float], design: str | None
) -> tuple[Table, tuple[str, ...]]:
    """Rows as they come: paired, unless each trial was declared to have drawn its own task."""
    import polars as pl

    from stopwise.rows.align import align

    frame, notes, names = trials.frame, Notes(trials.notes), list(share)
    if "block" in frame.columns:
        frame = frame.with_columns(pl.concat_str("task", "block", separator="\x1f").alias("block"))
    elif design != "independent":
        number = pl.int_range(pl.len()).over("policy")
        frame = frame.with_columns(number.cast(pl.String).alias("block"))
        notes.add("design: paired, since policies of a row may share its task")
        design = "paired"
    declared = trials.bounds.get(trials.tasks[0])
    together = replace(
        trials,
        frame=frame.with_columns(pl.lit(MEAN).alias("task")),
        bounds={} if declared is None else {MEAN: declared},
        notes=tuple(notes),
    )
    # As they come: in turn, the order of the rows would no longer be that of the draws.
    table = align(together, design=design or "auto", in_turn=False)
    codes = []
    for policy in trials.policies:
        tasks = trials.frame.filter(pl.col("policy") == policy)["task"]
        codes.append(
            tasks.replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        )
    chance = sum(weight * weight for weight in share.values())
    for first, second in combinations(codes, 2):
        rows = min(len(first), len(second))
        same = float(np.mean(first[:rows] == second[:rows]))
        most = chance + FAR * math.sqrt(chance * (1 - chance) / rows)
        require(
            table.design == "paired" or same < min(most, 1.0),
            "the policies of a row had the same task, so that their scores are not independent: "
            "choose ",
            Setting("design", "paired"),
        )
    doubts = (not_drawn(tasks, names, list(share.values())) for tasks in codes)
    return table, tuple(filter(None, doubts))[:1]


def _averaged(parts: list[Table], share: Mapping[str, float], *, by_task: bool) -> Table:
    """Return the averages of rounds: the k-th row of every task is one row of the table."""
    policies = tuple(dict.fromkeys(name for part in parts for name in part.policies))
    rows = min(len(part.scores) for part in parts)
    scale = (OrderScale if by_task else Scale)(*(parts[0].bounds or (0.0, 1.0)))
    for part in parts:  # before the averages, which may lie within though a score does not
        part.check(scale.check)
    parts = [part.clipped(scale) for part in parts]
    scores = np.stack([part.arranged(policies)[:rows] for part in parts])
    means = np.tensordot([share[str(part.task)] for part in parts], scores, axes=1)
    notes = Notes(dict.fromkeys(note for part in parts for note in part.notes))
    # Of each policy the rounds count in which it has a trial of every task.
    known = sum(int((~np.isnan(part.scores)).sum()) for part in parts)
    beyond = known - len(parts) * int((~np.isnan(means)).sum())
    if beyond:
        text = f"{counted(beyond, 'trial')} beyond the last full round of all tasks left out"
        least = few([str(part.task) for part in parts if len(part.scores) == rows])
        notes.add(f"{text}: of {least} there are only {rows}")
    return replace(
        parts[0],
        policies=policies,
        other_scores=tuple(scores),
        # An average lies between its parts, whatever is rounded.
        scores=np.clip(means, scores.min(axis=0), scores.max(axis=0)),
        design="paired" if any(part.design == "paired" for part in parts) else "independent",
        task=MEAN,
        notes=tuple(notes),
        training_runs=max(part.training_runs for part in parts),
    )

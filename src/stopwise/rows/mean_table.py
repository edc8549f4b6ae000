"""One table of several tasks, whose claim is about their mean."""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.readings.scale import OrderScale, Scale
from stopwise.errors import require
from stopwise.messages import Notes, Setting, counted, named, one_look
from stopwise.rows.table import Table
from stopwise.rows.task_mean import MEAN, described, not_drawn, shares
from stopwise.rows.task_tables import of_every_policy, tables

if TYPE_CHECKING:
    import polars as pl

    from stopwise.data.trials import Trials

# So many deviations more rows with the same task than by chance mean that it was shared.
DEVIATIONS = 4.0


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
        not by_task or (order == "rounds" and not growing),
        "each task is compared by itself: that takes rounds of complete files, with ",
        Setting("task_order", "rounds"),
        parameter="task_order",
    )
    there: dict[str, list[str]] = {}
    for task, policy in source.counts():
        there.setdefault(task, []).append(policy)
    require(
        not growing or order != "independent",
        Setting("task_order", order),
        " is for files that are complete: while they grow, rounds are averaged",
    )
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
    kept, missing = list(share), tuple[str, ...]()
    if growing:
        for task in kept:
            require(task in there, f"task {task!r} has no trials yet")
    else:
        kept, missing = of_every_policy(there)
        share = shares(kept, {task: share[task] for task in kept})
    trials = _one_range(source, kept, bounds)
    parts = tables(trials, design=design, in_turn=not growing)
    if len(kept) == 1 and not growing:
        return replace(parts[0], notes=(*missing, *parts[0].notes))
    table = _averaged(parts, share, by_task=by_task)
    if order == "independent":
        _require_independent(table)
    elif not by_task:
        table = replace(table, beside=())
    if not growing and not set(kept) <= set(weights or ()) and came_in_turn(trials.frame, "task"):
        more = one_look("tasks came one after the other, and a row takes one trial of each")
        table = replace(table, notes=(more, *table.notes))
    mean = described(order, share, source.frame, table.policies, by_task=by_task)
    return replace(table, notes=(*missing, *table.notes), mean=mean)


def _one_range(trials: "Trials", kept: list[str], bounds: tuple[float, float] | None) -> "Trials":
    import polars as pl

    frame, notes = trials.frame.filter(pl.col("task").is_in(kept)), trials.notes
    declared = {task: own for task, own in trials.bounds.items() if task in kept}
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

    frame = trials.frame
    number = pl.int_range(pl.len()).over("policy").alias("number")
    alike, notes = _alike(frame.select("policy", "task", number), share), Notes(trials.notes)
    if "block" in frame.columns:
        frame = frame.with_columns(pl.concat_str("task", "block", separator="\x1f").alias("block"))
    elif design != "independent":
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
    require(
        table.design == "paired" or not alike,
        "the policies of a row had the same task, so that their scores are not independent: "
        "choose ",
        Setting("design", "paired"),
    )
    return table, _doubts(trials, share)


def _alike(frame: "pl.DataFrame", share: Mapping[str, float]) -> bool:
    by_row = frame.pivot("policy", index="number", values="task").drop("number")
    chance = sum(weight * weight for weight in share.values())
    for first, second in combinations(by_row.get_columns(), 2):
        both = (first == second).drop_nulls()
        most = chance + DEVIATIONS * math.sqrt(chance * (1 - chance) / max(len(both), 1))
        if len(both) and float(both.to_numpy().mean()) >= min(most, 1.0):
            return True
    return False


def _doubts(trials: "Trials", share: Mapping[str, float]) -> tuple[str, ...]:
    import polars as pl

    names = list(share)
    for policy in trials.policies:
        own = trials.frame.filter(pl.col("policy") == policy)["task"]
        codes = own.replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        found = not_drawn(codes, names, list(share.values()))
        if found is not None:
            return (found,)
    return ()


def _require_independent(table: Table) -> None:
    require(
        not table.training_runs,
        "trials of several training runs share what a run has learned, so that those of a round "
        "are not independent of each other: leave ",
        Setting("task_order", "independent"),
        " out, and their averages are compared",
    )


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
        least = [str(part.task) for part in parts if len(part.scores) == rows]
        if len(least) < len(parts):
            who = f"{least[0]} has" if len(least) == 1 else f"{len(least)} tasks have"
            text += f": {who} only {rows}"
        notes.add(text)
    return replace(
        parts[0],
        policies=policies,
        beside=tuple(scores),
        # An average lies between its parts, whatever is rounded.
        scores=np.clip(means, scores.min(axis=0), scores.max(axis=0)),
        design="paired" if any(part.design == "paired" for part in parts) else "independent",
        task=MEAN,
        notes=tuple(notes),
        training_runs=max(part.training_runs for part in parts),
    )

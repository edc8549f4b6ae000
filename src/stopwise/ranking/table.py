"""The scores of one task as a table: a row of trials, a column per policy, NaN where none is.

Everything that the ranking knows of trial tables is here.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.comparison import Comparison
from stopwise.core.scores import numeric_array
from stopwise.errors import InvalidInput, require

if TYPE_CHECKING:
    from stopwise.data.trials import Trials

__all__ = ["Table", "check_scores", "pooled", "tables", "unit_scores"]

POOLED = "pooled"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Aligned scores of several policies.

    Attributes
    ----------
    policies
        Names, one per column.
    scores
        Array (rows, policies), NaN where a policy has no trial in a row.
    design
        "paired" if a row is one block that the policies share, else "independent".
    task, bounds, warnings
        The task's name, the declared range of its score, and what the reader should know.
    bounds_inferred
        Whether the range was taken from the data, which voids the guarantee.
    pooled_tasks
        Number of tasks that were pooled, 0 for one task as it is.
    """

    policies: tuple[str, ...]
    scores: Floats
    design: str
    task: str | None = None
    bounds: tuple[float, float] | None = None
    warnings: tuple[str, ...] = ()
    bounds_inferred: bool = False
    pooled_tasks: int = 0

    def declaring(self, bounds: tuple[float, float] | None) -> "Table":
        """Return the table with these bounds declared, or as it is if there are none."""
        return self if bounds is None else replace(self, bounds=bounds, bounds_inferred=False)


def tables(source: Any, *, design: str | None, iid_seed: int | None = None) -> list[Table]:
    """Return one table per task from aligned scores, a trial table or scores by policy."""
    from stopwise.data.design import Aligned
    from stopwise.data.trials import Trials

    if isinstance(source, Trials):
        return [_from_trials(source, task, design, iid_seed) for task in source.tasks]
    require(iid_seed is None, "the i.i.d. correction needs a trial table with blocks")
    if isinstance(source, Table):
        return [source]
    if isinstance(source, Mapping):
        return [_from_mapping(source, design)]
    if isinstance(source, Aligned):
        return [
            Table(
                policies=source.policies,
                scores=source.scores,
                design=design or source.design,
                warnings=source.notes,
            )
        ]
    readable = isinstance(source, str | os.PathLike | np.ndarray)
    raise InvalidInput(
        "trials must be a trial table, aligned scores or a mapping from policy to scores, "
        f"but got {type(source).__name__}{'; read it with read_trials first' if readable else ''}"
    )


def unit_scores(table: Table, comparison: Comparison) -> Floats:
    """Return the scores normalised to [0, 1]; raise, naming the policy, if one is not allowed."""
    check_scores(table, comparison.check)
    return comparison.scale.unit(table.scores)


def check_scores(table: Table, check: Callable[[Floats, str], None]) -> None:
    """Check the scores of each policy, and say in a complaint what helps."""
    for name, column in zip(table.policies, table.scores.T, strict=True):
        known = column[~np.isnan(column)]
        require(known.size > 0, f"each policy needs at least one trial, but {name!r} has none")
        try:
            check(known, repr(name))
        except InvalidInput as error:
            raise InvalidInput(_with_place(table, known, str(error))) from error


def _with_place(table: Table, scores: Floats, complaint: str) -> str:
    """Return a complaint with the task, and with what helps if no range was declared."""
    place = f"task {table.task}: " if table.task not in (None, "task") else ""
    outside = table.bounds is None and (scores.min() < 0.0 or scores.max() > 1.0)
    return f"{place}{complaint}{'; none were declared: give bounds=' if outside else ''}"


def pooled(parts: list[Table]) -> Table:
    """Return one table of all tasks, normalised, a row of each task in turn.

    Each row stays within its task, so both policies of a pair always meet the same task.
    """
    policies = parts[0].policies
    for part in parts:
        require(
            set(part.policies) == set(policies),
            "tasks can be pooled only if each has the same policies, but "
            f"{part.task!r} has {', '.join(part.policies)} and "
            f"{parts[0].task!r} has {', '.join(policies)}",
        )
    turns = np.concatenate([np.arange(len(part.scores)) for part in parts])
    rows = np.concatenate([_normalised(part, policies) for part in parts])
    assumption = (
        f"{len(parts)} tasks are pooled, one row of each in turn, scores scaled to [0, 1]: a claim "
        "says that a policy is better on some task (implied ones, and the closed adjustment of "
        "more than 2 policies, need tasks that agree on the order), and is one about the mean over "
        "tasks only if no policy is better on one task and worse on another, or tasks came in "
        "random order"
    )
    notes = dict.fromkeys(note for part in parts for note in part.warnings)
    return replace(
        parts[0],
        scores=rows[np.argsort(turns, kind="stable")],
        task=POOLED,
        bounds=(0.0, 1.0),
        warnings=(*notes, assumption),
        pooled_tasks=len(parts),
    )


def _normalised(part: Table, policies: tuple[str, ...]) -> Floats:
    low, high = part.bounds or (0.0, 1.0)
    columns = [part.policies.index(name) for name in policies]
    unit: Floats = (part.scores[:, columns] - low) / (high - low)
    return unit


def _from_mapping(source: Mapping[str, Any], design: str | None) -> Table:
    columns = [numeric_array(scores, repr(name)) for name, scores in source.items()]
    for name, column in zip(source, columns, strict=True):
        require(column.ndim == 1, f"{name!r} needs its scores in one row, got {column.shape}")
    scores = np.full((max(map(len, columns), default=0), len(columns)), np.nan)
    for index, column in enumerate(columns):
        scores[: len(column), index] = column
    gaps = sum(int(np.isnan(column).sum()) for column in columns)
    return Table(
        policies=tuple(map(str, source)),
        scores=scores,
        design=design or "independent",
        warnings=(f"{gaps} scores are NaN, which counts as no trial",) if gaps else (),
    )


def _from_trials(trials: "Trials", task: str, design: str | None, iid_seed: int | None) -> Table:
    """Align one task of a trial table, by the rules of the data layer."""
    from stopwise.data.design import align

    aligned = align(
        trials,
        task=task,
        design=design or "auto",
        iid_correction=iid_seed is not None,
        seed=iid_seed,
    )
    return Table(
        policies=aligned.policies,
        scores=aligned.scores,
        design=aligned.design,
        task=task,
        bounds=trials.bounds.get(task),
        warnings=(*trials.notes, *aligned.notes),
        bounds_inferred=trials.bounds_inferred,
    )

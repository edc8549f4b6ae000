"""From whatever holds trials to tables, one per task."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.scores import Scale, numeric_array
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message, Setting, counted
from stopwise.rows.table import Table, side_by_side

POOLED = "pooled"


def tables(
    source: Any, *, design: str | None, iid_seed: int | None = None, unit: str = "trial"
) -> list[Table]:
    """Return one table per task from a trial table, or from whatever holds trials."""
    from stopwise.data.frames import is_frame
    from stopwise.data.read import read_trials
    from stopwise.data.trials import Trials
    from stopwise.rows.align import align

    if isinstance(source, str | os.PathLike | np.ndarray) or is_frame(source):
        source = read_trials(source)
    if isinstance(source, Trials):
        chosen, correct = design or "auto", iid_seed is not None
        return [
            align(
                source, task=task, design=chosen, iid_correction=correct, seed=iid_seed, unit=unit
            )
            for task in source.tasks
        ]
    require(
        unit == "trial",
        Setting("unit", unit),
        " needs a trial table with a column of training seeds: read it with read_trials",
        code="no-seed-column",
    )
    require(
        iid_seed is None,
        "the i.i.d. correction needs a trial table with blocks",
        parameter="iid_seed",
    )
    if isinstance(source, Table):
        return [source if design is None else replace(source, design=design)]
    if isinstance(source, Mapping):
        return [_from_mapping(source, design)]
    raise InvalidInput(
        "trials must be a file, a frame, a trial table, aligned scores or a mapping from policy "
        f"to scores, but got {type(source).__name__}",
        parameter="trials",
    )


def pooled(parts: list[Table], *, scaled: bool = True) -> Table:
    """Return one table of all tasks, normalised if so wished, a row of each task in turn.

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
    rows = np.concatenate([_in_order(part, policies, scaled=scaled) for part in parts])
    scaling = ", with scores scaled to [0, 1]" if scaled else ""
    assumption = (
        f"{len(parts)} tasks are pooled, one row of each in turn{scaling}. A "
        "claim then says that a policy is better on some task (implied claims, and the closed "
        "adjustment of more than 2 policies, need tasks that agree on the order). It is a claim "
        "about the mean over tasks only if no policy is better on one task and worse on another, "
        "or if tasks came in random order"
    )
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return replace(
        parts[0],
        scores=rows[np.argsort(turns, kind="stable")],
        task=POOLED,
        bounds=(0.0, 1.0),
        notes=(*notes, Message(assumption, code="pooled")),
        pooled_tasks=len(parts),
        training_runs=max(part.training_runs for part in parts),
    )


def _in_order(part: Table, policies: tuple[str, ...], *, scaled: bool) -> Floats:
    scores = part.scores[:, [part.policies.index(name) for name in policies]]
    if not scaled:
        return scores
    scale = Scale(*(part.bounds or (0.0, 1.0)))
    part.check(scale.check)
    return scale.unit(scores)


def _from_mapping(source: Mapping[str, Any], design: str | None) -> Table:
    columns = [numeric_array(scores, repr(name)) for name, scores in source.items()]
    for name, column in zip(source, columns, strict=True):
        require(column.ndim == 1, f"{name!r} needs its scores in one row, got {column.shape}")
    gaps = sum(int(np.isnan(column).sum()) for column in columns)
    note = Message(
        f"{counted(gaps, 'score is', 'scores are')} NaN, which counts as no trial",
        code="nan-scores",
    )
    return Table(
        policies=tuple(map(str, source)),
        scores=side_by_side(columns),
        design=design or "independent",
        notes=(note,) if gaps else (),
    )

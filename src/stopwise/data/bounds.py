"""Ranges of scores: declared before the data, checked on every score."""

from collections.abc import Mapping, Sequence

import polars as pl

from stopwise.core.scores import Scale
from stopwise.data.raw import Bounds
from stopwise.data.typed_columns import Complaint, first
from stopwise.errors import InvalidInput, require
from stopwise.messages import Setting, placed


def declared_bounds(
    bounds: Bounds | Mapping[str, Bounds] | None, tasks: Sequence[str]
) -> dict[str, Bounds]:
    """Return the declared bounds per task, or raise for an unknown task."""
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        return dict.fromkeys(tasks, Scale.declared(bounds).ends)
    for task in bounds:
        if task not in tasks:
            known = ", ".join(map(repr, tasks))
            raise InvalidInput(f"bounds are given for task {task!r}, but the tasks are {known}")
    return {task: _declared(task, limits) for task, limits in bounds.items()}


def _declared(task: str, bounds: Bounds) -> Bounds:
    try:
        return Scale.declared(bounds).ends
    except InvalidInput as error:
        raise InvalidInput(placed(f"task {task!r}: ", error.message)) from error


def require_within(
    scores: pl.Series, tasks: pl.Series, bounds: Mapping[str, Bounds], complaint: Complaint
) -> None:
    """Raise for the first score outside the bounds of its task, but for rounding."""
    if not bounds or not len(scores):
        return
    names = list(bounds)
    low, high = (
        tasks.replace_strict(
            names, [bounds[name][end] for name in names], default=None, return_dtype=pl.Float64
        )
        for end in (0, 1)
    )
    slack = [Scale(*bounds[name]).slack for name in names]
    near = tasks.replace_strict(names, slack, default=None, return_dtype=pl.Float64)
    bad = ((scores < low - near) | (scores > high + near)).fill_null(False)
    row = first(bad)
    if row is not None:
        rule = f"must lie within the bounds [{low[row]:g}, {high[row]:g}]"
        raise complaint(row, f"{rule}, but got {scores[row]:.9g}")


def bounds_of_data(frame: pl.DataFrame) -> dict[str, Bounds]:
    """Return the least and the greatest score of each task."""
    found = frame.group_by("task", maintain_order=True).agg(
        pl.col("score").min().alias("low"), pl.col("score").max().alias("high")
    )
    bounds: dict[str, Bounds] = {}
    for task, low, high in found.rows():
        require(
            low < high,
            Setting("bounds", "data"),
            f" needs scores that differ, but all scores of task {task!r} are {low:g}; "
            "declare the bounds",
            code="scores-all-equal",
        )
        bounds[task] = _declared(task, (low, high))
    return bounds

"""Ranges of scores: declared before the data, checked on every score."""

from collections.abc import Mapping, Sequence

import polars as pl

from stopwise.core.readings.scale import Scale
from stopwise.data.reading import Bounds
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
    scales = [Scale(*bounds[name]) for name in names]
    low, high = (
        tasks.replace_strict(names, ends, default=None, return_dtype=pl.Float64)
        for ends in (
            [scale.low - scale.slack for scale in scales],
            [scale.high + scale.slack for scale in scales],
        )
    )
    bad = ((scores < low) | (scores > high)).fill_null(False)
    row = first(bad)
    if row is not None:
        ends = bounds[tasks[row]]
        rule = f"must lie within the bounds [{ends[0]:g}, {ends[1]:g}]"
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

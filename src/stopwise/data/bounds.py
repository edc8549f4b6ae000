"""Ranges of scores: declared before the data, checked on every score."""

from collections.abc import Mapping, Sequence

import polars as pl

from stopwise.core.readings.scale import Scale
from stopwise.data.reading import Bounds
from stopwise.data.typed_columns import Complaint
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
        known = ", ".join(map(repr, tasks))
        require(task in tasks, f"bounds are given for task {task!r}, but the tasks are {known}")
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
    scales = [Scale(*ends) for ends in bounds.values()]
    low, high = (
        tasks.replace_strict(list(bounds), ends, default=None, return_dtype=pl.Float64)
        for ends in (
            [scale.low - scale.slack for scale in scales],
            [scale.high + scale.slack for scale in scales],
        )
    )
    bad = ((scores < low) | (scores > high)).fill_null(False)
    if bad.any():
        row = bad.arg_max() or 0
        least, most = bounds[tasks[row]]
        rule = f"must lie within the bounds [{least:g}, {most:g}]"
        raise complaint(row, f"{rule}, but got {scores[row]:.9g}")


def bounds_of_data(frame: pl.DataFrame) -> dict[str, Bounds]:
    """Return the least and the greatest score of each task."""
    extremes = frame.group_by("task", maintain_order=True).agg(
        pl.col("score").min().alias("low"), pl.col("score").max().alias("high")
    )
    for task, low, high in extremes.rows():
        require(
            low < high,
            Setting("bounds", "data"),
            f" needs scores that differ, but all scores of task {task!r} are {low:g}; "
            "declare the bounds",
        )
    return {task: _declared(task, (low, high)) for task, low, high in extremes.rows()}

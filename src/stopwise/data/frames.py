"""Tables in memory: polars, pandas, Arrow, and dictionaries of arrays."""

import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from stopwise.core.scores import as_numbers
from stopwise.data.names import ALL_NAMES, names_scores, usual_name
from stopwise.data.raw import RawTable, column_of_values, common_kind
from stopwise.data.reading import ColumnChoice
from stopwise.errors import InvalidInput, require
from stopwise.messages import Message

# More columns for each row, and than this squared, are hardly one for each policy.
MOST_WIDE = 3


def is_frame(source: object) -> bool:
    """Whether the object is a table; pandas is recognised without being imported."""
    return isinstance(source, pl.DataFrame | pl.LazyFrame) or (
        hasattr(source, "__arrow_c_stream__") or _is_pandas(source)
    )


def is_path(source: object) -> bool:
    """Whether the object names a file or folder."""
    return isinstance(source, str | os.PathLike)


def is_place(source: object) -> bool:
    """Whether trials can be read from there: a path, or a table."""
    return is_path(source) or is_frame(source)


def raw_of_frame(source: Any) -> RawTable:
    """Return a frame of any supported library, as it is."""
    if isinstance(source, pl.LazyFrame):
        frame = source.collect()
    elif isinstance(source, pl.DataFrame):
        frame = source
    elif _is_pandas(source):
        frame = pl.DataFrame([_pandas_column(str(name), source[name]) for name in source.columns])
    else:
        frame = pl.DataFrame(source)
    return RawTable(source="the frame", frame=frame, place=lambda row: f"row {row}")


def raw_of_arrays(
    arrays: Mapping[Any, Any], columns: Mapping[str, ColumnChoice], source: str = "the dictionary"
) -> RawTable:
    """Return the columns; if none has a usual name, each array holds the scores of a policy."""
    require(len(arrays) > 0, f"{source}: there are no arrays in it")
    if all(np.ndim(values) == 2 for values in arrays.values()):
        return _runs_by_tasks(arrays, source)
    series = {
        str(name): _array_column(str(name), values, source) for name, values in arrays.items()
    }
    chosen = columns.get("score")
    named = any(usual_name(name) in ALL_NAMES or names_scores(name) for name in series)
    if chosen is None and not named:
        return _policy_per_array(series, source)
    lengths = {name: len(values) for name, values in series.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"{source}: columns must be equally long, but got lengths {lengths}")
    return RawTable(
        source=source, frame=pl.DataFrame(list(series.values())), place=lambda row: f"row {row}"
    )


def raw_of_array(array: np.ndarray[Any, Any], source: str = "the array") -> RawTable:
    """Return scores (N,), one column per policy (N, K), or the fields of a structured array."""
    if array.dtype.names:
        return raw_of_arrays({field: array[field] for field in array.dtype.names}, {}, source)
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{source}: scores must be numbers, but the array holds {array.dtype}")
    if array.ndim == 1:
        return RawTable(
            source=source,
            frame=pl.DataFrame({"score": array}),
            place=lambda row: f"element [{row}]",
            roles={"score": "score"},
        )
    if array.ndim != 2 or array.shape[1] < 1:
        raise InvalidInput(
            f"{source}: scores must have shape (trials,) or (trials, policies), but got "
            f"{array.shape}"
        )
    n, k = array.shape
    if k > max(MOST_WIDE * n, MOST_WIDE**2):
        raise InvalidInput(
            f"{source}: each column would be a policy, but there are {k} columns and {n} rows: "
            "save a row per trial, or for scores of shape (runs, tasks) a dictionary policy: array "
            "(np.savez)"
        )
    policies = np.tile([f"policy{column}" for column in range(k)], n)
    note = f"{source}: each of the {k} columns holds the scores of one policy"
    return RawTable(
        source=source,
        frame=pl.DataFrame(
            {"policy": policies, "score": array.ravel(), "row": np.repeat(np.arange(n), k)}
        ),
        place=lambda row: f"element [{row // k}, {row % k}]",
        roles={"policy": "policy", "score": "score", "row": "row"},
        notes=(Message(note, code="policy-per-column"),),
    )


def _runs_by_tasks(arrays: Mapping[Any, Any], source: str) -> RawTable:
    """Return scores of shape (runs, tasks) per policy, as rliable takes them."""
    grids = {str(name): np.asarray(values) for name, values in arrays.items()}
    tasks = {grid.shape[1] for grid in grids.values()}
    if len(tasks) > 1 or any(grid.dtype.kind not in "biuf" for grid in grids.values()):
        shapes = {name: grid.shape for name, grid in grids.items()}
        raise InvalidInput(
            f"{source}: arrays must be numbers of shape (runs, tasks), with the same tasks for all "
            f"policies, but got {shapes}"
        )
    k = tasks.pop()
    places = [(name, i) for name, grid in grids.items() for i in range(grid.size)]
    note = (
        f"{source}: each array holds the scores of one policy, with a row per run and a column per "
        "task; runs of one policy must be independent of each other"
    )
    return RawTable(
        source=source,
        frame=pl.DataFrame(
            {
                "policy": [name for name, _ in places],
                "task": [f"task{i % k}" for _, i in places],
                "score": np.concatenate([grid.ravel() for grid in grids.values()]),
            }
        ),
        place=lambda row: f"{places[row][0]}[{places[row][1] // k}, {places[row][1] % k}]",
        roles={"policy": "policy", "task": "task", "score": "score"},
        notes=(Message(note, code="policy-per-array"),),
    )


def _policy_per_array(series: Mapping[str, pl.Series], source: str) -> RawTable:
    places = [(name, i) for name, values in series.items() for i in range(len(values))]
    kind = common_kind(series.values())
    scores = pl.concat([values.cast(kind).alias("score") for values in series.values()])
    policies = pl.Series("policy", [name for name, _ in places], dtype=pl.String)
    note = "no array has the usual name of a column, so each holds the scores of one policy"
    return RawTable(
        source=source,
        frame=pl.DataFrame([policies, scores]),
        place=lambda row: f"{places[row][0]}[{places[row][1]}]",
        roles={"policy": "policy", "score": "score"},
        notes=(Message(note, code="policy-per-array"),),
    )


def _array_column(name: str, values: Any, source: str) -> pl.Series:
    try:
        array = values if isinstance(values, pl.Series) else np.asarray(as_numbers(values))
    except ValueError as error:
        raise InvalidInput(f"{source}, {name!r}: must be one regular array: {error}") from error
    if isinstance(array, pl.Series):
        return array.alias(name)
    if array.ndim != 1:
        advice = "; of learning curves, take one point of each first" if array.ndim > 2 else ""
        text = f"{source}, {name!r}: must be a 1-D array, but got shape {array.shape}{advice}"
        raise InvalidInput(text)
    return _numpy_column(name, array)


def _numpy_column(name: str, array: np.ndarray[Any, Any]) -> pl.Series:
    if array.dtype.kind in "biufM":
        if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
            array = array.astype(np.float64)
        return pl.Series(name, array)
    # Objects of mixed kinds, as pandas and np.load give them: missing values are NaN there.
    values = [None if _is_nan(value) else value for value in array.tolist()]
    return column_of_values(name, values)


def _pandas_column(name: str, column: Any) -> pl.Series:
    # By way of numpy and lists, so that pyarrow is not needed.
    array = column.to_numpy()
    if array.dtype.kind in "biufM":
        return _numpy_column(name, array)
    missing = column.isna().tolist()
    values = [None if gone else value for value, gone in zip(column.tolist(), missing, strict=True)]
    return column_of_values(name, values)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _is_pandas(source: object) -> bool:
    return any(
        base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame"
        for base in type(source).__mro__
    )

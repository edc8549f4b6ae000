"""Tables that are in memory already: polars, pandas, Arrow, and dictionaries of arrays."""

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
# Fewer tasks may stand in the order of their means by chance.
LEAST_RISING = 5
# Standard errors by which the means of many tasks do not rise by chance.
BEYOND_CHANCE = 3.5


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
    series = [_array_column(str(name), values, source) for name, values in arrays.items()]
    named = any(
        usual_name(column.name) in ALL_NAMES or names_scores(column.name) for column in series
    )
    if columns.get("score") is None and not named:
        note = "no array has the usual name of a column, so each holds the scores of one policy"
        return _of_policies(series, source, note)
    lengths = {column.name: len(column) for column in series}
    equal = len(set(lengths.values())) == 1
    require(equal, f"{source}: columns must be equally long, but got lengths {lengths}")
    return RawTable(source=source, frame=pl.DataFrame(series), place=lambda row: f"row {row}")


def raw_of_array(array: np.ndarray[Any, Any], source: str = "the array") -> RawTable:
    """Return scores (N,), one column per policy (N, K), or the fields of a structured array."""
    if array.dtype.names:
        return raw_of_arrays({field: array[field] for field in array.dtype.names}, {}, source)
    numeric = array.dtype.kind in "biuf"
    require(numeric, f"{source}: scores must be numbers, but the array holds {array.dtype}")
    if array.ndim == 1:
        return RawTable(
            source=source,
            frame=pl.DataFrame({"score": array}),
            place=lambda row: f"element [{row}]",
            roles={"score": "score"},
        )
    fits = array.ndim == 2 and array.shape[1] > 0
    text = f"{source}: scores must have shape (trials,) or (trials, policies), but got "
    require(fits, f"{text}{array.shape}")
    n, k = array.shape
    require(
        k <= max(MOST_WIDE * n, MOST_WIDE**2),
        f"{source}: each column would be a policy, but there are {k} columns and {n} rows: save a "
        "row per trial, or for scores of shape (runs, tasks) a dictionary policy: array (np.savez)",
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
    numeric = all(grid.dtype.kind in "biuf" for grid in grids.values())
    require(
        len(tasks) == 1 and numeric,
        f"{source}: arrays must be numbers of shape (runs, tasks), with the same tasks for all "
        f"policies, but got { ({name: grid.shape for name, grid in grids.items()}) }",
    )
    _refuse_curves([grid.mean(axis=0) for grid in grids.values()], source)
    series = [pl.Series(name, grid.ravel()) for name, grid in grids.items()]
    note = (
        "each array holds the scores of one policy, with a row per run and a column per task; runs "
        "of one policy must be independent of each other"
    )
    return _of_policies(series, source, note, tasks.pop())


def _refuse_curves(means: list[np.ndarray[Any, Any]], source: str) -> None:
    """Raise if the means of columns rise, each or beyond chance."""
    at = np.arange(len(means[0]))
    rank = np.argsort(np.argsort(np.mean(means, axis=0)))
    rise = all((np.diff(mean) > 0).all() for mean in means)
    rise = rise or (len(at) > 1 and np.corrcoef(rank, at)[0, 1] * len(at) ** 0.5 > BEYOND_CHANCE)
    text = f"{source}: the columns rise, as the steps of learning curves do: take one point of each"
    require(not rise or len(at) < LEAST_RISING, text)


def _of_policies(series: list[pl.Series], source: str, note: str, tasks: int = 0) -> RawTable:
    """Return the scores of policies below one another, those of several tasks in turn."""
    kind = common_kind(series)
    at = [divmod(i, tasks) if tasks else (i,) for column in series for i in range(len(column))]
    names = [column.name for column in series for _ in range(len(column))]
    scores = pl.concat([column.cast(kind).alias("score") for column in series])
    columns = [pl.Series("policy", names, dtype=pl.String), scores]
    if tasks:
        columns.append(pl.Series("task", [f"task{column[-1]}" for column in at]))
    return RawTable(
        source=source,
        frame=pl.DataFrame(columns),
        place=lambda row: f"{names[row]}{list(at[row])}",
        roles={column.name: column.name for column in columns},
        notes=(Message(note, code="policy-per-array"),),
    )


def _array_column(name: str, values: Any, source: str) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(name)
    try:
        array = np.asarray(as_numbers(values))
    except ValueError as error:
        raise InvalidInput(f"{source}, {name!r}: must be one regular array: {error}") from error
    advice = "; of learning curves, take one point of each first" if array.ndim > 2 else ""
    text = f"{source}, {name!r}: must be a 1-D array, but got shape {array.shape}{advice}"
    require(array.ndim == 1, text)
    return _numpy_column(name, array)


def _numpy_column(name: str, array: np.ndarray[Any, Any]) -> pl.Series:
    if array.dtype.kind in "biufM":
        narrow = array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8)
        return pl.Series(name, array.astype(np.float64) if narrow else array)
    # Objects of mixed kinds, as pandas and np.load give them: missing values are NaN there.
    missing = [isinstance(value, float) and math.isnan(value) for value in array.tolist()]
    values = zip(array.tolist(), missing, strict=True)
    return column_of_values(name, [None if gone else value for value, gone in values])


def _pandas_column(name: str, column: Any) -> pl.Series:
    # By way of numpy and lists, so that pyarrow is not needed.
    array = column.to_numpy()
    if array.dtype.kind in "biufM":
        return _numpy_column(name, array)
    missing = column.isna().tolist()
    values = [None if gone else value for value, gone in zip(column.tolist(), missing, strict=True)]
    return column_of_values(name, values)


def _is_pandas(source: object) -> bool:
    return any(
        base.__module__.partition(".")[0] == "pandas" and base.__name__ == "DataFrame"
        for base in type(source).__mro__
    )

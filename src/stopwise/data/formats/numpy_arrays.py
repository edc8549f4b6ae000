"""NumPy files: scores (N,), one column per policy (N, K), or named arrays."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from stopwise.data.formats.numpy_file import NPY_MAGIC, load_arrays
from stopwise.data.frames import raw_of_arrays
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput

__all__ = ["name", "read", "recognise"]

name = "numpy"
ZIP_MAGIC = b"PK\x03\x04"


def recognise(path: Path) -> bool:
    """Whether the file begins as NumPy files do."""
    try:
        with path.open("rb") as file:
            beginning = file.read(len(NPY_MAGIC))
    except OSError:
        return False
    return beginning == NPY_MAGIC or (path.suffix == ".npz" and beginning.startswith(ZIP_MAGIC))


def read(path: Path) -> RawTable:
    """Return named arrays as columns (or as policies), a plain array as scores."""
    arrays = load_arrays(path)
    array = arrays.get("array")
    if array is None or len(arrays) > 1:
        return raw_of_arrays(arrays, {}, str(path))
    if array.dtype.names:
        fields = {field: array[field] for field in array.dtype.names}
        return raw_of_arrays(fields, {}, str(path))
    return _scores(path, array)


def _scores(path: Path, array: np.ndarray[Any, Any]) -> RawTable:
    if array.dtype.kind not in "biuf":
        raise InvalidInput(f"{path}: scores must be numbers, but the array holds {array.dtype}")
    if array.ndim == 1:
        frame = pl.DataFrame({"score": array})
        return RawTable(
            source=str(path),
            frame=frame,
            place=lambda row: f"element [{row}]",
            roles={"score": "score"},
        )
    if array.ndim != 2 or array.shape[1] < 1:
        raise InvalidInput(
            f"{path}: scores must have shape (trials,) or (trials, policies), but got {array.shape}"
        )
    n, k = array.shape
    frame = pl.DataFrame(
        {
            "policy": np.tile([f"policy{column}" for column in range(k)], n),
            "score": array.ravel(),
        }
    )
    return RawTable(
        source=str(path),
        frame=frame,
        place=lambda row: f"element [{row // k}, {row % k}]",
        roles={"policy": "policy", "score": "score"},
        notes=(f"{path}: each of the {k} columns holds the scores of one policy",),
    )

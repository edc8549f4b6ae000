"""Types of the arrays that the numerics pass around; quick ways to clip, scan and part them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]  # where tables are stored and read back
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def between(value: Floats | float, low: Floats | float, high: Floats | float) -> Floats:
    """Clip; np.clip costs several times as much on the short arrays of a live stream."""
    clipped: Floats = np.minimum(np.maximum(value, low), high)
    return clipped


def least(values: Floats) -> float:
    """Return the least value, or infinity if there is none; as quick for short arrays."""
    return float(np.minimum.reduce(values, axis=None, initial=np.inf))


def greatest(values: Floats) -> float:
    """Return the greatest value, or minus infinity if there is none; as quick."""
    return float(np.maximum.reduce(values, axis=None, initial=-np.inf))


def of_runs(state: Any, places: Ints | list[int]) -> Any:
    """Return the state of the runs at these places; what is None stays so."""
    if state is None:
        return None
    if isinstance(state, tuple):
        return type(state)(*(of_runs(part, places) for part in state))
    return state.take(places, axis=0)


def put_runs(state: Any, places: Ints, part: Any) -> None:
    """Replace, in place, the state of the runs at these places."""
    for old, new in zip(state, part, strict=True):
        if isinstance(old, tuple):
            put_runs(old, places, new)
        elif old is not None:
            old[places] = new


def writable(state: Any) -> Any:
    if isinstance(state, tuple):
        return type(state)(*map(writable, state))
    return None if state is None else state.copy()

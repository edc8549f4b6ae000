"""Types of the arrays that the numerics pass around, and quick ways to clip and scan them."""

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

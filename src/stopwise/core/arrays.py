"""Types of the arrays that the numerics pass around."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Bools", "Doubles", "Floats", "Ints"]

Floats = NDArray[np.floating[Any]]
Doubles = NDArray[np.float64]  # where tables are stored and read back
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

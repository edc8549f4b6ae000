"""Scores as they come in: checked once, and mapped from their range to [0, 1]."""

import math
from collections.abc import Sequence
from contextlib import suppress
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Floats
from stopwise.errors import InvalidInput, require
from stopwise.messages import named, shortened

# Data files round milestone values to about 8 digits.
LEVEL_TOLERANCE = 1e-6
# Trials of a policy that fit into memory, and those that fit there for all simulated studies.
MOST_TRIALS = 10_000_000
MOST_PLANNED = 100_000


def is_number(value: object) -> bool:
    """Whether this is one finite real number, and not a truth value."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def score_text(value: float) -> str:
    """Return a score or a mean to be read: three digits, and no powers of ten for returns."""
    return f"{value:.0f}" if 999.5 <= abs(value) < 1e7 else f"{value + 0.0:.3g}"  # no "-0"


def interval_text(interval: tuple[float, float], edge: float = 0.0) -> str:
    """Return an interval to be read; an end that has only just passed the edge is open."""
    low, high = interval
    ends = [score_text(edge) if abs(end - edge) < 1e-9 else score_text(end) for end in interval]
    left = "(" if low > edge and ends[0] == score_text(edge) else "["
    right = ")" if high < edge and ends[1] == score_text(edge) else "]"
    return f"{left}{ends[0]}, {ends[1]}{right}"


def without_gradient(values: Any) -> Any:
    """Return a tensor without its gradient; anything else as it is."""
    return values.detach() if hasattr(values, "detach") else values


NARROW = (np.float16, np.float32)


def as_numbers(values: Any) -> Any:
    """Return an array, or a number; of tensors too, whatever their precision."""
    values = without_gradient(values)
    if hasattr(values, "cpu"):
        values = values.cpu()
        try:
            values = values.numpy()
        except TypeError:  # NumPy has no bfloat16
            values = values.float().numpy()
    return np.asarray(values)[()]


def numeric_array(values: object, what: str) -> NDArray[Any]:
    """Return an array of booleans, integers or floats, or raise one clear error."""
    require(not np.ma.is_masked(values), f"{what} must be numbers, but some are masked as missing")
    try:
        array = np.asarray(as_numbers(values))
    except ValueError as error:
        raise InvalidInput(f"{what} must be a regular array of numbers: {error}") from error
    if array.size and array.dtype.kind not in "biuf":
        shown = shortened(values) if array.ndim == 0 else f"values of type {array.dtype}"
        if array.dtype.kind == "U":
            first = str(array.flat[0])
            shown = f"the text {shortened(first)}"
            with suppress(ValueError):
                float(first)
                shown += f": convert it first, as in float({first!r})"
        raise InvalidInput(f"{what} must be numbers, but got {shown}")
    return in_full(array)


def in_full(array: NDArray[Any]) -> NDArray[Any]:
    """The decimals that narrow floats stand for: equal scores are equal whatever their type."""
    return array.astype(str).astype(float) if array.dtype in NARROW else array


def as_float(score: Any) -> float:
    """One score as a number; of a narrow float the decimal that it stands for."""
    if isinstance(score, int | float):
        return float(score)
    return float(in_full(np.asarray(as_numbers(score))))


def level_values(count: int, given: Sequence[float] | None, name: str, most: int) -> Floats:
    """Return so many equally spaced levels of [0, 1], or those given, in order and distinct."""
    if given is None:
        return np.linspace(0.0, 1.0, count)
    values = np.sort(np.asarray(given, dtype=float))
    distinct = bool(np.all(np.diff(values) > 10 * LEVEL_TOLERANCE))
    message = f"{name} must be 2 to {most} distinct scores, but got {given!r}"
    require(2 <= values.size <= most and distinct, message)
    return values


def require_whole(value: object, name: str, least: int, most: int | None = None) -> int:
    """Return a whole number within limits, or raise."""
    limit = f"of at least {least}" if most is None else f"from {least} to {most}"
    text = f" must be a whole number {limit}, but got {value!r}"
    wrong = InvalidInput(named(name), text)
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise wrong
    whole = int(value)
    if whole < least or (most is not None and whole > most):
        raise wrong
    return whole

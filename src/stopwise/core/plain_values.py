"""Results as plain values, for JSON."""

import math
from collections.abc import Iterable
from enum import Enum
from typing import Any


def plain_values(thing: object, names: Iterable[str]) -> dict[str, Any]:
    """Some attributes by name: tuples as lists, enumerations by value, what is infinite as None."""
    return {name: _plain(getattr(thing, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, float) and math.isinf(value):
        return None
    return value.value if isinstance(value, Enum) else value

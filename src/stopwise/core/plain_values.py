"""Results as plain values, for JSON."""

from collections.abc import Iterable
from enum import Enum
from typing import Any


def plain_values(thing: object, names: Iterable[str]) -> dict[str, Any]:
    """Return some attributes by name: tuples as lists, members of an enumeration by value."""
    return {name: _plain(getattr(thing, name)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.value if isinstance(value, Enum) else value

"""States of many runs side by side: those of some of them, and others put in their place."""

from typing import Any

from stopwise.core.arrays import Ints


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

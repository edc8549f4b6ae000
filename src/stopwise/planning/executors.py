"""Who runs the chunks of a simulation: threads, a fleet of ``rollout``, or anything with a map."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from stopwise.errors import InvalidInput, StopwiseError
from stopwise.rollout.executors import Fleet, executor_of
from stopwise.rollout.executors.processes import cores

__all__ = ["Choice", "Executor", "opened"]


class Executor(Protocol):
    """Whatever runs a function on many items, here or elsewhere, as ``concurrent.futures`` do."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Return the results in the order of the items."""


Choice = Executor | Fleet | str | None


@contextmanager
def opened(choice: Choice) -> Iterator[Executor]:
    """Yield the executor of that name, which ends with the context, or the one given."""
    if choice is None or choice == "threads":
        with ThreadPoolExecutor(cores()) as pool:
            yield pool
        return
    place: Any = executor_of(choice) if choice in ("processes", "ray") else choice
    if isinstance(place, Fleet):
        try:
            place.open(_Calls())
            yield _FleetMap(place)
        finally:
            place.close()
    elif isinstance(place, str) or not hasattr(place, "map"):
        raise InvalidInput(
            "executor must be threads, processes, ray, a fleet of stopwise.rollout.executors or "
            f"anything with a map, but got {choice!r}"
        )
    else:
        yield place


@dataclass(frozen=True, eq=False)
class _Call:
    """A ticket: the function and the item, with its place among the items."""

    place: int
    function: Callable[[Any], Any]
    item: Any


class _Calls:
    """What a fleet is for here: it keeps nothing loaded."""

    timeout = None

    def worker(self) -> "_Calls":
        """Return itself, for there is nothing to load."""
        return self

    def run(self, tickets: Sequence[_Call]) -> list[tuple[int, Any]]:
        """Return the results with their places."""
        return [(call.place, call.function(call.item)) for call in tickets]

    def failed(self, ticket: _Call, error: str, seconds: float) -> Any:  # noqa: ARG002
        """Raise: an answer with a chunk left out would be another answer."""
        raise StopwiseError(f"a part of the simulation was lost: {error}")


class _FleetMap:
    """The workers of a fleet, asked through ``map``."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        """Send items while there is room; return the results in their order."""
        calls = [_Call(place, function, item) for place, item in enumerate(items)]
        found: dict[int, Any] = {}
        sent = 0
        for place in range(len(calls)):
            while place not in found:
                room = max(self._fleet.room, 0)
                self._fleet.submit(calls[sent : sent + room])
                sent = min(sent + room, len(calls))
                found.update(self._fleet.collect())
            yield found.pop(place)

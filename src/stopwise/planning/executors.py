"""Who runs the chunks of a simulation: threads, processes, a Ray cluster, or anything with a map.

The executors of ``rollout`` bring back one score per episode; a chunk brings back a whole tally, so
that here a plain ``map`` is enough.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from multiprocessing import get_context
from typing import Any, Protocol

from stopwise.errors import InvalidInput, StopwiseError

__all__ = ["Executor", "RayTasks", "opened"]


class Executor(Protocol):
    """Whatever runs a function on many items, here or elsewhere, as ``concurrent.futures`` do."""

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterable[Any]:
        """Return the results in the order of the items."""


def opened(choice: "Executor | str | None") -> AbstractContextManager[Any]:
    """Return the executor of that name, which ends with the context, or the one given."""
    if choice is None or choice == "threads":
        return ThreadPoolExecutor(os.cpu_count())
    if choice == "processes":
        # Fresh processes: threads and locks of this one are not copied into them.
        return ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"))
    if choice == "ray":
        return ray_tasks()
    if isinstance(choice, str) or not hasattr(choice, "map"):
        raise InvalidInput(
            f"executor must be threads, processes, ray or anything with a map, but got {choice!r}"
        )
    return nullcontext(choice)


class RayTasks:
    """Every chunk is a task of the Ray cluster that this process is connected to."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    def map(self, function: Callable[[Any], Any], items: Iterable[Any], /) -> Iterator[Any]:
        """Send all items at once, and return the results in their order."""
        task = self._ray.remote(function)
        for reference in [task.remote(item) for item in items]:
            yield self._ray.get(reference)


@contextmanager
def ray_tasks() -> Iterator[RayTasks]:
    """Use the Ray that is connected, or start one here (or join that of RAY_ADDRESS)."""
    try:
        import ray
    except ImportError as error:
        raise StopwiseError('the executor "ray" needs Ray: pip install "stopwise[ray]"') from error
    joined = ray.is_initialized()
    if not joined:
        local: Any = {} if os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **local)
    try:
        yield RayTasks(ray)
    finally:
        if not joined:
            ray.shutdown()

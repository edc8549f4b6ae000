"""Where episodes are run: one module per place, behind one small protocol."""

from collections.abc import Callable

from stopwise.errors import require_choice
from stopwise.rollout.executors.executor import Executor
from stopwise.rollout.executors.fleet import Fleet
from stopwise.rollout.executors.processes import processes
from stopwise.rollout.executors.ray_cluster import ray_cluster
from stopwise.rollout.executors.serial import Serial

__all__ = ["Executor", "Fleet", "Serial", "executor_of", "processes", "ray_cluster"]


def executor_of(choice: str | Executor) -> Executor:
    """Return the executor of that name, with its own defaults, or the one given."""
    if not isinstance(choice, str):
        return choice
    known: dict[str, Callable[[], Executor]] = {
        "serial": Serial,
        "processes": processes,
        "ray": ray_cluster,
    }
    require_choice("executor", choice, known)
    return known[choice]()

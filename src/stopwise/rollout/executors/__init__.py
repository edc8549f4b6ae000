"""Where episodes are run: in this process, in others, or on a Ray cluster."""

from collections.abc import Callable
from typing import TypeAlias

from stopwise.errors import require_choice
from stopwise.rollout.executors.fleet import Fleet
from stopwise.rollout.executors.processes import processes
from stopwise.rollout.executors.ray_cluster import ray_cluster
from stopwise.rollout.executors.serial import Serial

__all__ = ["Executor", "Fleet", "Serial", "executor_of", "processes", "ray_cluster"]

# Runs tickets in any order and at any speed: each comes back as one episode, or is abandoned.
Executor: TypeAlias = Serial | Fleet


def executor_of(choice: str | Executor) -> Executor:
    if not isinstance(choice, str):
        return choice
    known: dict[str, Callable[[], Executor]] = {
        "serial": Serial,
        "processes": processes,
        "ray": ray_cluster,
    }
    require_choice("executor", choice, known)
    return known[choice]()

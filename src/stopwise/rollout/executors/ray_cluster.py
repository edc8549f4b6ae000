"""Episodes on a Ray cluster, or on this machine through Ray."""

import logging
import os
from collections.abc import Iterable, Sequence
from typing import Any

from stopwise.core.scores import is_number
from stopwise.errors import InvalidInput, MissingPackage, StopwiseError, require
from stopwise.messages import Setting, named
from stopwise.rollout.executors.fleet import Fleet, Hired, Work, WorkerLost, packed


def ray_cluster(
    workers: int = 2,
    *,
    address: str | None = None,
    retries: int = 3,
    num_cpus: float = 1,
    num_gpus: float = 0,
    resources: dict[str, float] | None = None,
    wait_for_nodes: bool = False,
    **init: Any,
) -> Fleet:
    """Return an executor that runs episodes on Ray.

    Each worker is an actor that keeps its environment and policies loaded. Actors for which the
    cluster has no place yet wait; episodes go only to those that are there. Needs the extra
    ``ray``.

    Parameters
    ----------
    workers
        How many actors.
    address
        Of an existing cluster: "auto", "ray://host:10001", "host:6379". None joins that of
        RAY_ADDRESS, else starts Ray here and stops it afterwards, unless this process is connected
        already.
    retries
        How often an episode is run anew if its actor is lost; then it counts as failed.
    num_cpus, num_gpus, resources
        What each actor needs; if no node has as much, that is an error.
    wait_for_nodes
        Whether to wait for such a node instead, which is what makes an autoscaler add one.
    **init
        Passed to ``ray.init``, such as ``runtime_env`` with the code of the policies.
    """
    for name, much in {"num_cpus": num_cpus, "num_gpus": num_gpus, **(resources or {})}.items():
        require(
            is_number(much) and much >= 0 and (name != "num_gpus" or much <= 1 or much % 1 == 0),
            named(name),
            " must be a number of at least 0" + ", whole above 1" * (name == "num_gpus"),
            f", but got {much!r}",
        )
    needs = {"num_cpus": num_cpus, "num_gpus": num_gpus, "resources": resources}
    backend = _Ray(address, needs, init, wait_for_nodes)
    return Fleet(backend, workers=workers, retries=retries)


class _Ray:
    """Actors as workers, and references as jobs."""

    def __init__(
        self, address: str | None, needs: dict[str, Any], init: dict[str, Any], waits: bool
    ) -> None:
        self._address, self._needs, self._init = address, needs, init
        self._waits = waits
        self._ray: Any = None
        self._started = False
        self._payload: Any = None
        self._actor: Any = None

    def open(self, work: Work) -> None:
        """Connect, and put what they need where all actors find it."""
        try:
            import ray
        except ImportError as error:
            raise MissingPackage(
                'the executor "ray" needs Ray: pip install "stopwise[ray]"'
            ) from error
        self._ray = ray
        if not ray.is_initialized():
            joins = self._address or os.environ.get("RAY_ADDRESS")
            local = {} if joins else {"include_dashboard": False}
            quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
            try:
                ray.init(address=self._address, **{**quiet, **local, **self._init})
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise StopwiseError(f"Ray cannot be reached: {error}") from error
            self._started = True
        if not self._waits:
            self._require_node()
        self._payload = ray.put(packed(work))
        # Lost actors are replaced by the fleet, which knows what became of their tickets.
        needs = {name: value for name, value in self._needs.items() if value is not None}
        self._actor = ray.remote(max_restarts=0, max_task_retries=0, **needs)(Hired)

    def _require_node(self) -> None:
        """Raise if no node has what a worker needs: Ray itself would wait for one forever."""
        own = self._needs["resources"] or {}
        needs = {"CPU": self._needs["num_cpus"], "GPU": self._needs["num_gpus"], **own}
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        if any(all(node.get(n, 0) >= much for n, much in needs.items()) for node in nodes):
            return
        asked = ", ".join(f"{much:g} {name}" for name, much in needs.items() if much)
        there = ", ".join(f"{max(node.get(n, 0) for node in nodes):g} {n}" for n in needs)
        raise InvalidInput(
            f"each worker needs {asked}, but no Ray node has that (at most {there}); ask for less, "
            "or, if the cluster adds nodes on demand, choose ",
            Setting("wait_for_nodes", True),
        )

    def begin(self) -> tuple[Any, Any]:
        worker = self._actor.remote(self._payload)
        return worker, worker.ready.remote()

    def send(self, worker: Any, tickets: Sequence[Any]) -> Any:
        return worker.run.remote(tuple(tickets))

    def wait(self, jobs: Sequence[Any], seconds: float | None) -> Iterable[Any]:
        """Wait for the first, and take all that are there by then."""
        done, rest = self._ray.wait(list(jobs), num_returns=1, timeout=seconds)
        if done and rest:
            done += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        found: list[Any] = done
        return found

    def answer(self, job: Any) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(job)
        except errors.RayTaskError as error:
            raise StopwiseError(f"a worker failed to start: {error.cause}") from error
        except errors.ActorDiedError as error:
            cause = getattr(error, "cause", None) or error
            if "creation task" in str(error) or "__init__" in str(error):
                raise StopwiseError(f"a worker failed to start: {_last_line(error)}") from error
            raise WorkerLost(_last_line(cause)) from error
        except (errors.RayActorError, errors.WorkerCrashedError, errors.ObjectLostError) as error:
            raise WorkerLost(_last_line(error)) from error

    def end(self, worker: Any, busy: bool) -> None:  # noqa: ARG002 - Ray kills either way
        self._ray.kill(worker)

    def close(self) -> None:
        """Leave Ray as it was found."""
        if self._started:
            self._started = False  # the next race may find one that is not its own
            self._ray.shutdown()


def _last_line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__

"""Episodes on a Ray cluster, or on this machine through Ray."""

import logging
import os
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stopwise.core.scores import is_number
from stopwise.errors import InvalidInput, MissingPackage, StopwiseError, require
from stopwise.messages import Setting, named
from stopwise.rollout.executors.fleet import Fleet, WorkerLost
from stopwise.rollout.stopped import RaceStopped
from stopwise.rollout.worker import Hired

# Seconds after which a head that has said nothing is one that does not answer, and between looks
# at whether it is still there.
ANSWER, LOOK = 5.0, 5.0
TOKEN = (
    "; if the cluster asks for a token, set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN, "
    "RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token, as on its nodes"
)
# What opens a conversation in HTTP/2, in which Ray's nodes talk, and what kind of answer follows.
PREFACE, SETTINGS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]), 4


def ray_cluster(
    workers: int = 2,
    *,
    address: str | None = None,
    retries: int = 3,
    num_cpus: float = 1,
    num_gpus: float = 0,
    resources: Mapping[str, float] | None = None,
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
    needs = {"num_cpus": num_cpus, "num_gpus": num_gpus, "resources": dict(resources or {})}
    backend = _Ray(address, needs, init, wait_for_nodes)
    return Fleet(backend, workers=workers, retries=retries)


def require_head(address: str) -> None:
    """Raise unless something answers at the address as a head of Ray does.

    Ray itself tries for minutes, and may end the process then.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdecimal()):
        return  # "auto", or a name that only Ray knows
    out = (
        "; give the address of the head, by default HOST:6379 or ray://HOST:10001, and see there "
        "with `ray status` whether it runs"
    )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), ANSWER) as connection:
            if os.environ.get("RAY_USE_TLS", "0") in ("0", ""):
                connection.settimeout(ANSWER)
                connection.sendall(PREFACE)
                kind = connection.recv(9)[3:4]
                require(kind == bytes([SETTINGS]), f"{address} is not a head of Ray{out}")
    except TimeoutError as error:
        raise StopwiseError(f"nothing answers at {address} within {ANSWER:g} s{out}") from error
    except (OSError, OverflowError) as error:
        raise StopwiseError(f"nobody is at {address}: {error}{out}") from error


class _Ray:
    """Actors as workers, and references as jobs."""

    def __init__(
        self, address: str | None, needs: dict[str, Any], init: dict[str, Any], waits: bool
    ) -> None:
        self._address, self._needs, self._init, self._waits = address, needs, init, waits
        self._ray: Any = None
        self._head = ""
        self._looked = time.monotonic()
        self._started = False
        self._payload: Any = None
        self._actor: Any = None

    def open(self, payload: bytes) -> None:
        """Connect, and put what they need where all actors find it."""
        joins = self._address or os.environ.get("RAY_ADDRESS")
        if joins:
            require_head(joins)
            # Each try takes a second; it is read when Ray is imported.
            os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "5")
        try:
            import ray
        except ImportError as error:
            text = 'the executor "ray" needs Ray: pip install "stopwise[ray]"'
            raise MissingPackage(text) from error
        self._ray = ray
        if not ray.is_initialized():
            settings = {"log_to_driver": False, "logging_level": logging.ERROR, **self._init}
            if not joins:
                settings.setdefault("include_dashboard", False)
            try:
                ray.init(address=self._address, **settings)
            except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
                raise StopwiseError(f"Ray cannot be reached: {error}{TOKEN}") from error
            self._started = True
        if joins:  # the client of a cluster may not reach what its nodes call the head
            inside = ray.get_runtime_context().gcs_address
            self._head = joins if joins.startswith("ray://") else inside
        if not self._waits:
            self._require_node()
        self._payload = ray.put(payload)
        # Lost actors are replaced by the fleet, which knows what became of their tickets.
        self._actor = ray.remote(max_restarts=0, max_task_retries=0, **self._needs)(Hired)

    def _require_node(self) -> None:
        """Raise if no node has what a worker needs: Ray itself would wait for one forever."""
        cpus, gpus, more = self._needs.values()
        needs = {"CPU": cpus, "GPU": gpus, **more}
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

    def ask(self, worker: Any, method: str, content: Sequence[Any]) -> Any:
        return getattr(worker, method).remote(tuple(content))

    def wait(self, jobs: Sequence[Any], seconds: float | None) -> Iterable[Any]:
        """Wait for the first, and take all that are there by then.

        Not for long at once: Ray itself ends this process a minute after the head is lost.
        """
        patience = LOOK if seconds is None else min(seconds, LOOK)
        done, rest = self._ray.wait(list(jobs), num_returns=1, timeout=patience)
        if self._head and time.monotonic() > self._looked + LOOK:  # workers may go on without it
            self._looked = time.monotonic()
            try:
                require_head(self._head)
            except StopwiseError as error:
                raise RaceStopped(f"the head of the Ray cluster is lost: {error}") from error
        if done and rest:
            done += self._ray.wait(rest, num_returns=len(rest), timeout=0)[0]
        return list(done)

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
        if self._started:
            self._started = False  # a later race may join one that it did not start
            self._ray.shutdown()


def _last_line(error: object) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__

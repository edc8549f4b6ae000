"""Episodes on the cores of this machine, in processes of their own."""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stopwise.errors import StopwiseError
from stopwise.rollout.executors.fleet import Fleet, WorkerLost
from stopwise.rollout.interrupts import undivided
from stopwise.rollout.worker import Hired

# How long workers may take to leave at the end: a simulator's threads may keep one for ever.
SECONDS_TO_LEAVE = 5.0


def processes(workers: int | None = None, *, retries: int = 3) -> Fleet:
    """Return an executor that runs episodes in processes of their own.

    Parameters
    ----------
    workers
        How many, by default one per core that this process may use.
    retries
        How often an episode is run anew if its process dies; then it counts as failed.
    """
    return Fleet(_Processes(), workers=cores() if workers is None else workers, retries=retries)


def cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Processes:
    """Processes as workers, each known by its connection, which is also its job."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._setup = Path()
        self._processes: dict[Connection, SpawnProcess] = {}

    def open(self, payload: bytes) -> None:
        """Put the setup where each worker reads it when it is up: a pipe would wait for that."""
        self._folder = TemporaryDirectory(prefix="stopwise-")
        self._setup = Path(self._folder.name, "setup")
        self._setup.write_bytes(payload)

    def begin(self) -> tuple[Connection, Connection]:
        here, there = Pipe()
        process = get_context("spawn").Process(target=_work, args=(there, self._setup))
        try:
            with undivided(), _uninterrupted(), there:
                process.start()
                self._processes[here] = process
        except RuntimeError as error:  # multiprocessing's own message is long and off the point
            raise StopwiseError(
                "a worker cannot start workers of its own: it imports your script, so keep the "
                'call there under `if __name__ == "__main__":`'
            ) from error
        return here, here

    def ask(self, worker: Connection, method: str, content: Sequence[Any]) -> Connection:
        with suppress(OSError):  # it died while it was idle, as its answer will tell
            worker.send((method, content))
        return worker

    def wait(self, jobs: Sequence[Any], seconds: float | None) -> Iterable[Any]:
        return wait(jobs, seconds)

    def answer(self, job: Connection) -> Any:
        try:
            good, answer = job.recv()
        except (EOFError, OSError) as error:
            raise WorkerLost("its process ended abruptly") from error
        if not good:  # results never raise: it is the set-up
            raise StopwiseError(f"a worker failed to start: {answer}")
        return answer

    def end(self, worker: Connection, busy: bool) -> None:
        """Kill a busy process, and let an idle one go."""
        if busy:
            self._processes[worker].kill()
        worker.close()

    def close(self) -> None:
        for connection in self._processes:
            connection.close()
        limit = time.monotonic() + SECONDS_TO_LEAVE
        for process in self._processes.values():
            process.join(max(limit - time.monotonic(), 0.0))
            process.kill()
            process.join()
        self._processes.clear()
        if self._folder is not None:
            self._folder.cleanup()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Begin processes that no interrupt at the terminal reaches, not even while they import.

    It is for the driver, which ends its workers itself.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # a new one would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(driver: Connection, setup: Path) -> None:
    """Do what the driver asks until it hangs up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()
    if hasattr(os, "register_at_fork"):  # else a child of a dead worker keeps its pipe open
        os.register_at_fork(after_in_child=driver.close)
    try:
        worker = Hired(setup.read_bytes())
        answer: Any = worker.ready()
        while True:
            driver.send((True, answer))
            try:
                method, content = driver.recv()
            except EOFError:
                return
            answer = getattr(worker, method)(content)
    except KeyboardInterrupt:
        driver.close()  # an episode's own, as the user's does not come here: the worker is lost
    except BaseException as error:
        with suppress(OSError):
            driver.send((False, str(error) or type(error).__name__))


def _end_with_driver() -> None:
    """End this process when the driver has gone: one that was killed can end nobody."""
    driver = parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)

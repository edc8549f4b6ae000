"""Episodes on the cores of this machine, in processes of their own."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from typing import Any

from stopwise.errors import StopwiseError
from stopwise.rollout.executors.fleet import Fleet, WorkerLost
from stopwise.rollout.interrupts import undivided
from stopwise.rollout.worker import Hired, Ready

# Windows knows one way to end a process, which cannot be refused either.
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
# The worker of this process, in the processes that are one.
_worker: Hired | None = None


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
    """One pool of a single process per worker, so that a loss is known to be whose it is."""

    def __init__(self) -> None:
        self._payload = b""
        self._pids: dict[ProcessPoolExecutor, Future[Ready]] = {}

    def open(self, payload: bytes) -> None:
        self._payload = payload

    def begin(self) -> tuple[ProcessPoolExecutor, Future[Ready]]:
        pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        try:
            with undivided(), _uninterrupted():
                self._pids[pool] = pool.submit(_install, self._payload)
        except RuntimeError as error:  # multiprocessing's own message is long and off the point
            raise StopwiseError(
                "a worker cannot start workers of its own: it imports your script, so keep the "
                'call there under `if __name__ == "__main__":`'
            ) from error
        return pool, self._pids[pool]

    def ask(self, worker: ProcessPoolExecutor, method: str, content: Sequence[Any]) -> Future[Any]:
        try:
            return worker.submit(_answer, method, tuple(content))
        except BrokenProcessPool as error:  # it died while it was idle
            lost: Future[Any] = Future()
            lost.set_exception(error)
            return lost

    def wait(self, jobs: Sequence[Any], seconds: float | None) -> Iterable[Any]:
        return wait(jobs, timeout=seconds, return_when=FIRST_COMPLETED).done

    def answer(self, job: Future[Any]) -> Any:
        try:
            return job.result()
        except BrokenProcessPool as error:
            raise WorkerLost("its process ended abruptly") from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # results never raise: it is the set-up
            said = str(error) or type(error).__name__
            raise StopwiseError(f"a worker failed to start: {said}") from error

    def end(self, worker: ProcessPoolExecutor, busy: bool) -> None:
        """Kill a busy process, and let an idle one go."""
        ready = self._pids.pop(worker)
        ready.cancel()
        # A worker that is still loading ends once it has loaded.
        if busy and ready.done() and not ready.cancelled() and ready.exception() is None:
            with suppress(ProcessLookupError):
                os.kill(ready.result().pid, KILL)
        worker.shutdown(wait=not busy, cancel_futures=True)

    def close(self) -> None:
        pass


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


def _install(payload: bytes) -> Ready:
    global _worker  # noqa: PLW0603 - a process is one worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_driver, daemon=True).start()
    _worker = Hired(payload)
    return _worker.ready()


def _end_with_driver() -> None:
    """End this process when the driver has gone: one that was killed can end nobody."""
    driver = parent_process()
    assert driver is not None
    driver.join()
    os._exit(1)


def _answer(method: str, content: Sequence[Any]) -> Any:
    return getattr(_worker, method)(content)

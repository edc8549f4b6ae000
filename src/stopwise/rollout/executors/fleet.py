"""Several workers elsewhere: who has which tickets, since when, and what if one is lost.

The same for processes and for Ray; they only differ in how a worker is begun, asked and ended.
"""

import os
import pickle
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from stopwise.core.scores import require_whole
from stopwise.errors import InvalidInput, StopwiseError
from stopwise.rollout.worker import Newcomer

# How long after its time-out an episode that checks the clock itself may still come back.
GRACE = 0.5
# A message to a worker and back takes under a millisecond: with so many seconds of episodes in one
# it does not count. No more episodes than that, or the last message makes the others wait.
BATCH_SECONDS, MOST_IN_BATCH = 0.02, 64


class WorkerLost(Exception):
    """A worker is gone, with all that it had."""


class TicketRunner(Protocol):
    """Runs tickets, wherever it lives."""

    def run(self, tickets: Sequence[Any]) -> list[Any]:
        """Return one result per ticket."""


class Ready(NamedTuple):
    """What a worker answers once it is ready."""

    pid: int
    width: int  # tickets that take no longer than one, side by side


class Answer(NamedTuple):
    """What a worker answers to tickets."""

    results: list[Any]
    seconds: float


class Hired:
    """A worker where it lives, made of the work as it was sent."""

    def __init__(self, payload: bytes) -> None:
        self._runner: TicketRunner = pickle.loads(payload).worker()

    def ready(self) -> Ready:
        """Say so."""
        return Ready(os.getpid(), getattr(self._runner, "width", 1))

    def run(self, tickets: Sequence[Any]) -> Answer:
        """Run tickets, by the clock."""
        begin = time.perf_counter()
        return Answer(self._runner.run(tickets), time.perf_counter() - begin)


class Work(Protocol):
    """What a fleet is for, sent to every worker once; tickets can be hashed and pickled."""

    @property
    def timeout(self) -> float | None:
        """Seconds that a ticket may take, or None."""

    def worker(self) -> TicketRunner:
        """Return a worker, with all that it needs loaded."""

    def failed(self, ticket: Any, error: str, seconds: float) -> Any:
        """Return the result of a ticket that cannot be run, or raise."""


class Backend(Protocol):
    """Begins workers, asks them to run tickets, and ends them. A job is an answer to come."""

    def open(self, work: Work) -> None:
        """Get ready to begin workers."""

    def begin(self) -> tuple[Any, Hashable]:
        """Begin a worker; return it and a job whose answer is ``Ready``."""

    def send(self, worker: Any, tickets: Sequence[Any]) -> Hashable:
        """Ask a worker to run tickets; return the job whose answer is an ``Answer``."""

    def wait(self, jobs: Sequence[Hashable], seconds: float | None) -> Iterable[Any]:
        """Wait until a job is done or the time is over; return the jobs that are done."""

    def answer(self, job: Any) -> Any:
        """Return the answer of a job that is done, or raise ``WorkerLost``."""

    def end(self, worker: Any, busy: bool) -> None:
        """End a worker at once, whatever it does."""

    def close(self) -> None:
        """Let go of everything."""


@dataclass(slots=True)
class _Hand:
    """A worker of the backend, whether it was ever ready, and how many newcomers it knows."""

    worker: Any
    ready: bool = False
    told: int = 0


@dataclass(slots=True)
class _Task:
    """What a worker is doing; without tickets it is getting ready."""

    hand: _Hand
    tickets: Sequence[Any]
    since: float


class Fleet:
    """An executor of many workers, each with at most one batch of tickets at a time.

    A batch is one ticket, or as many as run side by side; of very short ones several.

    Parameters
    ----------
    backend
        How workers are begun, asked and ended.
    workers
        How many are wanted.
    retries
        How often a ticket is run anew if its worker is lost; then it counts as failed.
    clock
        The time in seconds.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        workers: int,
        retries: int = 3,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.workers = require_whole(workers, "workers", 1)
        self.most_retries = require_whole(retries, "retries", 0)
        self._backend, self._clock = backend, clock
        self._start(None)

    def _start(self, work: Work | None) -> None:
        """Set everything to what it is before the first worker: a fleet may serve many races."""
        self.retries = 0
        self._work = work
        self._timeout = None if work is None else work.timeout
        self.width = 1
        self._batch = 1
        self._tasks: dict[Hashable, _Task] = {}
        self._idle: deque[_Hand] = deque()
        self._news: list[Newcomer] = []
        self._queue: deque[Any] = deque()
        self._losses: dict[Any, int] = {}
        self._lost_starting = 0
        self._held = 0
        self._ready = 0

    def open(self, work: Work) -> None:
        """Begin all workers; the first tickets wait for the first that is ready."""
        self._start(work)
        self._backend.open(work)
        for _ in range(self.workers):
            self._begin_worker()

    def join(self, name: str, policy: Any) -> None:
        """Take a policy that joins; each worker hears of it before its next ticket."""
        self._news.append(Newcomer(name, packed(policy)))

    @property
    def capacity(self) -> int:
        """A batch for each worker."""
        return self.workers * self._batch

    @property
    def room(self) -> int:
        """A batch for each worker that is ready, less what is held."""
        return max(self._ready, 1) * self._batch - self._held

    def submit(self, tickets: Sequence[Any]) -> None:
        """Send the tickets to idle workers; the rest waits."""
        self._queue.extend(tickets)
        self._held += len(tickets)
        self._send()

    def collect(self) -> list[Any]:
        """Wait until at least one ticket is back, or a worker is ready for more."""
        found: list[Any] = []
        ready = self._ready
        while self._held and not found and self._ready <= ready:
            for job in self._backend.wait(list(self._tasks), self._patience()):
                found += self._finished(self._tasks.pop(job), job)
            found += self._overdue()
            self._send()
        self._held -= len(found)
        return found

    def close(self) -> int:
        """End all workers, busy or not."""
        for task in self._tasks.values():
            self._backend.end(task.hand.worker, busy=True)
        for hand in self._idle:
            self._backend.end(hand.worker, busy=False)
        self._tasks.clear()
        self._idle.clear()
        self._backend.close()
        return self._held

    def _begin_worker(self) -> None:
        worker, job = self._backend.begin()
        self._tasks[job] = _Task(_Hand(worker), (), self._clock())

    def _send(self) -> None:
        while self._queue and self._idle:
            hand = self._idle.popleft()
            if hand.told < len(self._news):
                job = self._backend.send(hand.worker, self._news[hand.told :])
                hand.told = len(self._news)
                self._tasks[job] = _Task(hand, (), self._clock())
                continue
            tickets = [self._queue.popleft()]
            # A share for each that is idle; a ticket that lost a worker goes alone, so that it can
            # harm no other again.
            share = max(-(-len(self._queue) // (len(self._idle) + 1)), self.width)
            while (
                len(tickets) < min(self._batch, share)
                and self._queue
                and not {tickets[0], self._queue[0]} & self._losses.keys()
            ):
                tickets.append(self._queue.popleft())
            job = self._backend.send(hand.worker, tickets)
            self._tasks[job] = _Task(hand, tickets, self._clock())

    def _finished(self, task: _Task, job: Hashable) -> list[Any]:
        try:
            answer = self._backend.answer(job)
        except WorkerLost as error:
            return self._lost(task, str(error))
        except BaseException:
            self._backend.end(task.hand.worker, busy=True)
            raise
        self._idle.append(task.hand)
        if task.tickets:
            self._adapt(answer.seconds / len(task.tickets))
            return list(answer.results)
        if not task.hand.ready:
            self.width = answer.width
            self._batch = max(self._batch, answer.width)
        self._ready += not task.hand.ready
        task.hand.ready = True
        self._lost_starting = 0
        return []

    def _adapt(self, seconds: float) -> None:
        """Send as many at once as make messages few; under a time-out each has its own clock."""
        if self._timeout is None:
            wanted = int(BATCH_SECONDS / max(seconds, 1e-9))
            most = max(min(2 * self._batch, MOST_IN_BATCH), self.width)
            self._batch = min(max(wanted, self.width), most)

    def _lost(self, task: _Task, why: str) -> list[Any]:
        """Begin another worker, and queue the tickets again unless they did this too often."""
        self._backend.end(task.hand.worker, busy=True)
        self._ready -= task.hand.ready
        if not task.tickets:
            self._lost_starting += 1
            if self._lost_starting > self.most_retries:
                raise StopwiseError(
                    f"{self._lost_starting} workers were lost at their start: {why}"
                )
        self._begin_worker()
        given_up = []
        for ticket in reversed(task.tickets):
            losses = self._losses[ticket] = self._losses.get(ticket, 0) + 1
            if losses > self.most_retries:
                text = f"worker lost {losses} times: {why}"
                given_up.append(self._failed(ticket, text, self._clock() - task.since))
            else:
                self.retries += 1
                self._queue.appendleft(ticket)
        return given_up

    def _failed(self, ticket: Any, error: str, seconds: float) -> Any:
        assert self._work is not None
        return self._work.failed(ticket, error, seconds)

    def _patience(self) -> float | None:
        """Return the seconds until the next episode is overdue."""
        begun = [task.since for task in self._tasks.values() if task.tickets]
        if self._timeout is None or not begun:
            return None
        return max(min(begun) + self._timeout + GRACE - self._clock(), 0.0)

    def _overdue(self) -> list[Any]:
        """End the workers whose episode takes too long; it counts as failed."""
        if self._timeout is None:
            return []
        found = []
        for job, task in list(self._tasks.items()):
            seconds = self._clock() - task.since
            if task.tickets and seconds >= self._timeout + GRACE:
                del self._tasks[job]
                self._backend.end(task.hand.worker, busy=True)
                self._ready -= 1
                self._begin_worker()
                text = f"time-out: cut short after {seconds:.3g} s"
                found += [self._failed(ticket, text, seconds) for ticket in task.tickets]
        return found


def packed(work: Any) -> bytes:
    """Return it as bytes; with cloudpickle, which gymnasium brings, lambdas go too."""
    pickler: Any = pickle
    try:
        import cloudpickle

        pickler = cloudpickle
    except ImportError:
        pass  # named functions and factories can still be sent
    try:
        payload: bytes = pickler.dumps(work)
    except Exception as error:  # whatever the user's objects raise
        raise InvalidInput(
            f"env, policies or score cannot be sent to another process ({error}): give factories "
            "by name, package.module:name"
        ) from error
    return payload

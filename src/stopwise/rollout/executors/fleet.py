"""Several workers elsewhere: who has which tickets, since when, and what if one is lost.

The same for processes and for Ray; they only differ in how a worker is begun, asked and ended.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from stopwise.core.scores import require_whole
from stopwise.errors import StopwiseError
from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.worker import Ready, Setup, packed

# How long after its time-out an episode that checks the clock itself may still come back.
GRACE = 0.5
# A message to a worker and back takes under a millisecond: with so many seconds of episodes in one
# it does not count. No more episodes than that, or the last message makes the others wait.
BATCH_SECONDS, MOST_IN_BATCH = 0.02, 64


class WorkerLost(Exception):
    """A worker is gone, with all that it had."""


class Backend(Protocol):
    """Begins workers, asks them what a ``Hired`` can do, and ends them; a job is an answer."""

    def open(self, payload: bytes) -> None: ...
    def begin(self) -> tuple[Any, Hashable]:
        """Begin a worker; return it and the job that asks whether it is ready."""

    def ask(self, worker: Any, method: str, content: Sequence[Any]) -> Hashable: ...
    def wait(self, jobs: Sequence[Hashable], seconds: float | None) -> Iterable[Any]:
        """Wait until a job is done or the time is over; return the jobs that are done."""

    def answer(self, job: Any) -> Any:
        """Return the answer of a job that is done, or raise ``WorkerLost``."""

    def end(self, worker: Any, busy: bool) -> None:
        """End a worker at once, whatever it does."""

    def close(self) -> None: ...


@dataclass(slots=True)
class _Hand:
    """A worker, and what it does: without tickets it gets ready, or loads policies that join."""

    worker: Any
    since: float
    tickets: Sequence[Ticket] = ()
    ready: bool = False
    news: int = 0  # how many policies that joined it knows


class Fleet:
    """An executor of many workers, each with at most one batch of tickets at a time.

    A batch is one ticket, or as many as run side by side; of very short ones several. A ticket is
    run anew ``retries`` times if its worker is lost; then it counts as failed.
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

    def _start(self, timeout: float | None) -> None:
        """Set everything to what it is before the first worker: a fleet may serve many races."""
        self.retries, self.width = 0, 1
        self._limit = None if timeout is None else timeout + GRACE
        self._batch = 1
        self._busy: dict[Hashable, _Hand] = {}
        self._idle: deque[_Hand] = deque()
        self._news: list[bytes] = []
        self._queue: deque[Ticket] = deque()
        self._losses: Counter[Ticket] = Counter()
        self._lost_starting = 0
        self._held = 0
        self._ready = 0

    def open(self, setup: Setup) -> None:
        """Begin all workers; the first tickets wait for the first that is ready."""
        self._start(setup.timeout)
        self._backend.open(packed(setup))
        for _ in range(self.workers):
            self._begin_worker()

    def join(self, name: str, policy: Any) -> None:
        """Take a policy that joins; each worker hears of it before its next ticket."""
        self._news.append(packed((name, policy)))

    @property
    def capacity(self) -> int:
        """The greatest number of tickets that are ever held at once: a batch for each worker."""
        return self.workers * self._batch

    @property
    def room(self) -> int:
        return max(self._ready, 1) * self._batch - self._held

    def submit(self, tickets: Sequence[Ticket]) -> None:
        self._queue.extend(tickets)
        self._held += len(tickets)
        self._send()

    def collect(self) -> list[Episode]:
        """Wait until at least one ticket is back, or a worker is ready for more."""
        episodes: list[Episode] = []
        ready = self._ready
        while self._held and not episodes and self._ready <= ready:
            for job in self._backend.wait(list(self._busy), self._patience()):
                episodes += self._finished(self._busy.pop(job), job)
            episodes += self._overdue()
            self._send()
        self._held -= len(episodes)
        return episodes

    def close(self) -> int:
        """End all workers at once; return how many tickets were abandoned."""
        for hand in self._busy.values():
            self._backend.end(hand.worker, busy=True)
        for hand in self._idle:
            self._backend.end(hand.worker, busy=False)
        self._busy.clear()
        self._idle.clear()
        self._backend.close()
        return self._held

    def _begin_worker(self) -> None:
        worker, job = self._backend.begin()
        self._busy[job] = _Hand(worker, self._clock())

    def _send(self) -> None:
        while self._queue and self._idle:
            hand = self._idle.popleft()
            hand.since = self._clock()
            if hand.news < len(self._news):
                job = self._backend.ask(hand.worker, "hear", self._news[hand.news :])
                hand.news, hand.tickets = len(self._news), ()
            else:
                hand.tickets = self._share()
                job = self._backend.ask(hand.worker, "run", hand.tickets)
            self._busy[job] = hand

    def _share(self) -> list[Ticket]:
        """Take tickets for a worker from the queue, a share for each that is idle."""
        tickets = [self._queue.popleft()]
        share = max(-(-len(self._queue) // (len(self._idle) + 1)), self.width)
        # A ticket that lost a worker is sent alone, so that it cannot harm others.
        while (
            len(tickets) < min(self._batch, share)
            and self._queue
            and not {tickets[0], self._queue[0]} & self._losses.keys()
        ):
            tickets.append(self._queue.popleft())
        return tickets

    def _finished(self, hand: _Hand, job: Hashable) -> list[Episode]:
        try:
            answer = self._backend.answer(job)
        except WorkerLost as error:
            return self._lost(hand, str(error))
        except BaseException:
            self._backend.end(hand.worker, busy=True)
            raise
        self._idle.append(hand)
        if hand.tickets:
            episodes: list[Episode] = answer
            self._adapt(sum(episode.seconds for episode in episodes) / len(episodes))
            return episodes
        if isinstance(answer, Ready):
            self.width = answer.width
            self._batch = max(self._batch, answer.width)
            self._ready += 1
            hand.ready = True
        self._lost_starting = 0
        return []

    def _adapt(self, seconds: float) -> None:
        """Send as many at once as make messages few; under a time-out each has its own clock."""
        if self._limit is None:
            wanted = int(BATCH_SECONDS / max(seconds, 1e-9))
            most = max(min(2 * self._batch, MOST_IN_BATCH), self.width)
            self._batch = min(max(wanted, self.width), most)

    def _lost(self, hand: _Hand, why: str) -> list[Episode]:
        self._backend.end(hand.worker, busy=True)
        self._ready -= hand.ready
        if not hand.tickets:
            self._lost_starting += 1
            if self._lost_starting > self.most_retries:
                raise StopwiseError(
                    f"{self._lost_starting} workers were lost at their start: {why}"
                )
        self._begin_worker()
        given_up = []
        for ticket in reversed(hand.tickets):
            self._losses[ticket] += 1
            losses = self._losses[ticket]
            if losses > self.most_retries:
                text = f"worker lost {losses} times: {why}"
                given_up.append(Episode.failed(ticket, text, self._clock() - hand.since))
            else:
                self.retries += 1
                self._queue.appendleft(ticket)
        return given_up

    def _patience(self) -> float | None:
        if self._limit is None:
            return None
        begun = [hand.since for hand in self._busy.values() if hand.tickets]
        return max(min(begun) + self._limit - self._clock(), 0.0) if begun else None

    def _overdue(self) -> list[Episode]:
        """End the workers whose episode takes too long; it counts as failed."""
        episodes: list[Episode] = []
        if self._limit is None:
            return episodes
        for job, hand in list(self._busy.items()):
            seconds = self._clock() - hand.since
            if hand.tickets and seconds >= self._limit:
                del self._busy[job]
                self._backend.end(hand.worker, busy=True)
                self._ready -= 1
                self._begin_worker()
                text = f"time-out: cut short after {seconds:.3g} s"
                episodes += [Episode.failed(ticket, text, seconds) for ticket in hand.tickets]
        return episodes

"""A cluster in virtual time: the real schedule and the real fleet, without any waiting."""

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import count
from typing import Any

from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.executors import Fleet
from stopwise.rollout.worker import Ready, Setup

# The score of a ticket, and how long it takes.
Trial = Callable[[Ticket], tuple[float, float]]


class VirtualCluster:
    """Workers that answer when their virtual time has come."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.now = trial, 0.0
        self.started = 0
        self._answers: dict[Hashable, Any] = {}
        self._due: list[tuple[float, int]] = []
        self._numbers = count()

    def fleet(self, workers: int) -> Fleet:
        fleet = Fleet(self, workers=workers, clock=lambda: self.now)
        fleet.open(Setup(env=None, policies={}, score=None, timeout=None))
        return fleet

    def open(self, payload: bytes) -> None:
        """Nothing to load."""

    def begin(self) -> tuple[int, Hashable]:
        worker = next(self._numbers)
        return worker, self._job(self.now, Ready(width=1))

    def ask(self, worker: int, method: str, content: Sequence[Ticket]) -> Hashable:  # noqa: ARG002
        end, episodes = self.now, []
        self.started += len(content)
        for ticket in content:
            score, seconds = self.trial(ticket)
            end += seconds
            episodes.append(Episode(**ticket._asdict(), score=score, length=None, seconds=seconds))
        return self._job(end, episodes)

    def wait(
        self,
        jobs: Sequence[Hashable],  # noqa: ARG002
        seconds: float | None,  # noqa: ARG002
    ) -> Iterable[Hashable]:
        due, job = heapq.heappop(self._due)
        self.now = max(self.now, due)
        return [job]

    def answer(self, job: Hashable) -> Any:
        return self._answers.pop(job)

    def end(self, worker: int, busy: bool) -> None:
        """Workers end with the cluster."""

    def close(self) -> None:
        """Nothing to let go of."""

    def _job(self, due: float, answer: Any) -> Hashable:
        job = next(self._numbers)
        self._answers[job] = answer
        heapq.heappush(self._due, (due, job))
        return job

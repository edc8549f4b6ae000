"""Episodes one after the other in this process."""

from collections.abc import Sequence
from typing import Any

from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.worker import Setup, Worker


class Serial:
    """Runs tickets when they are collected; in a vector environment as many as it has places.

    A time-out is checked between the steps of an environment, and after an episode function has
    returned: nothing that hangs can be cut short from within one process.
    """

    retries = 0
    width = 1  # tickets of one policy that take no longer than one, side by side
    _worker: Worker | None = None
    _tickets: Sequence[Ticket] = ()

    def open(self, setup: Setup) -> None:
        self._worker, self._tickets = Worker(setup), ()
        self.width = self._worker.width

    def join(self, name: str, policy: Any) -> None:
        assert self._worker is not None
        self._worker.join(name, policy)

    @property
    def capacity(self) -> int:
        return self.width

    @property
    def room(self) -> int:
        return self.width - len(self._tickets)

    def submit(self, tickets: Sequence[Ticket]) -> None:
        self._tickets = tickets

    def collect(self) -> list[Episode]:
        assert self._worker is not None
        tickets, self._tickets = self._tickets, ()
        return self._worker.run(tickets)

    def close(self) -> int:
        """Close the environment; return how many tickets were abandoned."""
        if self._worker is not None:
            self._worker.close()
        return len(self._tickets)

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

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._tickets: list[Ticket] = []

    def open(self, setup: Setup) -> None:
        """Make the environment."""
        self._worker = Worker(setup)

    def join(self, name: str, policy: Any) -> None:
        """Take a policy that joins."""
        assert self._worker is not None
        self._worker.join(name, policy)

    @property
    def capacity(self) -> int:
        """One ticket, or enough to fill a vector environment."""
        return self.width

    @property
    def width(self) -> int:
        """Places of the environment."""
        assert self._worker is not None
        return self._worker.width

    @property
    def room(self) -> int:
        """What is free of the capacity."""
        return self.capacity - len(self._tickets)

    def submit(self, tickets: Sequence[Ticket]) -> None:
        """Keep the tickets."""
        self._tickets += tickets

    def collect(self) -> list[Episode]:
        """Run all tickets held."""
        assert self._worker is not None
        tickets, self._tickets = self._tickets, []
        return self._worker.run(tickets)

    def close(self) -> int:
        """Close the environment."""
        if self._worker is not None:
            self._worker.close()
        abandoned, self._tickets = len(self._tickets), []
        return abandoned

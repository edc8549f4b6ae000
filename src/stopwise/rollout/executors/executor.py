"""What a race asks of the place in which its episodes are run."""

from collections.abc import Sequence
from typing import Any, Protocol

from stopwise.rollout.episode import Episode, Ticket
from stopwise.rollout.worker import Setup


class Executor(Protocol):
    """Runs tickets in any order and at any speed; nothing else is promised.

    A ticket comes back as one episode, a failed one included, or is abandoned by ``close``.
    """

    def open(self, setup: Setup) -> None:
        """Get ready to run tickets; called once, before everything else."""

    def join(self, name: str, policy: Any) -> None:
        """Take a policy that joins the race under way: tickets of it follow."""

    @property
    def capacity(self) -> int:
        """The greatest number of tickets that it will ever hold at once."""

    @property
    def width(self) -> int:
        """Tickets of one policy that take no longer than one, side by side."""

    @property
    def room(self) -> int:
        """Tickets that it takes now."""

    @property
    def retries(self) -> int:
        """Tickets that were run anew because their worker was lost."""

    def submit(self, tickets: Sequence[Ticket]) -> None:
        """Take tickets, at most ``room``."""

    def collect(self) -> list[Episode]:
        """Wait until a ticket is back or there is room for more; return those that are back."""

    def close(self) -> int:
        """Stop at once and let go of everything; return how many tickets were abandoned."""

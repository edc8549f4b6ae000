"""What is asked of a worker, and what it brings back."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self


class Ticket(NamedTuple):
    """One episode to be run: the policy, its row in the comparison, its seed, and its task."""

    policy: str
    row: int
    seed: int
    task: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """One episode that was run; it is kept whether it counts or not.

    Attributes
    ----------
    policy, row, seed, task
        The ticket: rows count from 0, the seed is that of the environment, and the task is the one
        of several that was drawn, or None.
    score
        What is compared; None if the episode failed.
    length
        Steps, where known.
    seconds
        How long it took, by the clock of the worker.
    error
        Why it failed, in one line, or None.
    """

    policy: str
    row: int
    seed: int
    score: float | None
    length: int | None
    seconds: float
    error: str | None = None
    task: str | None = None

    @classmethod
    def failed(cls, ticket: Ticket, error: str, seconds: float) -> Self:
        """Return the record of an episode without a score."""
        return cls(**ticket._asdict(), score=None, length=None, seconds=seconds, error=error)

    @property
    def place(self) -> tuple[str, int]:
        """Policy and row, of which there is one episode at most."""
        return self.policy, self.row

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as the journal keeps them."""
        found = asdict(self)
        if self.task is None:
            del found["task"]
        return found

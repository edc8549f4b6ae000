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
    """One episode that was run; it is kept whether it counts or not."""

    policy: str
    row: int
    seed: int
    score: float | None  # None if it failed
    length: int | None  # steps, where known
    seconds: float  # by the clock of the worker
    error: str | None = None  # why it failed, in one line
    task: str | None = None  # of several, the one that was drawn

    @classmethod
    def failed(cls, ticket: Ticket, error: str, seconds: float) -> Self:
        return cls(**ticket._asdict(), score=None, length=None, seconds=seconds, error=error)

    @property
    def place(self) -> tuple[str, int]:
        """Policy and row, of which there is one episode at most."""
        return self.policy, self.row

    def to_dict(self) -> dict[str, Any]:
        content = asdict(self)
        if self.task is None:
            del content["task"]
        return content

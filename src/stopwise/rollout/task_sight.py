"""How one task stands when growing files are looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stopwise.core.plain_values import plain_values
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Elimination, Standing


@dataclass(frozen=True, kw_only=True)
class TaskSight:
    """How one task stands at one look.

    Attributes
    ----------
    stop, decided
        Whether to stop, and whether because every pair is decided, or the best is named.
    futile
        Whether a further decision by n_max has become too unlikely; if that is binding, to stop.
    best, candidates, eliminated
        The policy shown to be the best, or None; those that may still be; the others, and when
        they were shown not to be.
    awaited
        Policies that were declared to come later, and have not come yet.
    rows, n_max
        Rows looked at, and the declared greatest number.
    needed
        Policies that need more trials.
    waiting
        Trials that are there but not looked at: a row before them is not complete, or they were
        not needed.
    standings, remaining
        How each pair stands, and the rows still needed at the growth so far (None: unknown).
    analysis
        The ranking so far; None before the first row.
    """

    task: str
    stop: bool
    decided: bool
    futile: bool
    best: str | None
    candidates: tuple[str, ...]
    eliminated: Mapping[str, Elimination]
    awaited: tuple[str, ...]
    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    waiting: int
    standings: tuple[Standing, ...]
    remaining: int | None
    analysis: Analysis | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        analysis = None if self.analysis is None else self.analysis.to_dict()
        return {
            **plain_values(self, ("task", "stop", "decided", "futile", "rows", "n_max")),
            **plain_values(self, ("needed", "waiting", "remaining")),
            **plain_values(self, ("best", "candidates", "awaited")),
            "eliminated": {name: vars(out) for name, out in self.eliminated.items()},
            "analysis": analysis,
        }

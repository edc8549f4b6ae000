"""How a comparison stands while it runs: that of a race, or of growing files at one look."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from stopwise.core.plain_values import plain_values
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Elimination, Standing
from stopwise.rollout.stop_rule import StopRule


@dataclass(frozen=True, kw_only=True)
class Sight:
    """How a comparison stands.

    Attributes
    ----------
    rows, n_max
        Rows looked at, and the declared greatest number.
    needed
        Policies that need more trials.
    standings, remaining
        How each pair stands (none with the goal "best"), and the rows still needed at the growth of
        evidence so far (None: unknown).
    candidates
        Policies that may still be the best.
    awaited
        Policies that were declared to come later, and have not come yet.
    """

    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    standings: tuple[Standing, ...] = ()
    remaining: int | None = None
    candidates: tuple[str, ...] = ()
    awaited: tuple[str, ...] = ()

    @classmethod
    def of(cls, rule: StopRule, **own: Any) -> Self:
        """Standing of a rule, with its notes."""
        standings = rule.standings()
        return cls(
            rows=rule.rows,
            n_max=rule.n_max,
            needed=rule.needed,
            standings=standings,
            remaining=rule.remaining(standings),
            candidates=rule.candidates,
            awaited=rule.awaited,
            **own,
        )


@dataclass(frozen=True, kw_only=True)
class RaceProgress(Sight):
    """How a race stands.

    Attributes
    ----------
    episodes
        Episodes that came back, those of earlier runs of the journal included.
    p_values
        With the goal "best": of each candidate, the anytime p-value of "this is a best policy".
    seconds
        Seconds since the race started or was last resumed.
    """

    episodes: int
    p_values: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, kw_only=True)
class TaskSight(Sight):
    """How one task stands at one look.

    Attributes
    ----------
    stop, decided
        Whether to stop, and whether because every pair is decided, or the best is named.
    futile
        Whether a further decision by n_max has become too unlikely; if that is binding, to stop.
    best, eliminated
        The policy shown to be the best, or None; those shown not to be, and when.
    waiting
        Trials that are there but not looked at: a row before them is not complete, or they were
        not needed.
    notes
        How the files were read.
    analyze
        What makes the analysis; None before the first row.
    """

    task: str
    stop: bool
    decided: bool
    futile: bool
    best: str | None
    eliminated: Mapping[str, Elimination]
    waiting: int
    notes: tuple[str, ...] = ()
    analyze: Callable[[], Analysis] | None = None

    @cached_property
    def analysis(self) -> Analysis | None:
        """The ranking so far, made when it is first asked for; None before the first row."""
        return None if self.analyze is None else self.analyze()

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

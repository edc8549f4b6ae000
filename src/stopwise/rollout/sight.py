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
    """How a comparison stands."""

    rows: int  # looked at
    n_max: int | None
    needed: tuple[str, ...]  # policies that need more trials
    standings: tuple[Standing, ...] = ()  # of each pair; none with the goal "best"
    remaining: int | None = None  # rows still needed at the growth of evidence so far
    candidates: tuple[str, ...] = ()  # for the best
    awaited: tuple[str, ...] = ()  # policies that were declared to come later

    @classmethod
    def of(cls, rule: StopRule, **facts: Any) -> Self:
        standings = rule.standings()
        return cls(
            rows=rule.rows,
            n_max=rule.n_max,
            needed=rule.needed,
            standings=standings,
            remaining=rule.question.remaining(standings),
            candidates=rule.candidates,
            awaited=rule.awaited,
            **facts,
        )


@dataclass(frozen=True, kw_only=True)
class RaceProgress(Sight):
    """How a race stands."""

    episodes: int  # that came back, those of earlier runs of the journal included
    p_values: Mapping[str, float]  # with the goal "best", of "this is a best policy"
    seconds: float  # since the race started or was last resumed


@dataclass(frozen=True, kw_only=True)
class TaskSight(Sight):
    """How one task stands at one look."""

    task: str
    stop: bool = False
    decided: bool = False
    futile: bool = False
    best: str | None = None
    eliminated: Mapping[str, Elimination]
    waiting: int  # trials that are there but not looked at
    notes: tuple[str, ...] = ()  # how the files were read
    analyze: Callable[[], Analysis] | None = None

    @cached_property
    def analysis(self) -> Analysis | None:
        """The ranking so far, made when it is first asked for; None before the first row."""
        return None if self.analyze is None else self.analyze()

    def to_dict(self) -> dict[str, Any]:
        analysis = None if self.analysis is None else self.analysis.to_dict()
        return {
            **plain_values(self, ("task", "stop", "decided", "futile", "rows", "n_max")),
            **plain_values(self, ("needed", "waiting", "remaining")),
            **plain_values(self, ("best", "candidates", "awaited")),
            "eliminated": {name: vars(out) for name, out in self.eliminated.items()},
            "analysis": analysis,
        }

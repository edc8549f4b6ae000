"""What a race leaves: the ranking, the trials it rests on, and every episode that was run."""

from dataclasses import dataclass, field
from typing import Any

from stopwise.data.trials import Trials
from stopwise.ranking.analysis import Standing
from stopwise.report.analysis import Analysis
from stopwise.rollout.episode import Episode

__all__ = ["Progress", "RaceResult"]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How a race stands.

    Attributes
    ----------
    episodes
        Episodes that came back, those of earlier runs of the journal included.
    rows, n_max
        Rows looked at, and the declared greatest number.
    needed
        Policies that are still tried.
    standings
        How each pair stands.
    remaining
        Rows still needed at the growth of evidence so far, None where nothing is known.
    seconds
        Since the race began, or was taken up again.
    """

    episodes: int
    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    standings: tuple[Standing, ...]
    remaining: int | None
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RaceResult:
    """The outcome of a race; never changes afterwards.

    Attributes
    ----------
    analysis
        The ranking, with its guarantee and what was assumed.
    trials
        The scores on which it rests, as a trial table; rows are the blocks of a paired design.
    episodes
        Every episode that came back, in order of arrival.
    overshoot
        Those among them that do not count: they were under way when the verdict was there.
    abandoned
        Episodes that were under way at the end and never came back.
    failures
        Failed episodes among those that count, by policy.
    retries
        Episodes that were run anew because their worker was lost.
    rows, window
        Rows looked at, and how many more may have been begun: the bound of the overshoot.
    decided
        Whether every pair is decided; if not, n_max was reached.
    seconds
        Since the race began, or was taken up again.
    """

    analysis: Analysis
    trials: Trials = field(repr=False)
    episodes: tuple[Episode, ...] = field(repr=False)
    overshoot: tuple[Episode, ...] = field(repr=False)
    abandoned: int
    failures: dict[str, int]
    retries: int
    rows: int
    window: int
    decided: bool
    seconds: float

    @property
    def used(self) -> int:
        """Episodes on which the verdict rests."""
        return len(self.episodes) - len(self.overshoot)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as ``Analysis.to_dict`` does, with the counts of the race."""
        return {
            **self.analysis.to_dict(),
            "race": {
                "decided": self.decided,
                "rows": self.rows,
                "episodes": len(self.episodes),
                "used": self.used,
                "overshoot": len(self.overshoot),
                "abandoned": self.abandoned,
                "window": self.window,
                "failures": self.failures,
                "retries": self.retries,
                "seconds": self.seconds,
            },
        }

    def __str__(self) -> str:
        return (
            f"{self.analysis.sentence} {self.used} episodes in {self.rows} rows counted; "
            f"{len(self.overshoot)} more were finished and {self.abandoned} abandoned when the "
            "verdict was there."
        )

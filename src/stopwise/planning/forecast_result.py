"""The answer to "is it worth continuing?": frozen chances and one sentence that sums them up."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stopwise.core.rules import Rules
from stopwise.messages import counted
from stopwise.planning.presentation import PlanningResult, Rows
from stopwise.report.curves import ChanceCurve, plot_chances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FUTILITY = (
    "Stopping for futility never raises the chance of a false claim: it can only prevent claims "
    "that would have come later."
)


@dataclass(frozen=True, kw_only=True)
class PairForecast:
    """One pair of policies, at the end of the study.

    Attributes
    ----------
    decided
        The policy that has already been declared better, "the same", or None.
    chance, chance_error
        Chance that the pair is decided by n_max, and its standard error.
    chance0, chance1
        Chances that policy 0, and that policy 1, is declared better.
    chance_same
        With ``equivalence``: chance that both are declared practically the same, else None.
    """

    policy0: str
    policy1: str
    decided: str | None
    chance: float
    chance_error: float
    chance0: float
    chance1: float
    chance_same: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class ForecastResult(PlanningResult):
    """What to expect of a running study; it never affects validity.

    With the goal "best", numbers per policy count rows, and there are no ``pairs``.

    Attributes
    ----------
    seen, n_max
        Trials so far, by policy, and the maximum per policy.
    decided
        Whether the question is answered already.
    chance, chance_error
        Chance that every pair is decided, or the best named, by n_max, and its standard error.
    chance_further
        Chance that at least one more pair is decided, or policy dropped, by n_max.
    pairs
        One forecast per pair.
    mean_n, n_quantiles
        Further trials of the policy that needs most until the study ends: the mean, and within
        which 10, 50 and 90 % of studies end.
    chance_by
        ``chance`` within 0, 1, 2, ... further trials per policy.
    mean_trials
        Expected further trials of all policies together.
    futility_chance
        The threshold of ``chance_further`` that was set in advance, or None.
    minutes_per_trial, rules, runs
        To convert trials to hours, what the study declared, and how often it was continued.
    bounds_inferred, notes
        Whether the bounds were taken from the data, which voids the guarantee; what is assumed.
    best, candidates, chances
        With the goal "best": the policy that is named already, or None; those that may still be the
        best; and by name, the chance that it is named by n_max.
    """

    seen: dict[str, int]
    n_max: int
    decided: bool
    chance: float
    chance_error: float
    chance_further: float
    pairs: tuple[PairForecast, ...] = ()
    mean_n: float
    n_quantiles: tuple[int, int, int]
    chance_by: tuple[float, ...] = field(repr=False)
    mean_trials: float
    futility_chance: float | None
    minutes_per_trial: float | None
    rules: Rules
    bounds_inferred: bool
    runs: int
    notes: tuple[str, ...]
    best: str | None = None
    candidates: tuple[str, ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)

    TITLE: ClassVar[str] = "How much longer will it take?"

    @property
    def futile(self) -> bool | None:
        """Whether the chance is below the threshold set in advance; None without one."""
        if self.futility_chance is None:
            return None
        return not self.decided and self.chance_further < self.futility_chance

    @property
    def hours(self) -> float | None:
        """Expected further time, if the minutes per trial are known."""
        known = self.minutes_per_trial
        return None if known is None else self.mean_trials * known / 60

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        seen = ", ".join(f"{name} {count}" for name, count in self.seen.items())
        if self.decided:
            what = f"{self.best} has" if self.of_best else "All pairs have"
            done = "named" if self.of_best else "decided"
            return f"{what} already been {done} (trials: {seen}); no more trials are needed."
        done, more = "all pairs are decided", "is decided"
        if self.of_best:
            done, more = "one is named", "is dropped"
        chance = f"{self.chance:.2f} (standard error {self.chance_error:.2g})"
        further = f", and that at least one more {more}, {self.chance_further:.2f}"
        hours = "" if self.hours is None else f", {self.hours:.1f} hours"
        return (
            f"Trials so far: {seen}. The chance that {done} within {self.n_max} {self.per} is "
            f"{chance}{further if len(self.pairs) != 1 else ''}. Continuing takes "
            f"{round(self.mean_n)} more {self.per} on average, and no more than "
            f"{self.n_quantiles[1]} half of the time ({counted(round(self.mean_trials), 'trial')} "
            f"in total{hours}). {self._advice()}The forecast does not affect validity, so you may "
            f"act on it freely: whatever the reason you stop, {self.promised()}."
        )

    def _advice(self) -> str:
        if self.futility_chance is None:
            return ""
        threshold = f"below the futility threshold of {self.futility_chance:g} set in advance"
        if not self.futile:
            return f"The chance of a further verdict is not {threshold}: continue. "
        return (
            f"The chance of a further verdict is {threshold}: stop for futility. Ending undecided "
            f"does not show that the policies are equal. {FUTILITY} "
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per pair; with the goal "best", one per policy."""
        if self.of_best:
            return [
                {"policy": name, "candidate": name in self.candidates, "chance": chance}
                for name, chance in self.chances.items()
            ]
        return [
            {
                name: part
                for name, part in asdict(pair).items()
                if (name, part) != ("chance_same", None)
            }
            for pair in self.pairs
        ]

    def text_tables(self) -> dict[str, Rows]:
        """Return its table as people read it."""
        rows = [
            {name.replace("_", " "): _text(value) for name, value in row.items()}
            for row in self.table()
        ]
        return {"At the end of the study": rows}

    def _content(self) -> dict[str, Any]:
        pairs = [] if self.of_best else self.table()
        return {"pairs": pairs, "futile": self.futile, "hours": self.hours}

    def figures(self) -> dict[str, "Figure"]:
        """The chance that it ends by each further trial, or row; none if all is decided."""
        if self.decided:
            return {}
        curve = ChanceCurve(f"by n_max = {self.n_max}", np.array(self.chance_by))
        upwards = f"chance that {'one is named' if self.of_best else 'all pairs are decided'}"
        return {"further": plot_chances([curve], f"further {self.per}", upwards)}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2g}" if isinstance(value, float) else str(value or "-")

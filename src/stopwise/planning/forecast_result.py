"""The answer to "is it worth going on": frozen chances and one honest sentence."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stopwise.core.promise import promise
from stopwise.core.registry import find
from stopwise.planning import figure_data
from stopwise.planning.finding import SCHEMA, Finding
from stopwise.planning.pages import forecast_page
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Forecast", "PairForecast"]

VALIDITY = (
    "This is a forecast: it does not affect validity, and you may act on it as you like. For "
    "whatever reason you stop, {promised}."
)
FIXED_SAMPLE = (
    "This is a forecast. {method} answers only at n_max: a study that stops before it has no "
    "verdict. There {promised}."
)
FUTILITY = (
    "Stopping for futility never raises the chance of a false claim, for it can only leave out "
    "claims that would have come later."
)


@dataclass(frozen=True, kw_only=True)
class PairForecast:
    """One pair of policies, at the end of the study.

    Attributes
    ----------
    decided
        The policy that is declared better already, or None.
    chance, chance_error
        Chance that the pair is decided by n_max, and its standard error.
    chance0, chance1
        Chances that policy 0, and that policy 1, is declared better.
    """

    policy0: str
    policy1: str
    decided: str | None
    chance: float
    chance_error: float
    chance0: float
    chance1: float


@dataclass(frozen=True, kw_only=True)
class Forecast(Finding):
    """What to expect of a running study; it never affects validity.

    Attributes
    ----------
    seen, n_max
        Trials so far, by policy, and the greatest number per policy.
    chance, chance_error
        Chance that every pair is decided by n_max, and its standard error.
    chance_further
        Chance that at least one more pair is decided by n_max.
    pairs
        One forecast per pair.
    mean_n, n_quantiles
        Further trials of the policy that needs most until the study ends: expected, and within
        which 10, 50 and 90 % of studies end.
    chance_by
        Chance that every pair is decided within 0, 1, 2, ... further trials per policy.
    mean_trials
        Expected further trials of all policies together.
    futility
        The threshold of ``chance_further`` that was set in advance, or None.
    minutes_per_trial
        For hours; None if not given.
    method, alpha, adjust, design
        The settings of the study.
    bounds_inferred
        Whether the bounds were taken from the data: then there is no guarantee.
    runs
        Simulated continuations.
    notes
        What was assumed about the trials, one sentence each.
    """

    seen: dict[str, int]
    n_max: int
    chance: float
    chance_error: float
    chance_further: float
    pairs: tuple[PairForecast, ...]
    mean_n: float
    n_quantiles: tuple[int, int, int]
    chance_by: tuple[float, ...] = field(repr=False)
    mean_trials: float
    futility: float | None
    minutes_per_trial: float | None
    method: str
    alpha: float
    adjust: str
    design: str
    bounds_inferred: bool
    runs: int
    notes: tuple[str, ...]

    @property
    def decided(self) -> bool:
        """Whether every pair is decided already."""
        return all(pair.decided is not None for pair in self.pairs)

    @property
    def futile(self) -> bool | None:
        """Whether the chance fell under the threshold set in advance; None without one."""
        if self.futility is None:
            return None
        return not self.decided and self.chance_further < self.futility

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
            return f"Every pair is decided already ({seen} trials): no further trial is needed."
        many = len(self.pairs) > 1
        what = "every pair is decided" if many else "the verdict falls"
        more = f" (and that at least one more is: {self.chance_further:.2f})" if many else ""
        hours = "" if self.hours is None else f", {self.hours:.1f} hours"
        return (
            f"Forecast after {seen} of at most {self.n_max} trials each: the chance that {what} by "
            f"then is {self.chance:.2f}, standard error {self.chance_error:.2g}{more}. Going on "
            f"takes {self.mean_n:.0f} more trials per policy on average, half of the time at most "
            f"{self.n_quantiles[1]} ({self.mean_trials:.0f} trials in all{hours}). "
            f"{self._advice()}{self._validity()}"
        )

    def _validity(self) -> str:
        promised = promise(
            self.method,
            "the chance of a false claim",
            self.alpha,
            n_max=self.n_max,
            bounds_inferred=self.bounds_inferred,
        )
        said = VALIDITY if find(self.method).anytime else FIXED_SAMPLE
        return said.format(method=self.method, promised=promised)

    def _advice(self) -> str:
        if self.futility is None:
            return ""
        if not self.futile:
            return f"That is not below the threshold {self.futility:g} set in advance: go on. "
        return (
            f"That is below the threshold {self.futility:g} set in advance: stop for futility, "
            f"undecided, which does not show that the policies are equal. {FUTILITY} "
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per pair."""
        return [vars(pair) for pair in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            **vars(self),
            "pairs": self.table(),
            "n_quantiles": list(self.n_quantiles),
            "chance_by": list(self.chance_by),
            "notes": list(self.notes),
            "decided": self.decided,
            "futile": self.futile,
            "hours": self.hours,
        }

    def plot_further(self) -> "Figure":
        """Draw the chance of the verdict by each further trial."""
        return plan_figures.plot_stopping(
            [figure_data.further_curve(self)],
            across="further trials per policy",
            upwards="chance that every pair is decided",
        )

    def figures(self) -> dict[str, "Figure"]:
        """Return the figure by the name under which it is saved; none if all is decided."""
        return {} if self.decided else {"further": self.plot_further()}

    def to_html(self) -> str:
        """Return a self-contained page with the forecast, its figure and what it rests on."""
        return forecast_page({"": self})

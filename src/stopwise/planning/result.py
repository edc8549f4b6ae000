"""The answer to "how many trials will it take": frozen rows and one honest sentence."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stopwise.core.promise import promise
from stopwise.core.scores import score_text
from stopwise.planning import figure_data
from stopwise.planning.detectable import Detectable
from stopwise.planning.finding import SCHEMA, Finding
from stopwise.planning.pages import plan_page
from stopwise.planning.stopping import StoppingTimes
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Plan", "PlanRow"]


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """What to expect of a study with this n_max, if the policies are as supposed.

    Attributes
    ----------
    scenario, gap
        What was supposed, and the smallest gap between two means, in units of the score.
    n_max
        Greatest number of trials per policy.
    power, power_error
        Chance of the right verdict by n_max (of many policies: of all different pairs), and its
        standard error, 0 if it was computed exactly.
    wrong, undecided
        Chance of a false verdict, and of still being undecided at n_max.
    pair_power
        Expected share of the different pairs that are decided rightly.
    mean_n, mean_n_error
        Expected trials per policy until the study ends, and its standard error.
    n_quantiles
        Trials per policy within which 10, 50 and 90 % of the studies end.
    mean_trials
        Expected trials of all policies together.
    fixed_n, fixed_test
        Trials per policy of the fixed plan with equal power (at most .99), looked at once at
        the end; None if there is none.
    times
        All that the figures need.
    """

    scenario: str
    gap: float
    n_max: int
    power: float
    power_error: float
    wrong: float
    undecided: float
    pair_power: float
    mean_n: float
    mean_n_error: float
    n_quantiles: tuple[int, int, int]
    mean_trials: float
    fixed_n: int | None
    fixed_test: str | None
    policies: int
    runs: int | None
    times: StoppingTimes = field(repr=False, compare=False)

    @property
    def exact(self) -> bool:
        """Whether the row was computed, not simulated."""
        return self.runs is None

    @property
    def trials_saved(self) -> float | None:
        """Trials of all policies saved on average against the fixed plan of equal power."""
        return None if self.fixed_n is None else self.fixed_n * self.policies - self.mean_trials


@dataclass(frozen=True, kw_only=True)
class Plan(Finding):
    """What a study would need; a forecast from suppositions, which never affects validity.

    Attributes
    ----------
    rows
        One per supposition and n_max.
    detectable
        The smallest gap found with the power wanted, by n_max.
    power
        The power wanted.
    method, alpha, policies, adjust, ties, alternative, design, bounds
        The settings; ``policies`` is their number.
    bounds_inferred
        Whether the bounds were taken from the data: then there is no guarantee.
    minutes_per_trial
        For hours; None if not given.
    notes
        What was supposed, one sentence each.
    """

    rows: tuple[PlanRow, ...]
    detectable: tuple[Detectable, ...]
    power: float
    method: str
    alpha: float
    policies: int
    adjust: str
    ties: str
    alternative: str
    design: str
    bounds: tuple[float, float]
    bounds_inferred: bool
    minutes_per_trial: float | None
    notes: tuple[str, ...]

    def hours(self, trials: float) -> float | None:
        """Return the time of this many trials, if the minutes per trial are known."""
        return None if self.minutes_per_trial is None else trials * self.minutes_per_trial / 60

    @property
    def advised(self) -> PlanRow | None:
        """The smallest n_max with the power wanted under the first supposition it suffices for."""
        first = self.rows[0].scenario
        single = all(row.scenario == first for row in self.rows)
        enough = [row for row in self.rows if row.power >= self.power]
        return min(enough, key=lambda row: row.n_max) if enough and single else None

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if any(row.scenario != self.rows[0].scenario for row in self.rows):
            return f"{self._detectable_sentence()} {self._caveat()}"
        row = self.advised or self.rows[-1]
        short = "" if self.advised else f"No n_max asked for reaches the power {self.power:g}. "
        saved = ""
        if row.trials_saved is not None and row.fixed_n is not None:
            total = row.fixed_n * row.policies
            verb = "saves" if row.trials_saved >= 0 else "costs"
            saved = (
                f"; on average that {verb} {abs(row.trials_saved):.0f} "
                f"{'of' if row.trials_saved >= 0 else 'more than'} the {total} trials that "
                f"{row.fixed_test} needs for the same power{self._hours_text(row.trials_saved)}"
            )
        return (
            f"{short}If the policies are as supposed ({row.scenario}), at most {row.n_max} trials "
            f"per policy give the right verdict with chance {self._with_error(row)}, and half of "
            f"the studies end within {row.n_quantiles[1]} trials per policy (mean {row.mean_n:.0f})"
            f"{saved}. {self._caveat()}"
        )

    def _detectable_sentence(self) -> str:
        found = [
            f"{score_text(entry.gap)} with {entry.n_max}"
            for entry in self.detectable
            if entry.gap is not None
        ]
        none = [str(entry.n_max) for entry in self.detectable if entry.gap is None]
        if not found:
            return f"No gap is found with power {self.power:g} in {' or '.join(none)} trials each."
        if none:
            found.append(f"none with {' or '.join(none)}")
        return (
            f"The smallest gap found with power {self.power:g} is {', '.join(found)} trials per "
            "policy at most."
        )

    def _caveat(self) -> str:
        share = "" if self.policies == 2 else f", {self.adjust} over all pairs"
        ties = "" if self.ties == "strict" else ", exact ties not counted as errors"
        promised = promise(
            self.method,
            "the chance of a false claim",
            self.alpha,
            n_max=None,
            bounds_inferred=self.bounds_inferred,
        )
        return (
            f"This is a forecast from suppositions; whether or not they are right, {promised} "
            f"({self.method}, {self.alternative}{share}, {self.design} design{ties})."
        )

    def _with_error(self, row: PlanRow) -> str:
        if row.exact:
            return f"{row.power:.3f} (exact)"
        return f"{row.power:.2f} (standard error {row.power_error:.2g})"

    def _hours_text(self, trials: float) -> str:
        hours = self.hours(abs(trials))
        return "" if hours is None else f", {hours:.1f} hours"

    def table(self) -> list[dict[str, Any]]:
        """Return one row per supposition and n_max."""
        return [
            {
                "scenario": row.scenario,
                "gap": row.gap,
                "n_max": row.n_max,
                "power": row.power,
                "power_error": row.power_error,
                "wrong": row.wrong,
                "undecided": row.undecided,
                "pair_power": row.pair_power,
                "mean_n": row.mean_n,
                "mean_n_error": row.mean_n_error,
                "n_quantiles": row.n_quantiles,
                "mean_trials": row.mean_trials,
                "mean_hours": self.hours(row.mean_trials),
                "most_hours": self.hours(row.n_max * row.policies),
                "fixed_n": row.fixed_n,
                "fixed_test": row.fixed_test,
                "trials_saved": row.trials_saved,
                "hours_saved": None if row.trials_saved is None else self.hours(row.trials_saved),
                "exact": row.exact,
                "runs": row.runs,
            }
            for row in self.rows
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            "rows": [{**row, "n_quantiles": list(row["n_quantiles"])} for row in self.table()],
            "detectable": [vars(entry) for entry in self.detectable],
            "power": self.power,
            "method": self.method,
            "alpha": self.alpha,
            "policies": self.policies,
            "adjust": self.adjust,
            "ties": self.ties,
            "alternative": self.alternative,
            "design": self.design,
            "bounds": list(self.bounds),
            "bounds_inferred": self.bounds_inferred,
            "minutes_per_trial": self.minutes_per_trial,
            "notes": list(self.notes),
        }

    def plot_power(self) -> "Figure":
        """Draw power against n_max."""
        return plan_figures.plot_power(figure_data.power_curves(self), self.power)

    def plot_stopping(self) -> "Figure":
        """Draw the chance of having the right verdict by each trial."""
        return plan_figures.plot_stopping(figure_data.stopping_curves(self))

    def plot_detectable(self) -> "Figure":
        """Draw the smallest gap found against the greatest number of trials."""
        return plan_figures.plot_detectable(figure_data.detectable_points(self), self.power)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        drawn = {"power": self.plot_power(), "stopping": self.plot_stopping()}
        if any(entry.gap is not None for entry in self.detectable):
            drawn["detectable"] = self.plot_detectable()
        return drawn

    def to_html(self) -> str:
        """Return a self-contained page with the table, the figures and what was supposed."""
        return plan_page(self)

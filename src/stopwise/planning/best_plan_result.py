"""The answer to "how many trials will it take to name the best?", and what if two are equal."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from stopwise.core.promise import promise
from stopwise.core.rules import FromRules
from stopwise.planning.named_best import NamingTimes
from stopwise.planning.plan_result import Plan, hours_of
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.presentation import Rows
from stopwise.report import plan_figures
from stopwise.report.plan_figures import ChanceCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMED = "chance that the right policy is named"


@dataclass(frozen=True, kw_only=True)
class BestPlanRow(PlanRow):
    """What to expect of a study that ends when a best policy is named.

    A verdict is right if the one named is the best, or within the indifference of it. ``gap`` is
    that between the two best; ``n_max``, ``mean_n`` and ``n_quantiles`` count rows; and
    ``pair_power`` is the expected share of the policies that are not the best which are ruled out.
    There is no fixed-sample plan.

    Attributes
    ----------
    mean_trials_error, trial_quantiles
        Standard error of the expected trials of all policies together, and the numbers of them
        within which 10, 50 and 90 % of studies end.
    mean_left
        Mean number of candidates left where none is named; None if one always is.
    what_if
        Whether this is "what if the two best are equal?", not what is assumed.
    """

    mean_trials_error: float
    trial_quantiles: tuple[int, int, int]
    mean_left: float | None
    what_if: bool
    times: NamingTimes = field(repr=False, compare=False)

    @property
    def most_trials(self) -> int:
        """The most trials, over all policies, that the study can take."""
        return self.times.most_trials


@dataclass(frozen=True, kw_only=True)
class BestPlan(Plan):
    """What naming the best policy would need: a forecast from assumptions.

    Attributes
    ----------
    rows
        One per scenario and n_max: as assumed, and with the second best equal to the best.
    order_trials
        Expected trials of all policies together if all pairs were ordered, with the n_max of
        ``shown``; None with several scenarios.
    """

    rows: tuple[BestPlanRow, ...]
    order_trials: float | None

    SETTINGS: ClassVar[tuple[str, ...]] = (*Plan.SETTINGS, "goal", "indifference")
    LEGEND: ClassVar[str] = (
        'Power is the chance that the right policy is named, "none" the chance that none is, and '
        '"left" the mean number of candidates left in that case. "Total" and the quantiles count '
        "trials of all policies together; n_max and rows count rows, each of which tries every "
        "candidate. Hours are the expected and the maximum number."
    )

    goal = FromRules[str]("goal", "What is asked.")
    indifference = FromRules[float]("indifference", "How near to the best is good enough.")

    @property
    def _assumed(self) -> Sequence[BestPlanRow]:
        return [row for row in self.rows if not row.what_if]

    @property
    def shown(self) -> BestPlanRow:
        """The row that the sentence is about: that of the advised n_max, or of the largest."""
        chosen = self.advised
        return next((row for row in self._assumed if row is chosen), self._assumed[-1])

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if not self.single:
            text = "The rows give the chance that the right policy is named, and what that takes."
            return f"{text} {self._caveat()}"
        row = self.shown
        tenth, half, most = row.trial_quantiles
        order = (
            ""
            if self.order_trials is None
            else f"; ordering all pairs would take about {self.order_trials:.0f}"
        )
        return (
            f"{self._shortfall()}If the policies perform as assumed ({row.scenario}), a study of "
            f"at most {row.n_max} rows names {self._right()} with probability {row.power:.2f} "
            f"(standard error {row.power_error:.2g}){_none(row)}. It takes {row.mean_trials:.0f} "
            f"trials of all policies together on average (10, 50 and 90 % of such studies end "
            f"within {tenth}, {half} and {most}){order}.{self._if_equal(row)} {self._caveat()}"
        )

    def _right(self) -> str:
        best = f"the best of {self.policies}"
        return f"one within {self.indifference:g} of {best}" if self.indifference else best

    def _if_equal(self, row: BestPlanRow) -> str:
        """Return what happens with this n_max if the two best are equal."""
        equal = [other for other in self.rows if other.what_if and other.n_max == row.n_max]
        if not equal:
            return ""
        (tied,) = equal
        named = self._right() if self.indifference else "one of them"
        return (
            f" If the two best are equal, it takes {tied.mean_trials:.0f} trials on average and "
            f"names {named} with probability {tied.power:.2f}{_none(tied)}."
        )

    def _caveat(self) -> str:
        missed = f"naming one not within {self.indifference:g} of the best, or of "
        promised = promise(
            self.method,
            f"the chance of {missed if self.indifference else ''}dropping the best policy (or any "
            "given one of several)",
            self.alpha,
            bounds_inferred=self.bounds_inferred,
        )
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({self.method}, {self.design} design)."
        )

    def text_tables(self) -> dict[str, Rows]:
        """Return the rows as people read them."""
        rows = [
            {
                **({} if self.single else {"lead": f"{row['gap']:.4g}"}),
                "two best": "equal" if row["what_if"] else "as assumed",
                "n_max": row["n_max"],
                "power": f"{row['power']:.3f}",
                "± SE": f"{row['power_error']:.3f}",
                "none": f"{row['undecided']:.2f}",
                "left": "-" if row["mean_left"] is None else f"{row['mean_left']:.1f}",
                "rows": f"{row['mean_n']:.0f}",
                "total": f"{row['mean_trials']:.0f}",
                "10/50/90 %": "/".join(map(str, row["trial_quantiles"])),
                **hours_of(row),
            }
            for row in self.table()
        ]
        return {"What to expect": rows}

    def label(self, row: PlanRow) -> str:
        """Return what a figure calls a row: its scenario, or whether it is the one assumed."""
        if not self.single:
            return row.scenario
        return "as assumed" if row in self._assumed else "the two best equal"

    def plot_power(self) -> "Figure":
        """Draw the chance that the right policy is named against n_max."""
        return plan_figures.plot_power(
            plan_figures.power_curves(self),
            self.power,
            across="maximum number of rows (n_max)",
            upwards=NAMED,
        )

    def plot_stopping(self) -> "Figure":
        """Draw the chance that the right policy is named by each trial."""
        return plan_figures.plot_stopping(
            naming_curves(self),
            across="trials of all policies together",
            upwards=NAMED,
        )

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        return {"power": self.plot_power(), "named": self.plot_stopping()}


def _none(row: BestPlanRow) -> str:
    """Return how often none is named, and how many candidates are left then."""
    if row.mean_left is None or round(row.undecided, 2) == 0:
        return ""
    return f", and none with probability {row.undecided:.2f} ({row.mean_left:.1f} candidates left)"


def naming_curves(plan: BestPlan) -> list[ChanceCurve]:
    """Return the chance that the right one is named by each trial, with the n_max of ``shown``."""
    curves = []
    for row in plan.rows:
        if row.n_max == plan.shown.n_max:
            chance = row.times.chance_by_trial()
            reached = np.flatnonzero(row.times.ends).max()  # no study goes on beyond this
            curves.append(ChanceCurve.by_trial(plan.label(row), chance[: reached + 1]))
    return curves

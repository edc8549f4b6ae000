"""What planning says where the best policy is asked for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.promise import promise
from stopwise.messages import counted
from stopwise.planning.named_best import NamingTimes
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.presentation import Rows, hours_of
from stopwise.report import plan_figures
from stopwise.report.plan_figures import ChanceCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.forecast_result import ForecastResult
    from stopwise.planning.plan_result import PlanResult

NAMED = "chance that the right policy is named"


@dataclass(frozen=True)
class BestPlan:
    """A plan to name the best policy, in words and figures.

    A verdict is right if the one named is the best, or within the indifference of it.
    """

    plan: "PlanResult"

    LEGEND = (
        'Power is the chance that the right policy is named, "none" the chance that none is, and '
        '"left" the mean number of candidates left in that case. "Total" and the quantiles count '
        "trials of all policies together; n_max and rows count rows, each of which tries every "
        "candidate. Hours are the expected and the maximum number."
    )

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        plan = self.plan
        if not plan.single:
            text = "The rows give the chance that the right policy is named, and what that takes."
            return f"{text} {self._caveat()}"
        row = plan.shown
        assert row.trial_quantiles is not None
        tenth, half, most = row.trial_quantiles
        order = (
            ""
            if plan.order_trials is None
            else f"; ordering all pairs would take about {plan.order_trials:.0f}"
        )
        return (
            f"{plan.shortfall()}If the policies perform as assumed ({row.scenario}), a study of "
            f"at most {row.n_max} rows names {self._right()} with probability {row.power:.2f} "
            f"(standard error {row.power_error:.2g}){_none(row)}. It takes {row.mean_trials:.0f} "
            f"trials of all policies together on average (10, 50 and 90 % of such studies end "
            f"within {tenth}, {half} and {most}){order}.{self._if_equal(row)} {self._caveat()}"
        )

    def _right(self) -> str:
        best = f"the best of {self.plan.policies}"
        return (
            f"one within {self.plan.rules.indifference:g} of {best}"
            if self.plan.rules.indifference
            else best
        )

    def _if_equal(self, row: PlanRow) -> str:
        """Outcome with this n_max if the two best are equal."""
        equal = [other for other in self.plan.rows if other.what_if and other.n_max == row.n_max]
        if not equal:
            return ""
        (tied,) = equal
        named = self._right() if self.plan.rules.indifference else "one of them"
        return (
            f" If the two best are equal, it takes {tied.mean_trials:.0f} trials on average and "
            f"names {named} with probability {tied.power:.2f}{_none(tied)}."
        )

    def _caveat(self) -> str:
        plan, within = self.plan, self.plan.rules.indifference
        missed = f"naming one not within {within:g} of the best, or of " if within else ""
        promised = promise(
            plan.method,
            f"the chance of {missed}dropping the best policy (or any given one of several)",
            plan.alpha,
            bounds_inferred=plan.bounds_inferred,
        )
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({plan.method}, {plan.design} design)."
        )

    def tables(self) -> dict[str, Rows]:
        """Return the rows as people read them."""
        rows = [
            {
                **({} if self.plan.single else {"lead": f"{row['gap']:.4g}"}),
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
            for row in self.plan.table()
        ]
        return {"What to expect": rows}

    def label(self, row: PlanRow) -> str:
        """Label of a row in a figure: its scenario, or that it is the assumed one."""
        if not self.plan.single:
            return row.scenario
        return "the two best equal" if row.what_if else "as assumed"

    def content(self) -> dict[str, Any]:
        """Additional JSON values."""
        known = {name: getattr(self.plan.rules, name) for name in ("goal", "indifference")}
        return {**known, "order_trials": self.plan.order_trials}

    def plot_power(self) -> "Figure":
        """Draw the chance that the right policy is named against n_max."""
        return plan_figures.plot_power(
            plan_figures.power_curves(self.plan),
            self.plan.power,
            across="maximum number of rows (n_max)",
            upwards=NAMED,
        )

    def plot_stopping(self) -> "Figure":
        """Draw the chance that the right policy is named by each trial."""
        across = "trials of all policies together"
        return plan_figures.plot_stopping(self.curves(), across=across, upwards=NAMED)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        return {"power": self.plot_power(), "named": self.plot_stopping()}

    def curves(self) -> list[ChanceCurve]:
        """Return the chance that the right one is named by each trial, with the n_max shown."""
        curves = []
        for row in self.plan.rows:
            if row.n_max == self.plan.shown.n_max and isinstance(row.times, NamingTimes):
                chance = row.times.chance_by_trial()
                reached = np.flatnonzero(row.times.ends).max()  # no study goes on beyond this
                curves.append(ChanceCurve.by_trial(self.label(row), chance[: reached + 1]))
        return curves


def _none(row: PlanRow) -> str:
    """Sentence for studies that name none, with the number of candidates left."""
    if row.mean_left is None or round(row.undecided, 2) == 0:
        return ""
    return f", and none with probability {row.undecided:.2f} ({row.mean_left:.1f} candidates left)"


@dataclass(frozen=True)
class BestForecast:
    """A forecast of which policy is named the best, in words."""

    forecast: "ForecastResult"

    FIGURE = "naming", "further rows", "chance that one is named"

    @property
    def decided(self) -> bool:
        """Whether a best policy is named already."""
        return self.forecast.best is not None

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        ahead = self.forecast
        seen = ", ".join(f"{name} {count}" for name, count in ahead.seen.items())
        if ahead.decided:
            return (
                f"{ahead.best} has already been named (trials: {seen}); no more trials are needed."
            )
        return (
            f"Trials so far: {seen}; {counted(len(ahead.candidates), 'candidate')} left. The "
            f"chance that one is named by row {ahead.n_max} is {ahead.chance:.2f} (standard error "
            f"{ahead.chance_error:.2g}), and that at least one more is dropped, "
            f"{ahead.chance_further:.2f}. "
            f"{ahead.continuing(counted(round(ahead.mean_n), 'more row'))}"
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per policy."""
        return [
            {"policy": name, "candidate": name in self.forecast.candidates, "chance": chance}
            for name, chance in self.forecast.chances.items()
        ]

    def tables(self) -> dict[str, Rows]:
        """Return the policies as people read them."""
        rows = [
            {
                "policy": row["policy"],
                "now": "candidate" if row["candidate"] else "dropped",
                "chance of being named": f"{row['chance']:.2f}",
            }
            for row in self.forecast.table()
        ]
        return {"Policies at the end of the study": rows}

    def content(self) -> dict[str, Any]:
        """Additional JSON values."""
        names = ("best", "candidates", "chances")
        return {name: getattr(self.forecast, name) for name in names}

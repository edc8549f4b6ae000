"""What planning says where the order of all pairs is asked for."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.presentation import PER_POLICY, Rows, hours_of
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.forecast_result import ForecastResult
    from stopwise.planning.plan_result import PlanResult


@dataclass(frozen=True)
class OrderPlan:
    """A plan to order all pairs, in words and figures."""

    plan: "PlanResult"

    LEGEND = (
        f'{PER_POLICY} "Fixed" is the total of a fixed-sample plan with the same power (at most '
        '.99), evaluated once at the end, and "saved" what the sequential study saves against it '
        "on average. Hours are those expected, and the maximum."
    )

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if not self.plan.single:
            return f"{self._gap_sentence()}{self._nothing(self.plan.rows[-1])} {self._caveat()}"
        row = self.plan.shown
        power = (
            f"{row.power:.3f} (exact)"
            if row.exact
            else f"{row.power:.2f} (standard error {row.power_error:.2g})"
        )
        alone = len(self.plan.rules.reading.run) == 1
        who = "the policy performs" if alone else "the policies perform"
        return (
            f"{self.plan.shortfall()}If {who} as assumed ({row.scenario}), a study of "
            f"at most {self._trials(row.n_max)} reaches the right verdict with "
            f"probability {power}{self._ends(row)}. Half of such studies end within "
            f"{self._trials(row.n_quantiles[1])} (mean {row.mean_n:.0f})"
            f"{self._saving(row)}.{self._nothing(row)} {self._caveat()}"
        )

    def _trials(self, number: int) -> str:
        """Return so many trials of each policy that is tried, in words."""
        new = "new " if self.plan.rules.stored else ""
        each = "" if self.plan.policies == 1 else " per policy"
        return f"{counted(number, f'{new}trial')}{each}"

    def _time(self, trials: float) -> str:
        hours = self.plan.hours(trials)
        return "" if hours is None else f", {hours:.1f} hours"

    def _nothing(self, row: PlanRow) -> str:
        """Return how soon such a study ends for futility if there is nothing to find."""
        if self.plan.needed is not None:
            most, equal = row.most_trials, self.plan.needed.equal
            text = f" If they are equal, it takes nearly all {most} trials{self._time(most)}"
            if equal is None:
                return f"{text}."
            sooner = f"{equal.mean_trials:.0f} on average{self._time(equal.mean_trials)}"
            return f"{text}; with binding futility {sooner}."
        found = [own for own in self.plan.without_effect if own.n_max == row.n_max]
        if not found:
            return ""
        return (
            " If they do not differ at all, it ends undecided after "
            f"{self._trials(round(found[0].mean_n))} on average, instead of {row.n_max}: a "
            "decision has become unlikely by then."
        )

    def _ends(self, row: PlanRow) -> str:
        """Return the chance of each end where sameness is one of them."""
        if row.same is None:
            return ""
        pairs = "" if len(self.plan.rules.policies) == 2 else " of the pairs"
        within = f"within {self.plan.rules.equivalence:g}"
        same = f"{row.same:.2f}{pairs} as practically the same ({within})"
        return f"; {same}, {row.undecided:.2f} undecided, {row.wrong:.2g} with a false claim"

    def _saving(self, row: PlanRow) -> str:
        if row.trials_saved is None or row.fixed_n is None:
            return ""
        number = counted(round(abs(row.trials_saved)), "trial")
        hours = self.plan.hours_saved(row)
        time = "" if hours is None else f" ({abs(hours):.1f} hours)"
        saves = row.trials_saved >= 0
        compared = f"saves {number}{time} of" if saves else f"takes {number}{time} more than"
        return (
            f"; on average, that {compared} the {row.fixed_n * row.policies} that "
            f"{row.fixed_test} needs for the same power"
        )

    def _gap_sentence(self) -> str:
        if not self.plan.detectable:
            return "The rows give the power for each gap and n_max."
        found = [
            f"{score_text(entry.gap)} at n_max = {entry.n_max}"
            for entry in self.plan.detectable
            if entry.gap is not None
        ]
        none = " or ".join(str(entry.n_max) for entry in self.plan.detectable if entry.gap is None)
        if not found:
            return f"No gap is detected with power {self.plan.power:g} at n_max = {none}."
        if none:
            found.append(f"none at n_max = {none}")
        return f"The smallest gap detected with power {self.plan.power:g} is {', '.join(found)}."

    def _caveat(self) -> str:
        share = "" if len(self.plan.rules.policies) == 2 else f", {self.plan.adjust} adjustment"
        ties = (
            "" if self.plan.ties == "strict" else ", assuming that no two means are exactly equal"
        )
        promised = self.plan.promised(bounds_inferred=self.plan.bounds_inferred)
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({self.plan.method}, {self._asked()}{share}{self._design}{ties})."
        )

    @property
    def _design(self) -> str:
        """The design, which only trials of several policies have."""
        return "" if len(self.plan.rules.reading.run) == 1 else f", {self.plan.design} design"

    def _asked(self) -> str:
        """Return in which directions is asked, and with what margin."""
        margin = self.plan.rules.margin
        if margin < 0:
            return f"not worse by {-margin:g} or more"
        return self.plan.alternative + (f", better by more than {margin:g}" if margin else "")

    def tables(self) -> dict[str, Rows]:
        """Return the rows and the smallest gaps as people read them."""
        nothing = {"If there is no difference": self._shown(self.plan.without_effect)}
        return {
            "What to expect": self._shown(),
            **(nothing if self.plan.without_effect else {}),
            **({"Smallest detectable gap": self._gaps()} if self.plan.detectable else {}),
            **self._other_studies(),
        }

    def _shown(self, rows: Sequence[PlanRow] | None = None) -> Rows:
        several = len({row.scenario for row in self.plan.rows}) > 1  # one for each gap
        return [
            {
                **({"gap": f"{row['gap']:.4g}"} if several else {}),
                "n_max": row["n_max"],
                "power": f"{row['power']:.3f}",
                "± SE": "exact" if row["exact"] else f"{row['power_error']:.3f}",
                **({"same": f"{row['same']:.2f}"} if "same" in row else {}),
                "undecided": f"{row['undecided']:.2f}",
                "mean": f"{row['mean_n']:.1f}",
                "10/50/90 %": "/".join(map(str, row["n_quantiles"])),
                "total": f"{row['mean_trials']:.0f}",
                "fixed": "-" if row["fixed_n"] is None else row["fixed_n"] * self.plan.policies,
                "saved": "-" if row["trials_saved"] is None else f"{row['trials_saved']:.0f}",
                **hours_of(row),
            }
            for row in self.plan.table(rows)
        ]

    def _gaps(self) -> Rows:
        return [
            {
                "n_max": entry.n_max,
                f"smallest gap detected with power {self.plan.power:g}": "none"
                if entry.gap is None
                else score_text(entry.gap)
                + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
            }
            for entry in self.plan.detectable
        ]

    def _other_studies(self) -> dict[str, Rows]:
        """Return what to declare for the target power, and other methods and designs beside it."""
        searched = self.plan.needed is not None
        if not (searched or self.plan.others):
            return {}
        declared = {(self.plan.method, self.plan.design): self.plan.shown, **self.plan.others}
        shown = ("n_max", "power", "mean", "total", "hours", "max h")
        rows = [
            {
                "method": method,
                "design": design,
                **{name: row[name] for name in shown if name in row},
            }
            for (method, design), row in zip(
                declared, self._shown(list(declared.values())), strict=True
            )
        ]
        power = f"For a power of {self.plan.power:g}, and what else would do"
        return {power if searched else "The same n_max, declared otherwise": rows}

    def label(self, row: PlanRow) -> str:
        """Return what a figure calls the scenario of a row."""
        return row.scenario

    def content(self) -> dict[str, Any]:
        """Additional JSON values."""
        return {}

    def plot_power(self) -> "Figure":
        """Draw power against n_max."""
        return plan_figures.plot_power(plan_figures.power_curves(self.plan), self.plan.power)

    def plot_stopping(self) -> "Figure":
        """Draw the chance of having reached the right verdict by each trial."""
        return plan_figures.plot_stopping(plan_figures.stopping_curves(self.plan))

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        drawn = {"power": self.plot_power(), "stopping": self.plot_stopping()}
        if any(entry.gap is not None for entry in self.plan.detectable):
            drawn["detectable"] = self.plan.plot_detectable()
        return drawn


@dataclass(frozen=True)
class OrderForecast:
    """A forecast of the order of all pairs, in words."""

    forecast: "ForecastResult"

    # The name under which the figure is saved, and what it shows across and upwards.
    FIGURE = "further", "further trials per policy", "chance that all pairs are decided"

    @property
    def decided(self) -> bool:
        """Whether every pair is decided already."""
        return all(pair.decided is not None for pair in self.forecast.pairs)

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        ahead = self.forecast
        seen = ", ".join(f"{name} {count}" for name, count in ahead.seen.items())
        if ahead.decided:
            return f"All pairs are already decided (trials: {seen}); no further trials are needed."
        chance = f"{ahead.chance:.2f} (standard error {ahead.chance_error:.2g})"
        if len(ahead.pairs) > 1:
            chance = (
                f"The chance that all pairs are decided by then is {chance}, and that at least one "
                f"more is, {ahead.chance_further:.2f}."
            )
        else:
            chance = f"The chance of a verdict by then is {chance}."
        more = f"{counted(round(ahead.mean_n), 'more trial')} per policy"
        so_far = f"Trials so far: {seen}, of at most {ahead.n_max} each."
        return f"{so_far} {chance} {ahead.continuing(more)}"

    def table(self) -> list[dict[str, Any]]:
        """Return one row per pair."""
        return [asdict(pair) for pair in self.forecast.pairs]

    def tables(self) -> dict[str, Rows]:
        """Return the pairs as people read them."""
        rows = [
            {
                "pair": f"{pair.policy0}, {pair.policy1}",
                "now": pair.decided or "undecided",
                "chance of a verdict": f"{pair.chance:.2f} ± {pair.chance_error:.1g}",
                "for the first": f"{pair.chance0:.2f}",
                "for the second": f"{pair.chance1:.2f}",
                **({} if pair.chance_same is None else {"the same": f"{pair.chance_same:.2f}"}),
            }
            for pair in self.forecast.pairs
        ]
        return {"Pairs at the end of the study": rows}

    def content(self) -> dict[str, Any]:
        """Additional JSON values."""
        return {}

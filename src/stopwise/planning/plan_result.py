"""The answer to "how many trials will it take?": frozen rows and one sentence that sums them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.planner import Detectable, Needed
from stopwise.planning.presentation import PlanningResult, Rows, hours_of
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.budget import Budget

# Fields of a row that its table has only where they say something.
SPECIAL = ("same",)
OF_BEST = ("mean_trials_error", "trial_quantiles", "mean_left", "what_if")
# Fields of a row that its table leaves out: the same in every row, and for figures only.
_NOT_IN_TABLE = ("policies", "times", "most_trials", *SPECIAL, *OF_BEST)


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanResult(PlanningResult):
    """What a study would need: a forecast from assumptions, which never affects validity.

    Attributes
    ----------
    rows
        One per scenario and n_max.
    detectable
        The smallest gap detected with the target power, by n_max.
    power
        The target power.
    rules
        What the studies declare; their n_max is that of each row.
    ties
        "strict" or "paper", as it holds: a method that splits its level itself is always strict.
    bounds_inferred
        Whether the bounds were taken from the data; if so, there is no guarantee.
    minutes_per_trial
        To convert trials to hours, or None.
    notes
        What is assumed, one sentence each.
    without_effect
        With binding futility: the same by n_max if the policies do not differ at all.
    robots
        How many run trials at the same time, for the hours.
    needed
        The study that reaches the target power; None where n_max was given, and with several
        scenarios.
    others
        By method and design: what else could be declared with the n_max of ``shown``.
    order_trials
        With the goal "best" and one scenario: expected trials of all policies together if all pairs
        were ordered, with the n_max of ``shown``.
    budget
        With a budget for more than two policies or several tasks: what each way to spend it finds.
    """

    rows: tuple[PlanRow, ...]
    detectable: tuple[Detectable, ...] = ()
    power: float
    rules: Rules
    ties: str
    bounds_inferred: bool
    minutes_per_trial: float | None
    notes: tuple[str, ...]
    without_effect: tuple[PlanRow, ...] = ()
    robots: int = 1
    needed: Needed | None = None
    others: Mapping[tuple[str, str], PlanRow] = field(default_factory=dict)
    order_trials: float | None = None
    budget: "Budget | None" = None

    SETTINGS: ClassVar[tuple[str, ...]] = (
        *PlanningResult.SETTINGS,
        *("policies", "alternative", "bounds"),
    )
    UNSAID: ClassVar[tuple[str, ...]] = ("rules", "order_trials", "budget")
    TITLE: ClassVar[str] = "How many trials will it take?"
    LEGEND: ClassVar[str] = (
        "Mean and quantiles are in trials per policy; totals are over all policies. "
        '"Fixed" is the total of a fixed-sample plan with the same power (at most '
        '.99), evaluated once at the end, and "saved" what the sequential study saves against it '
        "on average. Hours are those expected, and the maximum."
    )

    alternative = FromRules[str]("alternative", "Which policies may be declared better.")
    bounds = FromRules[tuple[float, float]]("bounds", "The range of the score.")

    @property
    def policies(self) -> int:
        """Number of policies that are tried."""
        return len(self.rules.reading.tried)

    def hours(self, trials: float) -> float | None:
        """Duration of this many trials, if ``minutes_per_trial`` is known."""
        known = self.minutes_per_trial
        # Robots work side by side, but a trial takes its time.
        return None if known is None else max(trials / self.robots, min(trials, 1)) * known / 60

    def hours_saved(self, row: PlanRow) -> float | None:
        """Trials saved against the fixed-sample plan, if known."""
        fixed = None if row.fixed_n is None else self.hours(row.fixed_n * row.policies)
        ends = self.hours(row.mean_trials)
        return None if fixed is None or ends is None else fixed - ends

    @property
    def assumed(self) -> Sequence[PlanRow]:
        """Rows of what is assumed, without those of "what if the two best are equal?"."""
        return [row for row in self.rows if not row.what_if]

    @property
    def single(self) -> bool:
        """Whether all these rows share one scenario."""
        return len({row.scenario for row in self.assumed}) == 1

    @property
    def advised(self) -> PlanRow | None:
        """The smallest n_max with the target power; None if there is none, or many scenarios."""
        enough = [row for row in self.assumed if row.power >= self.power]
        return min(enough, key=lambda row: row.n_max) if enough and self.single else None

    @property
    def shown(self) -> PlanRow:
        """The row that the sentence is about: what reaches the target power, or comes nearest."""
        return self.advised or self.assumed[-1] if self.needed is None else self.needed.row

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if not self.single:
            return f"{self._gap_sentence()}{self._nothing(self.rows[-1])} {self._caveat()}"
        row = self.shown
        power = (
            f"{row.power:.3f} (exact)"
            if row.exact
            else f"{row.power:.2f} (standard error {row.power_error:.2g})"
        )
        alone = len(self.rules.reading.run) == 1
        who = "the policy performs" if alone else "the policies perform"
        return (
            f"{self._shortfall()}If {who} as assumed ({row.scenario}), a study of "
            f"at most {self._trials(row.n_max)} reaches the right verdict with "
            f"probability {power}{self._ends(row)}. Half of such studies end within "
            f"{self._trials(row.n_quantiles[1])} (mean {row.mean_n:.0f})"
            f"{self._saving(row)}.{self._nothing(row)} {self._caveat()}"
        )

    def _shortfall(self) -> str:
        """What to declare, or that no n_max reaches the target power, as a sentence."""
        if self.needed is not None:
            return f"For a power of {self.power:g} declare n_max = {self.needed.row.n_max}. "
        if self.advised:
            return ""
        if len(self.assumed) > 1:
            return f"None of these n_max values reaches a power of {self.power:g}. "
        return f"n_max = {self.rows[0].n_max} does not reach a power of {self.power:g}. "

    def _trials(self, number: int) -> str:
        """So many trials of each policy that is tried, in words."""
        new = self.rules.reading.new
        each = "" if self.policies == 1 else " per policy"
        return f"{counted(number, f'{new}trial')}{each}"

    def _time(self, trials: float) -> str:
        hours = self.hours(trials)
        return "" if hours is None else f", {hours:.1f} hours"

    def _nothing(self, row: PlanRow) -> str:
        """How soon such a study ends for futility if there is nothing to find."""
        if self.needed is not None:
            most, equal = row.most_trials, self.needed.equal
            text = f" If they are equal, it takes nearly all {most} trials{self._time(most)}"
            if equal is None:
                return f"{text}."
            sooner = f"{equal.mean_trials:.0f} on average{self._time(equal.mean_trials)}"
            return f"{text}; with binding futility {sooner}."
        for equal in self.without_effect:
            if equal.n_max == row.n_max:
                return (
                    " If they do not differ at all, it ends undecided after "
                    f"{self._trials(round(equal.mean_n))} on average, instead of {row.n_max}: a "
                    "decision has become unlikely by then."
                )
        return ""

    def _ends(self, row: PlanRow) -> str:
        """Chance of each end where sameness is one of them."""
        if row.same is None:
            return ""
        pairs = "" if len(self.rules.policies) == 2 else " of the pairs"
        within = f"within {self.rules.equivalence:g}"
        same = f"{row.same:.2f}{pairs} as practically the same ({within})"
        return f"; {same}, {row.undecided:.2f} undecided, {row.wrong:.2g} with a false claim"

    def _saving(self, row: PlanRow) -> str:
        if row.trials_saved is None or row.fixed_n is None:
            return ""
        number = counted(round(abs(row.trials_saved)), "trial")
        hours = self.hours_saved(row)
        time = "" if hours is None else f" ({abs(hours):.1f} hours)"
        saves = row.trials_saved >= 0
        compared = f"saves {number}{time} of" if saves else f"takes {number}{time} more than"
        return (
            f"; on average, that {compared} the {row.fixed_n * row.policies} that "
            f"{row.fixed_test} needs for the same power"
        )

    def _gap_sentence(self) -> str:
        if not self.detectable:
            return "The rows give the power for each gap and n_max."
        found = [
            f"{score_text(entry.gap)} at n_max = {entry.n_max}"
            for entry in self.detectable
            if entry.gap is not None
        ]
        none = " or ".join(str(entry.n_max) for entry in self.detectable if entry.gap is None)
        if not found:
            return f"No gap is detected with power {self.power:g} at n_max = {none}."
        if none:
            found.append(f"none at n_max = {none}")
        return f"The smallest gap detected with power {self.power:g} is {', '.join(found)}."

    def _caveat(self) -> str:
        rules = self.rules
        asked = self.alternative
        if rules.margin:
            asked += f", better by more than {rules.margin:g}"
        if rules.margin < 0:
            asked = f"not worse by {-rules.margin:g} or more"
        parts = [self.method, asked]
        if len(rules.policies) > 2:
            parts.append(f"{self.adjust} adjustment")
        if len(rules.reading.run) > 1:
            parts.append(f"{self.design} design")
        if self.ties != "strict":
            parts.append("assuming that no two means are exactly equal")
        promised = self.promised(bounds_inferred=self.bounds_inferred)
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({', '.join(parts)})."
        )

    @property
    def legend(self) -> str:
        """What the tables need to be understood."""
        return self.LEGEND

    def label(self, row: PlanRow) -> str:
        """Label of a row in a figure."""
        return row.scenario

    def summary(self) -> dict[str, Any]:
        """Cost of ``shown`` in words."""
        (row,) = self.table([self.shown])
        return {
            "n_max": row["n_max"],
            "power": f"{row['power']:.2f}",
            "mean": f"{row['mean_n']:.1f}",
            "total": f"{row['mean_trials']:.0f}",
            **hours_of(row),
        }

    def table(self, rows: Sequence[PlanRow] | None = None) -> list[dict[str, Any]]:
        """Return one row per scenario and n_max; ``rows``: others than those of what is assumed."""
        return [
            {
                **{key: value for key, value in vars(row).items() if key not in _NOT_IN_TABLE},
                **{name: own for name in SPECIAL if (own := getattr(row, name)) is not None},
                **({} if row.what_if is None else {name: getattr(row, name) for name in OF_BEST}),
                "mean_hours": self.hours(row.mean_trials),
                "most_hours": self.hours(row.most_trials),
                "trials_saved": row.trials_saved,
                "hours_saved": self.hours_saved(row),
                "exact": row.exact,
            }
            for row in (self.rows if rows is None else rows)
        ]

    def text_tables(self) -> dict[str, Rows]:
        """Return its tables as people read them."""
        tables = {
            "What to expect": self._shown(self.rows),
            "If there is no difference": self._shown(self.without_effect),
            "Smallest detectable gap": self._gaps(),
        }
        return {**{title: rows for title, rows in tables.items() if rows}, **self._declared()}

    def _shown(self, rows: Sequence[PlanRow]) -> Rows:
        several = len({row.scenario for row in self.rows}) > 1  # one for each gap
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
                "fixed": "-" if row["fixed_n"] is None else row["fixed_n"] * self.policies,
                "saved": "-" if row["trials_saved"] is None else f"{row['trials_saved']:.0f}",
                **hours_of(row),
            }
            for row in self.table(rows)
        ]

    def _gaps(self) -> Rows:
        title = f"smallest gap detected with power {self.power:g}"
        rows = []
        for entry in self.detectable:
            gap = "none" if entry.gap is None else score_text(entry.gap)
            error = f" ± {entry.gap_error:.1g}" if entry.gap_error else ""
            rows.append({"n_max": entry.n_max, title: f"{gap}{error}"})
        return rows

    def _declared(self) -> dict[str, Rows]:
        """What to declare for the target power, and other methods and designs beside it."""
        if self.needed is None and not self.others:
            return {}
        declared = {(self.method, self.design): self.shown, **self.others}
        names = ("n_max", "power", "mean", "total", "hours", "max h")
        rows = [
            {
                "method": method,
                "design": design,
                **{name: row[name] for name in names if name in row},
            }
            for (method, design), row in zip(
                declared, self._shown([*declared.values()]), strict=True
            )
        ]
        title = f"For a power of {self.power:g}, and what else would do"
        return {"The same n_max, declared otherwise" if self.needed is None else title: rows}

    def _derived(self) -> dict[str, Any]:
        needed = None
        if self.needed is not None:
            equal = self.needed.equal
            needed = {
                "row": self.table([self.needed.row])[0],
                "equal": None if equal is None else self.table([equal])[0],
            }
        others = [
            {"method": method, "design": design, **self.table([row])[0]}
            for (method, design), row in self.others.items()
        ]
        nothing = {"without_effect": self.table(self.without_effect)}
        return {
            "rows": self.table(),
            "needed": needed,
            "others": others,
            **(nothing if self.without_effect else {}),
        }

    def plot_power(self) -> "Figure":
        """Draw power against n_max."""
        return plan_figures.plot_power(plan_figures.power_curves(self), self.power)

    def plot_stopping(self) -> "Figure":
        """Draw the chance of having reached the right verdict by each trial."""
        return plan_figures.plot_stopping(plan_figures.stopping_curves(self))

    def plot_detectable(self) -> "Figure":
        """Draw the smallest detectable gap against n_max."""
        return plan_figures.plot_detectable(self)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        drawn = {"power": self.plot_power(), "stopping": self.plot_stopping()}
        if any(entry.gap is not None for entry in self.detectable):
            drawn["detectable"] = self.plot_detectable()
        return drawn

"""The answer to "how many trials will it take?": frozen rows and one sentence that sums them up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.presentation import PER_POLICY, PlanningResult, Rows
from stopwise.planning.smallest_gap import Detectable
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.needed import Needed

# Fields of a row that its table has only where they say something.
SPECIAL = ("same", "human_scores")
# Fields of a row that its table leaves out: the same in every row, and for figures only.
_NOT_IN_TABLE = ("policies", "times", *SPECIAL)


@dataclass(frozen=True, kw_only=True)
class Plan(PlanningResult):
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
    proxy, without_proxy
        The correlation of a simulator or a judge, and the plan without it; or None.
    """

    rows: tuple[PlanRow, ...]
    detectable: tuple[Detectable, ...]
    power: float
    rules: Rules
    ties: str
    bounds_inferred: bool
    minutes_per_trial: float | None
    notes: tuple[str, ...]
    without_effect: tuple[PlanRow, ...] = ()
    robots: int = 1
    needed: "Needed | None" = None
    proxy: float | None = None
    without_proxy: "Plan | None" = None

    SETTINGS: ClassVar[tuple[str, ...]] = (
        *PlanningResult.SETTINGS,
        *("policies", "alternative", "bounds"),
    )
    TITLE: ClassVar[str] = "How many trials will it take?"
    LEGEND: ClassVar[str] = (
        f'{PER_POLICY} "Fixed" is the total of a fixed-sample plan with the same power (at most '
        '.99), evaluated once at the end, and "saved" what the sequential study saves against it '
        "on average. Hours are those expected, and the maximum."
    )

    alternative = FromRules[str]("alternative", "Which policies may be declared better.")
    bounds = FromRules[tuple[float, float]]("bounds", "The range of the score.")

    @property
    def policies(self) -> int:
        """Number of policies that are tried."""
        return len(self.rules.new_policies)

    def hours(self, trials: float) -> float | None:
        """Return how long this many trials take, if ``minutes_per_trial`` is known."""
        known = self.minutes_per_trial
        # Robots work side by side, but a trial takes its time.
        return None if known is None else max(trials / self.robots, min(trials, 1)) * known / 60

    def hours_saved(self, row: PlanRow) -> float | None:
        """Return how much sooner than the fixed-sample plan such a study ends, if that is known."""
        fixed = None if row.fixed_n is None else self.hours(row.fixed_n * row.policies)
        ends = self.hours(row.mean_trials)
        return None if fixed is None or ends is None else fixed - ends

    @property
    def _assumed(self) -> Sequence[PlanRow]:
        """Rows of what is assumed."""
        return self.rows

    @property
    def single(self) -> bool:
        """Whether all these rows share one scenario."""
        return len({row.scenario for row in self._assumed}) == 1

    def label(self, row: PlanRow) -> str:
        """Return what a figure calls the scenario of a row."""
        return row.scenario

    @property
    def advised(self) -> PlanRow | None:
        """The smallest n_max with the target power; None if there is none, or many scenarios."""
        enough = [row for row in self._assumed if row.power >= self.power]
        return min(enough, key=lambda row: row.n_max) if enough and self.single else None

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if not self.single:
            return f"{self._gap_sentence()}{self._nothing(self.rows[-1])} {self._caveat()}"
        row = self.advised or self.rows[-1] if self.needed is None else self.needed.row
        power = (
            f"{row.power:.3f} (exact)"
            if row.exact
            else f"{row.power:.2f} (standard error {row.power_error:.2g})"
        )
        alone = len(self.rules.run_policies) == 1
        who = "the policy performs" if alone else "the policies perform"
        return (
            f"{self._shortfall()}If {who} as assumed ({row.scenario}), a study of "
            f"at most {self._trials(row.n_max)} reaches the right verdict with "
            f"probability {power}{self._ends(row)}. Half of such studies end within "
            f"{self._trials(row.n_quantiles[1])} (mean {row.mean_n:.0f})"
            f"{self._saving(row)}.{self._beside(row)}{self._nothing(row)} {self._caveat()}"
        )

    def _beside(self, row: PlanRow) -> str:
        """Return what people score, and what the study would be without a proxy."""
        other = self.without_proxy
        if other is None:
            return ""
        beside = next((own for own in other.rows if own.n_max == row.n_max), other.rows[-1])
        found = f"a power of {beside.power:.2f}"
        if self.needed is not None and other.needed is not None:
            beside = other.needed.row
            found = f"n_max = {beside.n_max}"
        people, everything = "", ""
        if row.human_scores is not None:
            of = f"of the {row.mean_trials:.0f} trials on average"
            people = f" People score {row.human_scores:.0f} {of}."
            everything = ", all scored by people"
        mean = f"{self._trials(round(beside.mean_n))} on average{everything}"
        return f"{people} Without the {self._who}: {found}, {mean}."

    def _trials(self, number: int) -> str:
        """Return so many trials of each policy that is tried, in words."""
        new = "new " if self.rules.stored else ""
        each = "" if self.policies == 1 else " per policy"
        return f"{counted(number, f'{new}trial')}{each}"

    def _time(self, trials: float) -> str:
        hours = self.hours(trials)
        return "" if hours is None else f", {hours:.1f} hours"

    def _nothing(self, row: PlanRow) -> str:
        """Return how soon such a study ends for futility if there is nothing to find."""
        if self.needed is not None:
            most, equal = row.most_trials, self.needed.equal
            text = f" If they are equal, it takes nearly all {most} trials{self._time(most)}"
            if equal is None:
                return f"{text}."
            sooner = f"{equal.mean_trials:.0f} on average{self._time(equal.mean_trials)}"
            return f"{text}; with binding futility {sooner}."
        found = [own for own in self.without_effect if own.n_max == row.n_max]
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
        pairs = "" if len(self.rules.policies) == 2 else " of the pairs"
        same = f"{row.same:.2f}{pairs} as practically the same (within {self.rules.equivalence:g})"
        return f"; {same}, {row.undecided:.2f} undecided, {row.wrong:.2g} with a false claim"

    def _shortfall(self) -> str:
        if self.needed is not None:
            return f"For a power of {self.power:g} declare n_max = {self.needed.row.n_max}. "
        if self.advised:
            return ""
        if len(self._assumed) > 1:
            return f"None of these n_max values reaches a power of {self.power:g}. "
        return f"n_max = {self.rows[0].n_max} does not reach a power of {self.power:g}. "

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
        share = "" if len(self.rules.policies) == 2 else f", {self.adjust} adjustment"
        ties = "" if self.ties == "strict" else ", assuming that no two means are exactly equal"
        promised = self._promised(bounds_inferred=self.bounds_inferred)
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({self.method}, {self._asked()}{share}{self._design}{ties})."
        )

    @property
    def _design(self) -> str:
        """The design, which only trials of several policies have."""
        return "" if len(self.rules.run_policies) == 1 else f", {self.design} design"

    def _asked(self) -> str:
        """Return in which directions is asked, and with what margin."""
        margin = self.rules.margin
        if margin < 0:
            return f"not worse by {-margin:g} or more"
        return self.alternative + (f", better by more than {margin:g}" if margin else "")

    def table(self, rows: Sequence[PlanRow] | None = None) -> list[dict[str, Any]]:
        """Return one row per scenario and n_max; ``rows``: others than those of what is assumed."""
        return [
            {
                **{key: value for key, value in vars(row).items() if key not in _NOT_IN_TABLE},
                **{name: own for name in SPECIAL if (own := getattr(row, name)) is not None},
                "mean_hours": self.hours(row.mean_trials),
                "most_hours": self.hours(row.most_trials),
                "trials_saved": row.trials_saved,
                "hours_saved": self.hours_saved(row),
                "exact": row.exact,
            }
            for row in (self.rows if rows is None else rows)
        ]

    def text_tables(self) -> dict[str, Rows]:
        """Return the rows and the smallest gaps as people read them."""
        nothing = {"If there is no difference": self._shown(self.without_effect)}
        return {
            "What to expect": self._compared(Plan._shown),
            **(nothing if self.without_effect else {}),
            **({"Smallest detectable gap": self._gaps()} if self.detectable else {}),
            **self._other_studies(),
        }

    def _shown(self, rows: Sequence[PlanRow] | None = None) -> Rows:
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
                **({"people": f"{row['human_scores']:.0f}"} if "human_scores" in row else {}),
                "fixed": "-" if row["fixed_n"] is None else row["fixed_n"] * self.policies,
                "saved": "-" if row["trials_saved"] is None else f"{row['trials_saved']:.0f}",
                **hours_of(row),
            }
            for row in self.table(rows)
        ]

    def _gaps(self) -> Rows:
        return [
            {
                "n_max": entry.n_max,
                f"smallest gap detected with power {self.power:g}": "none"
                if entry.gap is None
                else score_text(entry.gap)
                + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
            }
            for entry in self.detectable
        ]

    @property
    def _who(self) -> str:
        """What the proxy is."""
        return "simulator" if self.rules.audit is None else "judge"

    def _compared(self, rows_of: Callable[["Plan"], Rows]) -> Rows:
        """Return rows of this plan, and of the one without a proxy, where people score all."""
        own, other = rows_of(self), self.without_proxy
        if other is None or not own:
            return own
        own = [{self._who: f"{self.proxy:g}", **row} for row in own]
        rest = [{self._who: "none", "people": row["total"], **row} for row in rows_of(other)]
        return own + [{name: row[name] for name in own[0]} for row in rest]

    def _other_studies(self) -> dict[str, Rows]:
        """Return what to declare for the target power, and other methods and designs beside it."""
        rows = self._compared(Plan._declared)
        title = f"For a power of {self.power:g}, and what else would do"
        return {title: rows} if rows else {}

    def _declared(self) -> Rows:
        if self.needed is None:
            return []
        found = {(self.method, self.design): self.needed.row, **self.needed.others}
        shown = ("n_max", "power", "mean", "total", "people", "hours", "max h")
        return [
            {
                "method": method,
                "design": design,
                **{name: row[name] for name in shown if name in row},
            }
            for (method, design), row in zip(found, self._shown(list(found.values())), strict=True)
        ]

    def _derived(self) -> dict[str, Any]:
        nothing = {"without_effect": self.table(self.without_effect)}
        needed = None
        if self.needed is not None:
            equal = self.needed.equal
            needed = {
                "row": self.table([self.needed.row])[0],
                "equal": None if equal is None else self.table([equal])[0],
                "others": [
                    {"method": method, "design": design, **self.table([row])[0]}
                    for (method, design), row in self.needed.others.items()
                ],
            }
        other = self.without_proxy
        return {
            "rows": self.table(),
            "needed": needed,
            **(nothing if self.without_effect else {}),
            "audit": self.rules.audit,
            "without_proxy": None if other is None else other.to_dict(),
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


def hours_of(row: dict[str, Any]) -> dict[str, str]:
    """Return the hours of a row of a table, if a trial takes a known time."""
    if row["mean_hours"] is None:
        return {}
    return {"hours": f"{row['mean_hours']:.1f}", "max h": f"{row['most_hours']:.1f}"}

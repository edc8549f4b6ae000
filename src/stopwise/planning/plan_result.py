"""The answer to "how many trials will it take?": frozen rows and one sentence that sums them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from stopwise.core.rules import Rules
from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.planning.ends import Ends, quantiles
from stopwise.planning.fixed_sample import FixedPlan
from stopwise.planning.presentation import PlanningResult, Rows, hours_of
from stopwise.planning.scenarios import Scenario
from stopwise.report.plan_figures import ChanceCurve, plot_chances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.budget import Budget

# Fields of a row that its table leaves out, and those that it has with the goal "best" only.
HIDDEN = ("policies", "times", "most_trials")
OF_BEST = ("mean_trials_error", "trial_quantiles", "mean_left", "what_if")


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """What to expect of a study with this n_max, if the policies perform as assumed.

    Attributes
    ----------
    scenario, gap
        What is assumed, and the smallest gap between two means, in units of the score.
    n_max
        Maximum number of trials per policy.
    power, power_error
        Chance of the right verdict by n_max (with many policies: on every pair that differs), and
        its standard error, 0 if computed exactly.
    wrong, undecided
        Chance of a false verdict, and of still being undecided at n_max.
    same
        With ``equivalence``: chance that the study ends as "practically the same" (with many
        policies the expected share of such pairs), else None. It is right if the means are closer
        than declared.
    pair_power
        Expected share of the differing pairs that are decided correctly.
    mean_n, mean_n_error
        Expected trials per policy until the study ends, and its standard error.
    n_quantiles
        Trials per policy within which 10, 50 and 90 % of studies end.
    mean_trials
        Expected trials of all policies together.
    fixed_n, fixed_test
        Trials per policy, and the test, of the fixed-sample plan with equal power (at most .99),
        evaluated once at the end; None if there is none.
    policies, runs
        Number of policies, and of simulated studies (None if computed exactly).
    times
        When and how the studies end, for the figures.
    most_trials
        The most trials, over all policies, that the study can take.
    mean_trials_error, trial_quantiles, mean_left, what_if
        With the goal "best", else None: the standard error of ``mean_trials``; the trials of all
        policies together within which 10, 50 and 90 % of studies end; the mean number of candidates
        left where none is named (None if one always is); and whether this is "what if the two best
        are equal?", not what is assumed. There the verdict is right if the one named is the best,
        or within the indifference of it; ``gap`` is that between the two best; ``n_max``,
        ``mean_n`` and ``n_quantiles`` count rows; and ``pair_power`` is the expected share of the
        policies that are not the best which are ruled out.
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
    times: Ends = field(repr=False, compare=False)
    most_trials: int
    same: float | None = None
    mean_trials_error: float | None = None
    trial_quantiles: tuple[int, int, int] | None = None
    mean_left: float | None = None
    what_if: bool | None = None

    @classmethod
    def of(
        cls,
        ends: Ends,
        scenario: Scenario,
        rules: Rules,
        *,
        fixed: FixedPlan | None = None,
        what_if: bool | None = None,
    ) -> Self:
        """Row of studies that end so."""
        best: dict[str, Any] = {
            "mean_trials_error": ends.mean_trials_error,
            "trial_quantiles": quantiles(ends.spent[0]),
            "mean_left": ends.mean_left,
            "what_if": what_if,
        }
        return cls(
            scenario=scenario.text,
            gap=(scenario.gap if what_if is None else scenario.lead) * rules.scale.span,
            n_max=rules.n_max or 0,
            power=ends.power,
            power_error=ends.power_error,
            wrong=ends.chance(ends.wrong.sum()),
            undecided=ends.chance(ends.undecided.sum()),
            pair_power=ends.share / ends.total,
            mean_n=ends.mean_n,
            mean_n_error=ends.mean_n_error,
            n_quantiles=quantiles(ends.by_row),
            mean_trials=ends.mean_trials,
            fixed_n=None if fixed is None else fixed.n,
            fixed_test=None if fixed is None else fixed.test,
            policies=len(rules.reading.tried),
            runs=ends.runs,
            times=ends,
            most_trials=ends.spent.shape[1] - 1,
            same=None if rules.equivalence is None else ends.same / ends.total,
            **({} if what_if is None else best),
        )

    @property
    def exact(self) -> bool:
        """Whether the row was computed, not simulated."""
        return self.runs is None

    @property
    def trials_saved(self) -> float | None:
        """Average trials, over all policies, saved against the fixed-sample plan."""
        return None if self.fixed_n is None else self.fixed_n * self.policies - self.mean_trials


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """The smallest gap that is detected with the target power.

    Attributes
    ----------
    n_max
        Trials per policy.
    gap
        In units of the score; None if no gap within the bounds is detected so surely.
    gap_error
        Its standard error, 0 if exact.
    """

    n_max: int
    gap: float | None
    gap_error: float


class Needed(NamedTuple):
    """The study that reaches the target power, and the same if the policies are equal."""

    row: PlanRow
    equal: PlanRow | None  # with binding futility; None where there is no such stop


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

    SETTINGS: ClassVar[tuple[str, ...]] = (*PlanningResult.SETTINGS, "alternative", "bounds")
    UNSAID: ClassVar[tuple[str, ...]] = ("rules", "order_trials", "budget")
    TITLE: ClassVar[str] = "How many trials will it take?"
    LEGEND: ClassVar[str] = (
        "Mean and quantiles are in trials per policy; totals are over all policies. "
        '"Fixed" is the total of a fixed-sample plan with the same power (at most '
        '.99), evaluated once at the end, and "saved" what the sequential study saves against it '
        "on average. Hours are those expected, and the maximum."
    )
    # What the figures show across and upwards.
    POWER: ClassVar[tuple[str, str]] = (
        "maximum number of trials per policy (n_max)",
        "chance of the right verdict",
    )

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
        """Hours saved against the fixed-sample plan, if known."""
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
            return f"{self._gap_sentence()}{self._if_equal(self.rows[-1])} {self._caveat()}"
        row = self.shown
        power = f"{row.power:.2f} (standard error {row.power_error:.2g})"
        if row.exact:
            power = f"{row.power:.3f} (exact)"
        alone = len(self.rules.reading.run) == 1
        who = "the policy performs" if alone else "the policies perform"
        return (
            f"{self._shortfall()}If {who} as assumed ({row.scenario}), a study of "
            f"at most {self._trials(row.n_max)} reaches the right verdict with "
            f"probability {power}{self._ends(row)}. Half of such studies end within "
            f"{self._trials(row.n_quantiles[1])} (mean {row.mean_n:.0f})"
            f"{self._saving(row)}.{self._if_equal(row)} {self._caveat()}"
        )

    def _shortfall(self) -> str:
        """What to declare, or that no n_max reaches the target power."""
        if self.needed is not None:
            return f"For a power of {self.power:g} declare n_max = {self.needed.row.n_max}. "
        if self.advised:
            return ""
        if len(self.assumed) > 1:
            return f"None of these n_max values reaches a power of {self.power:g}. "
        return f"n_max = {self.rows[0].n_max} does not reach a power of {self.power:g}. "

    def _trials(self, number: int) -> str:
        each = "" if self.policies == 1 else " per policy"
        return f"{counted(number, f'{self.rules.reading.new}trial')}{each}"

    def _time(self, trials: float) -> str:
        hours = self.hours(trials)
        return "" if hours is None else f", {hours:.1f} hours"

    def _if_equal(self, row: PlanRow) -> str:
        """How soon such a study ends if there is nothing to find."""
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
        same = f"{row.same:.2f}{pairs} as practically the same (within {self.rules.equivalence:g})"
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
        asked = rules.alternative
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
        return (
            f"This is a forecast from assumptions; whether or not they hold, {self.promised()} "
            f"({', '.join(parts)})."
        )

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
        found = []
        for row in self.rows if rows is None else rows:
            left_out = {*HIDDEN, *(() if row.what_if is not None else OF_BEST)}
            left_out |= {"same"} if row.same is None else set()
            found.append(
                {
                    **{key: value for key, value in vars(row).items() if key not in left_out},
                    "mean_hours": self.hours(row.mean_trials),
                    "most_hours": self.hours(row.most_trials),
                    "trials_saved": row.trials_saved,
                    "hours_saved": self.hours_saved(row),
                    "exact": row.exact,
                }
            )
        return found

    def text_tables(self) -> dict[str, Rows]:
        """Return its tables as people read them."""
        title = f"smallest gap detected with power {self.power:g}"
        gaps = [
            {
                "n_max": entry.n_max,
                title: ("none" if entry.gap is None else score_text(entry.gap))
                + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
            }
            for entry in self.detectable
        ]
        # What to declare, and other methods and designs beside it.
        declared = {(self.method, self.design): self.shown, **self.others}
        columns = ("n_max", "power", "mean", "total", "hours", "max h")
        declarations = [
            {
                "method": method,
                "design": design,
                **{name: row[name] for name in columns if name in row},
            }
            for (method, design), row in zip(
                declared, self._shown([*declared.values()]), strict=True
            )
        ]
        caption = "The same n_max, declared otherwise"
        if self.needed is not None:
            caption = f"For a power of {self.power:g}, and what else would do"
        tables = {
            "What to expect": self._shown(self.rows),
            "If there is no difference": self._shown(self.without_effect),
            "Smallest detectable gap": gaps,
            caption: declarations if self.needed is not None or self.others else [],
        }
        return {title: rows for title, rows in tables.items() if rows}

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

    def _derived(self) -> dict[str, Any]:
        def row_of(row: PlanRow | None) -> dict[str, Any] | None:
            return None if row is None else self.table([row])[0]

        others = [
            {"method": method, "design": design, **self.table([row])[0]}
            for (method, design), row in self.others.items()
        ]
        nothing = {"without_effect": self.table(self.without_effect)}
        return {
            "policies": self.policies,
            "rows": self.table(),
            "needed": self.needed
            and {name: row_of(row) for name, row in self.needed._asdict().items()},
            "others": others,
            **(nothing if self.without_effect else {}),
        }

    def power_curves(self) -> list[ChanceCurve]:
        """A curve of power against n_max for each scenario."""
        curves = []
        for scenario in dict.fromkeys(row.scenario for row in self.rows):
            rows = [row for row in self.rows if row.scenario == scenario]
            n, power, error = np.array([(row.n_max, row.power, row.power_error) for row in rows]).T
            curves.append(ChanceCurve(self.label(rows[0]), power, n, error))
        return curves

    def stopping_curves(self) -> list[ChanceCurve]:
        """A curve by trial for each row; with several scenarios, of the largest n_max only."""
        largest = max(row.n_max for row in self.rows)
        return [
            ChanceCurve(
                f"n_max {row.n_max}" if self.single else self.label(row),
                np.concatenate([[0.0], row.times.chance_by()]),
            )
            for row in self.rows
            if self.single or row.n_max == largest
        ]

    def plot_power(self) -> "Figure":
        """Draw power against n_max."""
        return plot_chances(self.power_curves(), *self.POWER, target=self.power)

    def plot_stopping(self) -> "Figure":
        """Draw the chance of having reached the right verdict by each trial."""
        upwards = "chance of having reached the right verdict"
        return plot_chances(self.stopping_curves(), "trials per policy", upwards)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        return {"power": self.plot_power(), "stopping": self.plot_stopping()}

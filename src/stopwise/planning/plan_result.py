"""The answer to "how many trials will it take?": frozen rows and one sentence that sums them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.core.rules import FromRules, Rules
from stopwise.planning.best_words import BestPlan
from stopwise.planning.budget import Budget, BudgetPlan
from stopwise.planning.order_words import OrderPlan
from stopwise.planning.plan_row import PlanRow
from stopwise.planning.presentation import PlanningResult, Rows, hours_of
from stopwise.planning.smallest_gap import Detectable
from stopwise.report import plan_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.needed import Needed

# Fields of a row that its table has only where they say something.
SPECIAL = ("same",)
OF_BEST = ("mean_trials_error", "trial_quantiles", "mean_left", "what_if")
# Fields of a row that its table leaves out: the same in every row, and for figures only.
_NOT_IN_TABLE = ("policies", "times", "most_trials", *SPECIAL, *OF_BEST)


@dataclass(frozen=True, kw_only=True)
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
    others: Mapping[tuple[str, str], PlanRow] = field(default_factory=dict)
    order_trials: float | None = None
    budget: Budget | None = None

    SETTINGS: ClassVar[tuple[str, ...]] = (
        *PlanningResult.SETTINGS,
        *("policies", "alternative", "bounds"),
    )
    UNSAID: ClassVar[tuple[str, ...]] = ("rules", "order_trials", "budget")
    TITLE: ClassVar[str] = "How many trials will it take?"

    alternative = FromRules[str]("alternative", "Which policies may be declared better.")
    bounds = FromRules[tuple[float, float]]("bounds", "The range of the score.")

    @property
    def words(self) -> OrderPlan | BestPlan:
        """What it says, by the goal."""
        if self.budget is not None:
            return BudgetPlan(self)
        return (BestPlan if self.rules.goal == "best" else OrderPlan)(self)

    @property
    def policies(self) -> int:
        """Number of policies that are tried."""
        return len(self.rules.reading.tried)

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
        return self.words.sentence

    @property
    def legend(self) -> str:
        """What the tables need to be understood."""
        return self.words.LEGEND

    def shortfall(self) -> str:
        """Return what to declare, or that no n_max reaches the target power, as a sentence."""
        if self.needed is not None:
            return f"For a power of {self.power:g} declare n_max = {self.needed.row.n_max}. "
        if self.advised:
            return ""
        if len(self.assumed) > 1:
            return f"None of these n_max values reaches a power of {self.power:g}. "
        return f"n_max = {self.rows[0].n_max} does not reach a power of {self.power:g}. "

    def label(self, row: PlanRow) -> str:
        """Return what a figure calls a row."""
        return self.words.label(row)

    def summary(self) -> dict[str, Any]:
        """Return what ``shown`` takes, as people read it."""
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
        return self.words.tables()

    def _derived(self) -> dict[str, Any]:
        nothing = {"without_effect": self.table(self.without_effect)}
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
        return {
            "rows": self.table(),
            "needed": needed,
            "others": others,
            **(nothing if self.without_effect else {}),
            **self.words.content(),
        }

    def plot_power(self) -> "Figure":
        """Draw power against n_max."""
        return self.words.plot_power()

    def plot_stopping(self) -> "Figure":
        """Draw the chance of having reached the right verdict by each trial."""
        return self.words.plot_stopping()

    def plot_detectable(self) -> "Figure":
        """Draw the smallest detectable gap against n_max."""
        return plan_figures.plot_detectable(self)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        return self.words.figures()

"""The answer to "how many trials will it take?": frozen rows and one sentence that sums them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.rules import Rules
from stopwise.core.scores import score_text
from stopwise.messages import counted
from stopwise.planning.ends import Ends, quantiles
from stopwise.planning.fixed_sample import FixedPlan
from stopwise.planning.presentation import PlanningResult, Rows
from stopwise.planning.scenarios import Scenario
from stopwise.report.curves import ChanceCurve, plot_chances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Fields of a row that its table leaves out.
HIDDEN = ("policies", "chance_by", "most_trials")


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """What to expect of a study with this n_max, if the policies perform as assumed.

    With the goal "best" the verdict is right if the one named is the best, or within the
    indifference of it, ``gap`` is that between the two best, and numbers per policy count rows.

    Attributes
    ----------
    scenario, gap, n_max
        What is assumed, the smallest gap between two means, and the most trials per policy.
    power, power_error
        Chance of the right verdict (on every pair that differs), and its standard error.
    wrong, undecided, same
        Chances of a false verdict, of none, and with ``equivalence`` that policies end as
        practically the same (of many the expected share of such pairs), else None.
    pair_power
        Expected share of the differing pairs that are decided correctly; with the goal "best", of
        the other policies that are ruled out.
    mean_n, mean_n_error, n_quantiles
        Trials per policy until the study ends: the mean, its standard error, and within which 10,
        50 and 90 % of studies end.
    mean_trials, most_trials
        Expected trials of all policies together, and the most.
    fixed_n, fixed_test
        Trials per policy, and the test, of the fixed-sample plan with equal power (at most .99),
        evaluated once at the end; None if there is none.
    policies, runs
        Number of policies, and of simulated studies.
    chance_by
        Chance of the right verdict within 0, 1, 2, ... trials per policy.
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
    runs: int
    chance_by: Floats = field(repr=False, compare=False)
    most_trials: int
    same: float | None = None

    @classmethod
    def of(
        cls, ends: Ends, scenario: Scenario, rules: Rules, fixed: FixedPlan | None = None
    ) -> Self:
        """Row of studies that end so."""
        gap = scenario.lead if rules.goal == "best" else scenario.gap
        return cls(
            scenario=scenario.text,
            gap=gap * rules.scale.span,
            n_max=rules.n_max or 0,
            power=ends.power,
            power_error=ends.power_error,
            wrong=ends.chance(ends.wrong.sum()),
            undecided=ends.chance(ends.undecided.sum()),
            pair_power=ends.share / ends.runs,
            mean_n=ends.mean_n,
            mean_n_error=ends.mean_n_error,
            n_quantiles=quantiles(ends.by_row),
            mean_trials=ends.mean_trials,
            fixed_n=None if fixed is None else fixed.n,
            fixed_test=None if fixed is None else fixed.test,
            policies=len(rules.reading.tried),
            runs=ends.runs,
            chance_by=ends.chance_by(),
            most_trials=ends.most_trials,
            same=None if rules.equivalence is None else ends.same / ends.runs,
        )

    @property
    def trials_saved(self) -> float | None:
        """Average trials, over all policies, saved against the fixed-sample plan."""
        return None if self.fixed_n is None else self.fixed_n * self.policies - self.mean_trials


@dataclass(frozen=True, kw_only=True)
class Detectable:
    """The smallest gap, in units of the score, that is detected with the target power.

    ``gap`` is None if no gap within the bounds is; ``gap_error`` is its standard error.
    """

    n_max: int
    gap: float | None
    gap_error: float

    @property
    def text(self) -> str:
        return "none" if self.gap is None else f"{score_text(self.gap)} ± {self.gap_error:.1g}"


@dataclass(frozen=True, kw_only=True, repr=False)
class PlanResult(PlanningResult):
    """What a study would need: a forecast from assumptions, which never affects validity.

    Attributes
    ----------
    rows
        One per scenario and n_max.
    detectable
        The smallest gap detected with the target ``power``, by n_max.
    equal
        The same rows if the policies do not differ at all, where binding futility ends such
        studies; with the goal "best", if the two best are equal.
    needed
        The study that reaches the target power; None where n_max was given, and with several
        scenarios.
    others
        For two policies: the study ``shown``, run in pairs or declared with the method "step".
    rules, ties
        What the studies declare, and how ties count; their n_max is that of each row.
    bounds_inferred, notes
        Whether the bounds were taken from the data, which voids the guarantee; what is assumed.
    minutes_per_trial, robots
        To convert trials to hours.
    """

    rows: tuple[PlanRow, ...]
    detectable: tuple[Detectable, ...] = ()
    power: float
    rules: Rules
    ties: str
    bounds_inferred: bool
    minutes_per_trial: float | None
    notes: tuple[str, ...]
    equal: tuple[PlanRow, ...] = ()
    robots: int = 1
    needed: PlanRow | None = None
    others: Mapping[str, PlanRow] = field(default_factory=dict)

    TITLE: ClassVar[str] = "How many trials will it take?"
    LEGEND: ClassVar[str] = (
        "Mean and quantiles are in trials per policy, or in rows if only the best is asked for; "
        'totals are over all policies. "Fixed" is the total of a fixed-sample plan with the same '
        'power (at most .99), evaluated once at the end, and "saved" what the sequential study '
        "saves against it on average. A paired study runs both policies on each scene; r is the "
        "correlation of their scores. Equal policies are given up as futile where that is binding. "
        "Hours are those expected, and the maximum."
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

    @property
    def single(self) -> bool:
        """Whether all rows share one scenario."""
        return len({row.scenario for row in self.rows}) == 1

    @property
    def advised(self) -> PlanRow | None:
        """The smallest n_max with the target power; None if there is none, or many scenarios."""
        enough = [row for row in self.rows if row.power >= self.power]
        return min(enough, key=lambda row: row.n_max) if enough and self.single else None

    @property
    def shown(self) -> PlanRow:
        """The row that the sentence is about: what reaches the target power, or comes nearest."""
        return self.needed or self.advised or self.rows[-1]

    @property
    def sentence(self) -> str:
        """What to expect, in words, and what it rests on."""
        if not self.single:
            return f"{self._gap_sentence()} {self._caveat()}"
        row = self.shown
        power = f"{row.power:.2f} (standard error {row.power_error:.2g})"
        who = "the policy performs" if len(self.rules.reading.run) == 1 else "the policies perform"
        ends = "reaches the right verdict"
        if self.of_best:
            within = self.rules.indifference
            near = f"one within {within:g} of " if within else ""
            ends = f"names {near}the best of {self.policies}"
        together = f", {row.mean_trials:.0f} trials of all together" if self.of_best else ""
        return (
            f"{self._shortfall()}If {who} as assumed ({row.scenario}), a study of at most "
            f"{self._limit(row.n_max)} {ends} with probability {power}{self._otherwise(row)}. "
            f"Half of such studies end within {self._limit(row.n_quantiles[1])} (mean "
            f"{row.mean_n:.0f}{together}){self._saving(row)}.{self._if_equal(row)} "
            f"{self._caveat()}"
        )

    def _shortfall(self) -> str:
        """What to declare, or that no n_max reaches the target power."""
        if self.needed is not None:
            return f"For a power of {self.power:g} declare n_max = {self.needed.n_max}. "
        if self.advised:
            return ""
        if len(self.rows) > 1:
            return f"None of these n_max values reaches a power of {self.power:g}. "
        return f"n_max = {self.rows[0].n_max} does not reach a power of {self.power:g}. "

    def _limit(self, number: int) -> str:
        return f"{number} {self.rules.reading.new}{self.per}"

    def _time(self, trials: float) -> str:
        hours = self.hours(trials)
        return "" if hours is None else f", {hours:.1f} hours"

    def _if_equal(self, row: PlanRow) -> str:
        """How soon such a study ends if there is nothing to find."""
        equal = next((one for one in self.equal if one.n_max == row.n_max), None)
        who, takes = "the two best" if self.of_best else "they", ""
        if self.needed is not None:
            takes = f"nearly all {row.most_trials} trials{self._time(row.most_trials)}"
        if equal is not None:
            binding = f"{takes}; with binding futility " if takes else ""
            mean = f"{equal.mean_trials:.0f} trials on average{self._time(equal.mean_trials)}"
            takes = f"{binding}{mean}"
            if self.of_best:
                takes += f" and names a right one with probability {equal.power:.2f}"
        return f" If {who} are equal, it takes {takes}." if takes else ""

    def _otherwise(self, row: PlanRow) -> str:
        """Chances of other ends where they are part of the answer."""
        if self.of_best:
            none = f", and none with probability {row.undecided:.2f}"
            return none if round(row.undecided, 2) else ""
        if row.same is None:
            return ""
        pairs = "" if len(self.rules.policies) == 2 else " of the pairs"
        same = f"{row.same:.2f}{pairs} as practically the same (within {self.rules.equivalence:g})"
        return f"; {same}, {row.undecided:.2f} undecided, {row.wrong:.2g} with a false claim"

    def _saving(self, row: PlanRow) -> str:
        if row.trials_saved is None or row.fixed_n is None:
            return ""
        number = counted(round(abs(row.trials_saved)), "trial")
        compared = f"saves {number} of" if row.trials_saved >= 0 else f"takes {number} more than"
        return (
            f"; on average, that {compared} the {row.fixed_n * row.policies} that "
            f"{row.fixed_test} needs for the same power"
        )

    def _gap_sentence(self) -> str:
        if not self.detectable:
            return "The rows give the power for each gap and n_max."
        gaps = ", ".join(f"{one.text} at n_max = {one.n_max}" for one in self.detectable)
        return f"The smallest gap detected with power {self.power:g} is {gaps}."

    def _caveat(self) -> str:
        rules, asked = self.rules, self.rules.alternative
        if rules.margin:
            asked += f", better by more than {rules.margin:g}"
        if rules.margin < 0:
            asked = f"not worse by {-rules.margin:g} or more"
        parts = [self.method, "best only" if self.of_best else asked]
        if len(rules.policies) > 2 and not self.of_best:
            parts.append(f"{self.adjust} adjustment")
        if len(rules.reading.run) > 1:
            parts.append(f"{self.design} design")
        if self.ties != "strict":
            parts.append("assuming that no two means are exactly equal")
        return (
            f"This is a forecast from assumptions; whether or not they hold, {self.promised()} "
            f"({', '.join(parts)})."
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per scenario and n_max."""
        return list(map(self.cells, self.rows))

    def cells(self, row: PlanRow) -> dict[str, Any]:
        """The row with its hours and savings."""
        hidden = {*HIDDEN, *(("same",) if row.same is None else ())}
        return {
            **{key: value for key, value in vars(row).items() if key not in hidden},
            "mean_hours": self.hours(row.mean_trials),
            "most_hours": self.hours(row.most_trials),
            "trials_saved": row.trials_saved,
        }

    def text_tables(self) -> dict[str, Rows]:
        """Return its tables as people read them."""
        gaps = [
            {"n_max": one.n_max, f"smallest gap detected with power {self.power:g}": one.text}
            for one in self.detectable
        ]
        studies = [
            *(("as assumed", row) for row in self.rows),
            *((f"for power {self.power:g}", row) for row in (self.needed,) if row),
            *self.others.items(),
            *(("if equal", row) for row in self.equal),
        ]
        several = len(studies) > len(self.rows)
        expected = [
            ({"study": name} if several else {}) | self.text_row(row) for name, row in studies
        ]
        tables = {"What to expect": expected, "Smallest detectable gap": gaps}
        return {title: rows for title, rows in tables.items() if rows}

    def text_row(self, row: PlanRow) -> dict[str, Any]:
        """One row as people read it."""
        cells: dict[str, Any] = {} if self.single else {"gap": f"{row.gap:.4g}"}
        cells |= {
            "n_max": row.n_max,
            "power": f"{row.power:.3f}",
            "± SE": f"{row.power_error:.3f}",
        }
        if row.same is not None:
            cells |= {"same": f"{row.same:.2f}", "undecided": f"{row.undecided:.2f}"}
        cells |= {
            "mean": f"{row.mean_n:.1f}",
            "10/50/90 %": "/".join(map(str, row.n_quantiles)),
            "total": f"{row.mean_trials:.0f}",
        }
        if not self.of_best:
            cells["fixed"] = "-" if row.fixed_n is None else row.fixed_n * self.policies
            cells["saved"] = "-" if row.trials_saved is None else f"{row.trials_saved:.0f}"
        expected, most = self.hours(row.mean_trials), self.hours(row.most_trials)
        if expected is not None and most is not None:
            cells |= {"hours": f"{expected:.1f}", "max h": f"{most:.1f}"}
        return cells

    def _content(self) -> dict[str, Any]:
        return {
            "policies": self.policies,
            "indifference": self.rules.indifference,
            "rows": self.table(),
            "equal": list(map(self.cells, self.equal)),
            "needed": self.needed and self.cells(self.needed),
            "others": {name: self.cells(row) for name, row in self.others.items()},
        }

    @property
    def _drawn(self) -> Sequence[PlanRow]:
        return self.rows + (self.equal if self.of_best else ())

    def power_curves(self) -> list[ChanceCurve]:
        """A curve of power against n_max for each scenario."""
        curves = []
        for scenario in dict.fromkeys(row.scenario for row in self._drawn):
            rows = [row for row in self._drawn if row.scenario == scenario]
            n, power, error = np.array([(row.n_max, row.power, row.power_error) for row in rows]).T
            curves.append(ChanceCurve(scenario, power, n, error))
        return curves

    def stopping_curves(self) -> list[ChanceCurve]:
        """A curve by trial for each n_max; with several scenarios, of the largest n_max only."""
        rows = [row for row in self._drawn if row.n_max == self.rows[-1].n_max]
        if self.single and not self.of_best:
            return [ChanceCurve(f"n_max {row.n_max}", row.chance_by) for row in self.rows]
        return [ChanceCurve(row.scenario, row.chance_by) for row in rows]

    def figures(self) -> dict[str, "Figure"]:
        """Power against n_max, and the chance of the right verdict by each trial, or row."""
        upwards = (
            f"chance {'that the right policy is named' if self.of_best else 'of the right verdict'}"
        )
        across, target = f"maximum number of {self.per} (n_max)", self.power
        return {
            "power": plot_chances(self.power_curves(), across, upwards, target=target),
            "stopping": plot_chances(self.stopping_curves(), self.per, upwards),
        }

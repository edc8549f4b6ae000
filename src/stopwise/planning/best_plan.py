"""The question, before a study, how many trials it will take to name the best policy."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.messages import Message, Setting
from stopwise.planning.plan_result import PlanResult, PlanRow
from stopwise.planning.populations import Guessed
from stopwise.planning.presentation import Rows, hours_of
from stopwise.planning.scenarios import Scenario
from stopwise.planning.simulation import Simulator
from stopwise.planning.studies import BestStudy, OrderStudy, PlannedOrder
from stopwise.report.plan_figures import ChanceCurve, plot_chances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Simulated orders of all pairs, which take nearly the same number of trials each time.
ORDER_RUNS = 40
# As a share of the range: how alike two policies are that few would care to tell apart.
USUAL_INDIFFERENCE = 0.05
NAMED = "chance that the right policy is named"


@dataclass(frozen=True, kw_only=True, repr=False)
class BestPlan(PlanResult):
    """What a study of the best policy would need.

    A verdict is right if the one named is the best, or within the indifference of it.
    """

    LEGEND: ClassVar[str] = (
        'Power is the chance that the right policy is named, "none" the chance that none is, and '
        '"left" the mean number of candidates left in that case. "Total" and the quantiles count '
        "trials of all policies together; n_max and rows count rows, each of which tries every "
        "candidate. Hours are the expected and the maximum number."
    )
    POWER: ClassVar[tuple[str, str]] = "maximum number of rows (n_max)", NAMED

    @property
    def sentence(self) -> str:
        if not self.single:
            text = "The rows give the chance that the right policy is named, and what that takes."
            return f"{text} {self._caveat()}"
        row = self.shown
        assert row.trial_quantiles is not None
        tenth, half, most = row.trial_quantiles
        order = ""
        if self.order_trials is not None:
            order = f"; ordering all pairs would take about {self.order_trials:.0f}"
        return (
            f"{self._shortfall()}If the policies perform as assumed ({row.scenario}), a study of "
            f"at most {row.n_max} rows names {self._right()} with probability {row.power:.2f} "
            f"(standard error {row.power_error:.2g}){_none(row)}. It takes {row.mean_trials:.0f} "
            f"trials of all policies together on average (10, 50 and 90 % of such studies end "
            f"within {tenth}, {half} and {most}){order}.{self._if_equal(row)} {self._caveat()}"
        )

    def _right(self) -> str:
        within = self.rules.indifference
        best = f"the best of {self.policies}"
        return f"one within {within:g} of {best}" if within else best

    def _if_equal(self, row: PlanRow) -> str:
        for tied in self.rows:
            if tied.what_if and tied.n_max == row.n_max:
                named = self._right() if self.rules.indifference else "one of them"
                return (
                    f" If the two best are equal, it takes {tied.mean_trials:.0f} trials on "
                    f"average and names {named} with probability {tied.power:.2f}{_none(tied)}."
                )
        return ""

    def _caveat(self) -> str:
        within = self.rules.indifference
        missed = f"naming one not within {within:g} of the best, or of " if within else ""
        promised = self.promised(
            f"the chance of {missed}dropping the best policy (or any given one of several)"
        )
        return (
            f"This is a forecast from assumptions; whether or not they hold, {promised} "
            f"({self.method}, {self.design} design)."
        )

    def text_tables(self) -> dict[str, Rows]:
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
        if not self.single:
            return row.scenario
        return "the two best equal" if row.what_if else "as assumed"

    def _derived(self) -> dict[str, Any]:
        known = {name: getattr(self.rules, name) for name in ("goal", "indifference")}
        return {**super()._derived(), **known, "order_trials": self.order_trials}

    def stopping_curves(self) -> list[ChanceCurve]:
        """Chance that the right one is named by each trial, with the n_max shown."""
        curves = []
        for row in self.rows:
            if row.n_max == self.shown.n_max:
                reached = np.flatnonzero(row.times.spent[0]).max()  # no study goes on beyond this
                named = np.cumsum(row.times.spent[1, : reached + 1]) / row.times.total
                curves.append(ChanceCurve(self.label(row), named))
        return curves

    def plot_stopping(self) -> "Figure":
        """Draw the chance that the right policy is named by each trial."""
        return plot_chances(self.stopping_curves(), "trials of all policies together", NAMED)

    def figures(self) -> dict[str, "Figure"]:
        return {"power": self.plot_power(), "named": self.plot_stopping()}


def _none(row: PlanRow) -> str:
    """Studies that name none, with the number of candidates left."""
    if row.mean_left is None or round(row.undecided, 2) == 0:
        return ""
    return f", and none with probability {row.undecided:.2f} ({row.mean_left:.1f} candidates left)"


def plan_best(
    rules: Rules,
    horizons: Sequence[int],
    scenarios: Sequence[Scenario],
    simulator: Simulator,
    *,
    notes: Sequence[str],
    **common: Any,
) -> BestPlan:
    """Plan each scenario as assumed, and with the second best equal to the best.

    ``common`` are fields of every ``PlanResult``; ``horizons`` are in rows.
    """
    require(
        not rules.later,
        "a plan lets all policies take part from the start: plan without ",
        Setting("later"),
    )
    cases = [
        (case, what_if, replace(rules, n_max=n))
        for scenario in scenarios
        for what_if, case in enumerate([scenario, *_tied(scenario)])
        for n in horizons
    ]
    ends = simulator.run([BestStudy(study, case.population) for case, _, study in cases])
    if rules.indifference == 0:
        text = " lets one of them be named, given enough rows, and without a tie mostly ends sooner"
        near = Setting("indifference", USUAL_INDIFFERENCE * rules.scale.span)
        equal = "equal policies at the top are never told apart; "
        notes = (*notes, Message(equal, near, text))
    plan = BestPlan(
        rows=tuple(
            PlanRow.of(found, case, study, what_if=bool(what_if))
            for (case, what_if, study), found in zip(cases, ends, strict=True)
        ),
        rules=rules,
        ties="strict",
        notes=tuple(notes),
        **common,
    )
    if len(scenarios) > 1:
        return plan
    order = replace(
        rules, n_max=plan.shown.n_max, goal="order", indifference=0.0, allocation="leader"
    )
    study = OrderStudy(PlannedOrder(order), scenarios[0].population)
    counted = study.simulate(np.random.SeedSequence(simulator.seed), ORDER_RUNS)
    return replace(plan, order_trials=counted.mean_trials)


def _tied(scenario: Scenario) -> list[Scenario]:
    """The scenario with its two best equal; none if they are anyway, or are not known."""
    if scenario.lead < 1e-9 or not isinstance(scenario.population, Guessed):
        return []
    text = f"{scenario.text}, but the two best equal"
    return [replace(scenario, text=text, lead=0.0, population=scenario.population.with_tie())]

"""The figures of planning."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.report.canvas import COLOURS, GREY, MARKERS, SMALL, STYLES, Canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.planning.plan_result import PlanResult


@dataclass(frozen=True, eq=False)
class ChanceCurve:
    """A chance against a number of trials per policy, with its standard errors."""

    label: str
    n: Floats
    chance: Floats
    error: Floats

    @classmethod
    def by_trial(cls, label: str, chance: Floats) -> "ChanceCurve":
        """The curve of chances by 0, 1, 2, ... trials, without errors."""
        return cls(label, np.arange(chance.size, dtype=float), chance, np.zeros(chance.size))


def power_curves(plan: "PlanResult") -> list[ChanceCurve]:
    """A curve of power against n_max for each scenario."""
    curves = []
    for scenario in dict.fromkeys(row.scenario for row in plan.rows):
        rows = [row for row in plan.rows if row.scenario == scenario]
        n, power, error = np.array([(row.n_max, row.power, row.power_error) for row in rows]).T
        curves.append(ChanceCurve(plan.label(rows[0]), n, power, error))
    return curves


def stopping_curves(plan: "PlanResult") -> list[ChanceCurve]:
    """The chance of the right verdict by each trial: one curve per row.

    With several scenarios only the largest n_max is shown.
    """
    largest = max(row.n_max for row in plan.rows)
    return [
        ChanceCurve.by_trial(
            f"n_max {row.n_max}" if plan.single else plan.label(row),
            np.concatenate([[0.0], row.times.chance_by()]),
        )
        for row in plan.rows
        if plan.single or row.n_max == largest
    ]


def plot_power(
    curves: list[ChanceCurve],
    target: float,
    *,
    across: str = "maximum number of trials per policy (n_max)",
    upwards: str = "chance of the right verdict",
) -> "Figure":
    """Draw power against n_max, with bars of two standard errors and the target power."""
    canvas = Canvas(2.4)
    axes = canvas.axes
    for index, curve in enumerate(curves):
        axes.errorbar(
            curve.n, curve.chance, yerr=2 * curve.error, capsize=2, label=curve.label,
            color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)],
            linestyle=STYLES[index % len(STYLES)], markersize=4,
        )  # fmt: skip
    axes.axhline(target, color=GREY, linewidth=1)
    axes.annotate(
        f"target: {target:g}", (1, target), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=SMALL, color=GREY,
    )  # fmt: skip
    return _chances(canvas, across, upwards)


def plot_stopping(
    curves: list[ChanceCurve],
    *,
    across: str = "trials per policy",
    upwards: str = "chance of having reached the right verdict",
) -> "Figure":
    """Draw the chance of having reached the verdict by each trial."""
    canvas = Canvas(2.4)
    axes = canvas.axes
    for index, curve in enumerate(curves):
        axes.step(
            curve.n, curve.chance, STYLES[index % len(STYLES)], where="post", label=curve.label,
            color=COLOURS[index % len(COLOURS)],
        )  # fmt: skip
    axes.set_xlim(left=0)
    return _chances(canvas, across, upwards)


def _chances(canvas: Canvas, across: str, upwards: str) -> "Figure":
    canvas.axes.set(xlabel=across, ylabel=upwards, ylim=(0, 1.03))
    canvas.legend()
    return canvas.done()


def plot_detectable(plan: "PlanResult") -> "Figure":
    """Draw the smallest gap detected with the target power against n_max."""
    canvas = Canvas(2.4)
    axes = canvas.axes
    found = [(own.n_max, own.gap, own.gap_error) for own in plan.detectable if own.gap is not None]
    n, gap, error = np.array(found).T
    axes.errorbar(n, gap, yerr=2 * error, marker="o", capsize=2, color=COLOURS[0])
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("maximum number of trials per policy (n_max)")
    axes.set_ylabel(f"smallest gap detected with power {plan.power:g}")
    return canvas.done()

"""The figures of planning; what they show is computed by its results."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.report.canvas import COLOURS, GREY, STYLES, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, eq=False)
class ChanceCurve:
    """A chance against a number of trials per policy, with its standard errors."""

    label: str
    n: Floats
    chance: Floats
    error: Floats

    @classmethod
    def by_trial(cls, label: str, chance: Floats) -> "ChanceCurve":
        """Return the curve of chances by 0, 1, 2, ... trials, without errors."""
        return cls(label, np.arange(chance.size, dtype=float), chance, np.zeros(chance.size))


@dataclass(frozen=True)
class GapPoint:
    """The smallest gap that n trials per policy can detect, and its standard error."""

    n: float
    gap: float
    error: float


@dataclass(frozen=True)
class TrialRange:
    """Trials per policy within which 10, 50 and 90 % of the studies end."""

    label: str
    tenth: int
    half: int
    most: int


def plot_power(
    curves: list[ChanceCurve],
    target: float,
    *,
    across: str = "maximum number of trials per policy (n_max)",
    upwards: str = "chance of the right verdict",
) -> "Figure":
    """Draw power against n_max, with bars of two standard errors and the target power."""
    figure, axes = new_axes(width=6.8, height=3.8)
    for index, curve in enumerate(curves):
        axes.errorbar(
            curve.n, curve.chance, yerr=2 * curve.error, capsize=2, label=curve.label,
            color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)],
            linestyle=STYLES[index % len(STYLES)], markersize=5,
        )  # fmt: skip
    axes.axhline(target, color=GREY, linewidth=1)
    axes.annotate(
        f"target: {target:g}", (1, target), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=8, color=GREY,
    )  # fmt: skip
    axes.set_ylim(0, 1.03)
    axes.set(xlabel=across, ylabel=upwards)
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    return figure


def plot_stopping(
    curves: list[ChanceCurve],
    *,
    across: str = "trials per policy",
    upwards: str = "chance of having reached the right verdict",
) -> "Figure":
    """Draw the chance of having reached the verdict by each trial."""
    figure, axes = new_axes(width=6.8, height=3.8)
    for index, curve in enumerate(curves):
        axes.step(
            curve.n, curve.chance, STYLES[index % len(STYLES)], where="post", label=curve.label,
            color=COLOURS[index % len(COLOURS)],
        )  # fmt: skip
    axes.set_ylim(0, 1.03)
    axes.set_xlim(left=0)
    axes.set(xlabel=across, ylabel=upwards)
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    return figure


def plot_detectable(points: list[GapPoint], target: float) -> "Figure":
    """Draw the smallest gap detected with the target power against n_max."""
    figure, axes = new_axes(width=5.6, height=3.8)
    axes.errorbar(
        [point.n for point in points],
        [point.gap for point in points],
        yerr=[2 * point.error for point in points],
        marker="o",
        capsize=2,
        color=COLOURS[0],
    )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.set_xlabel("maximum number of trials per policy (n_max)")
    axes.set_ylabel(f"smallest gap detected with power {target:g}")
    return figure


def plot_ranges(ranges: list[TrialRange]) -> "Figure":
    """Draw the median and the range from 10 to 90 %, one line each, the first on top."""
    figure, axes = new_axes(width=6.8, height=1.2 + 0.35 * len(ranges))
    places = range(len(ranges))
    axes.hlines(
        places, [own.tenth for own in ranges], [own.most for own in ranges], color=COLOURS[0]
    )
    axes.plot([own.half for own in ranges], places, "o", color=COLOURS[0])
    axes.set_yticks(places, [own.label for own in ranges])
    axes.set_ylim(len(ranges) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("trials per policy until the study ends: median and 10 to 90 % range")
    return figure

"""The figures of a plan; what they show is computed in ``planning.figure_data``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stopwise.core.arrays import Floats
from stopwise.report.figures import COLOURS, GREY, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Curve",
    "Point",
    "Range",
    "plot_detectable",
    "plot_power",
    "plot_ranges",
    "plot_stopping",
]

STYLES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@dataclass(frozen=True, eq=False)
class Curve:
    """A chance against a number of trials per policy, with its standard errors."""

    label: str
    n: Floats
    chance: Floats
    error: Floats


@dataclass(frozen=True)
class Point:
    """The smallest gap found with at most n trials per policy, and its standard error."""

    n: float
    gap: float
    error: float


@dataclass(frozen=True)
class Range:
    """Trials per policy within which 10, 50 and 90 % of the studies end."""

    label: str
    tenth: int
    half: int
    most: int


def plot_power(curves: list[Curve], wanted: float) -> "Figure":
    """Draw power against n_max, with bars of two standard errors and the power wanted."""
    figure, axes = new_axes(width=6.8, height=3.8)
    for index, curve in enumerate(curves):
        axes.errorbar(
            curve.n, curve.chance, yerr=2 * curve.error, capsize=2, label=curve.label,
            color=COLOURS[index % len(COLOURS)], marker=MARKERS[index % len(MARKERS)],
            linestyle=STYLES[index % len(STYLES)], markersize=5,
        )  # fmt: skip
    axes.axhline(wanted, color=GREY, linewidth=1)
    axes.annotate(
        f"wanted: {wanted:g}", (1, wanted), xycoords=("axes fraction", "data"), ha="right",
        va="bottom", fontsize=8, color=GREY,
    )  # fmt: skip
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("maximum number of trials per policy (n_max)")
    axes.set_ylabel("chance of the right verdict")
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    return figure


def plot_stopping(
    curves: list[Curve],
    *,
    across: str = "trials per policy",
    upwards: str = "chance of having the right verdict",
) -> "Figure":
    """Draw the chance of having the verdict by each trial."""
    figure, axes = new_axes(width=6.8, height=3.8)
    for index, curve in enumerate(curves):
        axes.step(
            curve.n, curve.chance, STYLES[index % len(STYLES)], where="post", label=curve.label,
            color=COLOURS[index % len(COLOURS)],
        )  # fmt: skip
    axes.set_ylim(0, 1.03)
    axes.set_xlim(left=0)
    axes.set_xlabel(across)
    axes.set_ylabel(upwards)
    figure.legend(fontsize=8, frameon=False, loc="outside right upper")
    return figure


def plot_detectable(points: list[Point], wanted: float) -> "Figure":
    """Draw the smallest gap found with the power wanted against the budget."""
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
    axes.set_ylabel(f"smallest gap detected with power {wanted:g}")
    return figure


def plot_ranges(ranges: list[Range]) -> "Figure":
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
    axes.set_xlabel("trials per policy until the study ends: median, 10 to 90 %")
    return figure

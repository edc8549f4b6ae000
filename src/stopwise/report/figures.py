"""Drawing with matplotlib: colour-blind safe, without any global state."""

import math
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.promise import p_value_name
from stopwise.core.step.design import StepDesign
from stopwise.errors import StopwiseError
from stopwise.ranking.analysis import Analysis
from stopwise.report.figure_data import evidence_curves, ranking_edges, score_strips

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "COLOURS",
    "GREY",
    "new_axes",
    "plot_decision_regions",
    "plot_evidence",
    "plot_intervals",
    "plot_ranking",
    "plot_scores",
]

# Okabe and Ito's palette, which colour-blind readers can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
GREY = "#777777"


def plot_scores(analysis: Analysis) -> "Figure":
    """Draw every score as a dot, with means, intervals, letters and trials used."""
    strips = score_strips(analysis)
    figure, axes = new_axes(width=1.3 + 1.35 * len(strips), height=4.2)
    for place, strip in enumerate(strips):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(
            place + strip.sideways, strip.scores, "o", color=colour, alpha=0.35, markersize=3.5,
            markeredgewidth=0,
        )  # fmt: skip
        axes.plot([place, place], [strip.low, strip.high], color="black", linewidth=1.6)
        axes.plot([place], [strip.mean], "D", color="black", markersize=6)
    axes.set_xticks(range(len(strips)), [strip.label for strip in strips])
    axes.set_xlim(-0.6, len(strips) - 0.4)
    axes.set_ylabel("score")
    axes.set_title(f"Scores, means and {100 * (1 - analysis.alpha):g}% intervals", fontsize=10)
    return figure


def plot_evidence(analysis: Analysis, kind: str = "p") -> "Figure":
    """Draw p-values ("p") or e-values ("e") against trials, with the threshold."""
    curves = evidence_curves(analysis, kind)
    # Narrow, with the legend below, so that letters stay legible on a phone.
    figure, axes = new_axes(width=5.2, height=3.4 + 0.2 * -(-len(curves) // 2))
    for index, curve in enumerate(curves):
        colour = COLOURS[index % len(COLOURS)]
        style = ("-", "--", ":")[index // len(COLOURS) % 3]
        axes.step(curve.n, curve.value, style, where="post", color=colour, label=curve.label)
        if curve.decided_at is not None:
            axes.plot([curve.n[-1]], [curve.value[-1]], "o", color=colour, markersize=5)
    if kind == "p":
        axes.set_yscale("log")
        axes.axhline(analysis.alpha, color=GREY, linewidth=1)
        axes.annotate(
            f"alpha = {analysis.alpha:g}", (0, analysis.alpha), xycoords=("axes fraction", "data"),
            ha="left", va="bottom", fontsize=8, color=GREY,
        )  # fmt: skip
        axes.set_ylabel(f"{p_value_name(analysis.method)}-value, adjusted")
    else:
        axes.axhline(0, color=GREY, linewidth=1)
        axes.set_ylabel("evidence, log10 of the e-value")
    axes.set_xlabel("pairs of trials")
    figure.legend(fontsize=8, frameon=False, loc="outside lower center", ncols=2)
    return figure


def plot_intervals(analysis: Analysis) -> "Figure":
    """Draw the confidence interval of the difference of each pair."""
    figure, axes = new_axes(width=6.4, height=1.2 + 0.42 * len(analysis.pairs))
    for place, pair in enumerate(reversed(analysis.pairs)):
        colour = COLOURS[0] if pair.decided else GREY
        axes.plot(list(pair.interval), [place, place], color=colour, linewidth=3)
        middle = sum(pair.interval) / 2
        axes.plot([middle], [place], "|", color=colour, markersize=11)
    axes.axvline(0, color="black", linewidth=0.8)
    labels = [f"{pair.policy1} - {pair.policy0}" for pair in reversed(analysis.pairs)]
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlabel(f"difference of means, {100 * (1 - analysis.alpha):g}% for all pairs together")
    return figure


def plot_ranking(analysis: Analysis) -> "Figure":
    """Draw policies on a circle, an arrow from better to worse, a dotted line where unknown."""
    names = [policy.name for policy in analysis.policies]
    angles = [math.pi / 2 - 2 * math.pi * index / len(names) for index in range(len(names))]
    places = {
        name: (math.cos(angle), math.sin(angle)) for name, angle in zip(names, angles, strict=True)
    }
    figure, axes = new_axes(width=4.6, height=4.6)
    for edge in ranking_edges(analysis):
        start, end = places[edge.policy0], places[edge.policy1]
        if edge.better == edge.policy1:
            start, end = end, start
        style = (
            {"arrowstyle": "-", "linestyle": ":", "color": GREY}
            if edge.better is None
            else {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.6}
        )
        arrow = {"shrinkA": 24, "shrinkB": 24, **style}
        axes.annotate("", end, start, arrowprops=arrow)
    for policy in analysis.policies:
        text = f"{policy.name}\n{policy.letters}" if policy.letters else policy.name
        axes.annotate(
            text, places[policy.name], ha="center", va="center", fontsize=9,
            bbox={"boxstyle": "round", "facecolor": "white", "edgecolor": "black"},
        )  # fmt: skip
    axes.set_xlim(-1.5, 1.5)
    axes.set_ylim(-1.4, 1.4)
    axes.axis("off")
    axes.set_title("arrow: shown to be better; dotted: not told apart", fontsize=9)
    return figure


def plot_decision_regions(design: StepDesign, n: int) -> "Figure":
    """Draw what ``step`` decides after n pairs, by the successes of both policies.

    Parameters
    ----------
    design
        A design from ``stopwise.step_design``.
    n
        Number of pairs, from 1 to n_max.
    """
    regions = design.decision_regions(n)
    shown = np.zeros(regions.futile.shape)
    shown[regions.futile] = 1
    shown[regions.mirrored_probability > 0] = 2
    shown[regions.rejection_probability > 0] = 3
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    colours = ["#ffffff", "#dddddd", COLOURS[1], COLOURS[0]]
    figure, axes = new_axes(width=4.8, height=4.4)
    axes.imshow(shown.T, origin="lower", cmap=ListedColormap(colours), vmin=0, vmax=3)
    axes.set_xlabel("successes of policy 0")
    axes.set_ylabel("successes of policy 1")
    axes.set_title(f"after {n} of {design.n_max} pairs, alpha = {design.alpha:.3g}", fontsize=10)
    labels = ["go on", "go on, though a decision is unlikely", "policy 0 better", "policy 1 better"]
    axes.legend(
        handles=[
            Patch(facecolor=colour, edgecolor=GREY, label=label)
            for colour, label in zip(colours, labels, strict=True)
        ],
        fontsize=7,
        loc="upper left",
        bbox_to_anchor=(0, -0.14),
        ncols=2,
        frameon=False,
    )
    return figure


def new_axes(width: float, height: float) -> tuple["Figure", "Axes"]:
    """Return an empty figure, or raise with the extra to install."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise StopwiseError('figures need matplotlib: pip install "stopwise[plots]"') from error
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes

"""Drawing with matplotlib: colour-blind safe, without any global state."""

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.messages import counted
from stopwise.report.canvas import COLOURS, GREY, STYLES, coloured, legend_below, new_axes
from stopwise.report.figure_data import (
    Curve,
    ScoreStrip,
    evidence_curves,
    few_values,
    score_strips,
)
from stopwise.report.fonts import drawable, wrapped
from stopwise.report.matrix_figures import interval_matrix, verdict_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.core.step.design import StepDesign
    from stopwise.questions.analysis import Analysis
    from stopwise.questions.best_analysis import BestAnalysis

# Inches; letters of a figure this wide stay legible on a phone.
WIDTH = 5.2
# Most pairs that get a name and a line each: those of eight policies.
MOST_NAMED = 28
# Most lines of text beside the ends of curves, and the height of one in inches.
MOST_LINES, LINE = 40, 0.14
# Least evidence that is shown, as a power of ten.
LEAST_SHOWN = -3.0
# More points than this are drawn as pixels, also within a vector figure.
DENSE = 3000
# Behind letters, so that no line runs through them.
OVER_LINES = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
# A smaller part of a bar has no room for its number.
LEAST_NAMED = 0.07


def plot_scores(analysis: "Analysis") -> "Figure":
    """Draw the scores of each policy, with means, intervals, letters and trials used.

    Few different scores are drawn as bars of their shares, with the means beside them; others as a
    dot each, in swarms whose widths compare between policies.
    """
    strips, values, below = score_strips(analysis), few_values(analysis), 0.0
    lines = max(strip.label.count("\n") for strip in strips) + 1
    row = max(0.14 + 0.14 * lines, min(0.7, 3 / len(strips)))
    figure, axes = new_axes(WIDTH, height=1.1 + row * len(strips))
    axes.set_yticks(range(len(strips)), [strip.label for strip in strips], fontsize=8)
    if values.size:
        beside = axes.inset_axes((0.72, 0, 0.28, 1), sharey=axes)
        _draw_shares(axes, strips, values, analysis.rules.reading.drawn.one)
    else:
        beside = axes
        _draw_swarms(axes, strips)
        # Below the dots, which it would hide.
        below = min(0.45, 0.12 + max(float(strip.sideways.max()) for strip in strips))
    for place, strip in enumerate(strips):
        at = place + below
        beside.plot([strip.low, strip.high], [at, at], color="black", linewidth=1.6)
        beside.plot([strip.mean], [at], "D", color="black", markersize=6)
    beside.set_ylim(len(strips) - 0.4, -0.6)
    level = f"{100 * (1 - analysis.alpha):g}%"
    drawn = analysis.rules.reading.drawn
    axes.set_title(f"{drawn.title} and {level} intervals", fontsize=10)
    if values.size:
        beside.tick_params(left=False, labelleft=False, labelsize=8)
        beside.set_xlabel(drawn.mean, fontsize=9)
        low, high = analysis.bounds
        beside.set_xlim(low - 0.05 * (high - low), high + 0.05 * (high - low))
        ticks = (low, (low + high) / 2, high)
        beside.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
        for side in ("top", "right", "left"):
            beside.spines[side].set_visible(False)
        legend_below(figure)
    else:
        axes.set_xlabel(drawn.each)
    return drawable(figure)


def _draw_shares(axes: "Axes", strips: list[ScoreStrip], values: Floats, name: str) -> None:
    """Draw a bar per policy with the share of each score, the highest first, as percentages."""
    greys = np.linspace(0, 1, values.size)
    dark, light = np.array([0.0, 0.447, 0.698]), np.array([0.87, 0.87, 0.87])
    left = np.zeros(len(strips))
    for index, value in enumerate(values):
        share = np.array([strip.shares[index] for strip in strips])
        colour = tuple(dark + greys[index] * (light - dark)) if values.size > 1 else tuple(dark)
        axes.barh(
            range(len(strips)), share, left=left, height=0.6, color=colour, edgecolor="white",
            linewidth=0.8, label=f"{name} {value:.3g}",
        )  # fmt: skip
        for place in np.flatnonzero(share >= LEAST_NAMED).tolist():
            axes.text(
                left[place] + share[place] / 2, place, f"{100 * share[place]:.0f}", ha="center",
                va="center", fontsize=7, color="white" if greys[index] < 0.4 else "black",
            )  # fmt: skip
        left += share
    # The right third is for the means.
    axes.set_xlim(0, 1 / 0.64)
    axes.set_xticks([0, 0.5, 1], ["0", "50", "100"], fontsize=8)
    axes.set_xlabel("share of trials, %", fontsize=9, loc="left")
    axes.spines["bottom"].set_bounds(0, 1)


def _draw_swarms(axes: "Axes", strips: list[ScoreStrip]) -> None:
    dense = sum(strip.scores.size for strip in strips) > DENSE
    for place, strip in enumerate(strips):
        axes.plot(
            strip.scores, place + strip.sideways, "o", color=COLOURS[place % len(COLOURS)],
            alpha=0.35, markersize=3.5, markeredgewidth=0, rasterized=dense,
        )  # fmt: skip


def plot_eliminations(analysis: "BestAnalysis") -> "Figure":
    """Draw, of each policy, the rows it was a candidate in; a cross where it was dropped.

    Candidates that were set aside are drawn faintly.
    """
    labels = [f"{wrapped(own.name)}\n{analysis.fate(own.name)}" for own in analysis.policies]
    lines = max(label.count("\n") for label in labels) + 1
    row = 0.14 + 0.14 * lines
    figure, axes = new_axes(WIDTH, height=0.9 + row * len(labels))
    for place, policy in enumerate(analysis.policies):
        out = analysis.eliminated.get(policy.name)
        start, end = analysis.joined.get(policy.name, 0), analysis.rows if out is None else out.row
        colour = GREY if out is not None else COLOURS[2 if policy.name == analysis.best else 0]
        faint = 0.4 if policy.name in analysis.set_aside else 1.0
        axes.plot(
            [start, end], [place, place], color=colour, alpha=faint, linewidth=5,
            solid_capstyle="butt",
        )  # fmt: skip
        if out is not None:
            axes.plot([end], [place], "x", color="black", markersize=7, markeredgewidth=1.8)
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlim(0, 1.03 * max(analysis.rows, 1))
    axes.set_xlabel("rows of trials")
    return drawable(figure)


def plot_evidence(analysis: "Analysis", kind: str = "p") -> "Figure":
    """Draw p-values ("p") or e-values ("e") against trials, with the threshold."""
    found = evidence_curves(analysis, kind)
    curves = [replace(curve, label=wrapped(curve.label)) for curve in found]
    lines = sum(curve.label.count("\n") + 1 for curve in curves)
    labelled = len(curves) <= MOST_NAMED and lines <= MOST_LINES
    # Narrow, so that letters stay legible on a phone.
    figure, axes = new_axes(WIDTH, height=max(3.4, 1 + LINE * lines) if labelled else 3.4)
    dense = sum(curve.n.size for curve in curves) > DENSE
    if len(curves) <= MOST_NAMED:
        for index, curve in enumerate(curves):
            colour = COLOURS[index % len(COLOURS)]
            style = STYLES[index // len(COLOURS) % len(STYLES)]
            _step(
                axes,
                [curve],
                "_" if labelled else curve.label,
                dense,
                color=colour,
                linestyle=style,
                markersize=5,
            )
    else:
        faint = {"linewidth": 0.6, "alpha": 0.6, "markersize": 2}
        for name, colour in (("decided", COLOURS[0]), ("undecided", GREY)):
            own = [curve for curve in curves if (curve.decided_at is None) == (colour == GREY)]
            _step(axes, own, f"{counted(len(own), 'pair')} {name}", dense, color=colour, **faint)
    if kind == "p":
        axes.set_yscale("log")
        axes.axhline(analysis.alpha, color=GREY, linewidth=1, label=f"alpha = {analysis.alpha:g}")
        axes.set_ylabel("anytime p-value, adjusted")
    else:
        axes.axhline(0, color=GREY, linewidth=0.6)
        needed, name = -math.log10(analysis.alpha), f"1 / alpha = {1 / analysis.alpha:.4g}"
        if len(curves) > 1:
            name += ", what one pair alone would need"
        axes.axhline(needed, color=GREY, linewidth=1, label=name)
        axes.set_ylabel("evidence, log10 of the e-value")
        # A hopeless pair sinks without end, and would flatten all others.
        axes.set_ylim(bottom=max(axes.get_ylim()[0], LEAST_SHOWN))
    axes.set_xlabel("pairs of trials")
    legend_below(figure)
    if labelled:
        _label_ends(axes, curves)
    return drawable(figure)


def _label_ends(axes: "Axes", curves: list[Curve]) -> None:
    """Write the name of each curve beside its end, one below the other where they would overlap."""
    axes.figure.canvas.draw()
    line = LINE * axes.figure.dpi / axes.get_window_extent().height
    low, high = axes.get_ylim()
    to_share = axes.transScale + axes.transLimits
    ends = [
        float(to_share.transform((0, np.clip(curve.value[-1], low, high)))[1]) for curve in curves
    ]
    heights = [line * (curve.label.count("\n") + 1) for curve in curves]
    order = np.argsort(ends).tolist()
    tops: dict[int, float] = {}
    least = 0.0
    for index in order:  # from below, each above the one before
        tops[index] = max(ends[index] + heights[index] / 2, least + heights[index])
        least = tops[index]
    most = 1.0 + line
    for index in reversed(order):  # and none above the frame
        tops[index] = min(tops[index], most)
        most = tops[index] - heights[index]
        colour = COLOURS[index % len(COLOURS)]
        # A line from each name to its end: which is whose, also without colours.
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "linestyle": ":"}
        axes.annotate(
            curves[index].label, (float(curves[index].n[-1]), ends[index]), (1.03, tops[index]),
            xycoords=axes.get_xaxis_transform(), textcoords="axes fraction", fontsize=8,
            color=colour, va="top", annotation_clip=False, linespacing=1.0,
            arrowprops={**leader, "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 2},
        )  # fmt: skip


def _step(axes: "Axes", curves: list[Curve], label: str, dense: bool, **look: Any) -> None:
    """Draw curves of one look at once, with a dot where each is decided."""
    n = [np.append(curve.n, np.nan) for curve in curves]
    value = [np.append(curve.value, np.nan) for curve in curves]
    axes.step(
        np.concatenate([*n, []]), np.concatenate([*value, []]), where="post", label=label,
        rasterized=dense, **look,
    )  # fmt: skip
    ends = [(curve.n[-1], curve.value[-1]) for curve in curves if curve.decided_at is not None]
    if ends:
        axes.plot(*zip(*ends, strict=True), **{**look, "linestyle": "", "marker": "o"})


def plot_intervals(analysis: "Analysis") -> "Figure":
    """Draw the confidence interval of each pair's difference; of very many pairs as a matrix."""
    if _is_matrix(analysis):
        return interval_matrix(analysis)
    pairs = analysis.sorted_pairs
    labels = [wrapped(f"{pair.policy1} - {pair.policy0}", 60) for pair in pairs]
    lines = max(label.count("\n") for label in labels) + 1
    figure, axes = new_axes(WIDTH, height=0.8 + (0.2 + 0.14 * lines) * len(labels))
    for place, (label, pair) in enumerate(zip(labels, pairs, strict=True)):
        colour = COLOURS[0] if pair.decided else GREY
        axes.plot(list(pair.interval), [place, place], color=colour, linewidth=4)
        middle = sum(pair.interval) / 2
        axes.plot([middle], [place], "|", color="white", markersize=4, markeredgewidth=1.6)
        axes.annotate(
            label, (0, place), (2, 3), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="bottom", fontsize=8, bbox=OVER_LINES,
        )  # fmt: skip
    axes.axvline(0, color="black", linewidth=0.8, zorder=0)
    axes.set_yticks([])
    axes.set_ylim(len(labels) - 0.6, -0.9)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"{analysis.rules.reading.drawn.gap}, with its interval", fontsize=9)
    return drawable(figure)


def plot_ranking(analysis: "Analysis") -> "Figure":
    """Draw policies from best to worst, with an arc for each pair.

    Arrows on the right lead from better to worse, dotted arcs on the left join policies that were
    not told apart, solid ones those that are practically the same. Very many pairs are drawn as a
    matrix.
    """
    if _is_matrix(analysis):
        return verdict_matrix(analysis)
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    left = "left, dotted: not told apart"
    if any(pair.same for pair in analysis.pairs):
        left = "left: practically the same, or dotted: not told apart"
    labels = {
        policy.name: wrapped(policy.name) + (f"\n{policy.letters}" if policy.letters else "")
        for policy in analysis.policies
    }
    tall = 0.04 + 0.15 * (max(label.count("\n") for label in labels.values()) + 1)
    step = tall + 0.3
    height = step * len(labels) + 0.4
    figure, axes = new_axes(WIDTH, height)
    # One unit is one inch, so that arcs can begin at the measured edge of the names.
    figure.set_layout_engine("none")
    axes.set(position=(0, 0, 1, 1), xlim=(-WIDTH / 2, WIDTH / 2), ylim=(height, 0))
    axes.axis("off")
    axes.text(
        0, 0.1, f"right: shown to be better; {left}", ha="center", va="top", fontsize=9,
    )  # fmt: skip
    places = {name: 0.4 + step * (index + 0.5) for index, name in enumerate(labels)}
    drawn = [
        axes.text(0, places[name], label, ha="center", va="center", fontsize=9)
        for name, label in labels.items()
    ]
    drawable(figure)
    edge = 0.1 + max(text.get_window_extent().width for text in drawn) / figure.dpi / 2
    for place in places.values():
        frame = (-edge, place - tall / 2), 2 * edge, tall
        axes.add_patch(FancyBboxPatch(*frame, "round, pad=0, rounding_size=0.1", facecolor="white"))
    room = min(1.2, WIDTH / 2 - edge - 0.1)
    for pair in analysis.pairs:
        start, end = places[pair.policy0], places[pair.policy1]
        if pair.better == pair.policy1:
            start, end = end, start
        down = 1 if end > start else -1
        start, end = start + 0.2 * down * tall, end - 0.2 * down * tall
        distance = abs(end - start)
        bow = 2 * room * (0.2 + 0.8 * distance / (step * len(labels))) / distance
        side = 1
        look: dict[str, Any] = {"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.4}
        if pair.better is None:
            side, look = -1, {"arrowstyle": "-", "linestyle": ":", "color": GREY}
        if pair.same:
            look = {"arrowstyle": "-", "color": COLOURS[2], "linewidth": 1.4}
        axes.add_patch(
            FancyArrowPatch(
                (side * edge, start),
                (side * edge, end),
                mutation_scale=10,
                shrinkA=0,
                shrinkB=0,
                connectionstyle=f"arc3,rad={-bow * side * down:.4f}",
                **look,
            )
        )
    return figure


def _is_matrix(analysis: "Analysis") -> bool:
    """Whether pairs are too many for a line each; those with a baseline grow no faster than k."""
    return len(analysis.pairs) > MOST_NAMED and analysis.baseline is None


def plot_decision_regions(design: "StepDesign", n: int) -> "Figure":
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
    shown[regions.better0] = 2
    shown[regions.better1] = 3
    colours = ["#ffffff", "#dddddd", COLOURS[1], COLOURS[0]]
    figure, axes = new_axes(width=4.8, height=4.4)
    axes.set(xlabel="successes of policy 0", ylabel="successes of policy 1")
    axes.set_title(
        f"after {n} of {counted(design.n_max, 'pair')}, alpha = {design.alpha:.3g}", fontsize=10
    )
    labels = ["go on", "go on, though a decision is unlikely", "policy 0 better", "policy 1 better"]
    handles = coloured(axes, shown.T, colours, labels, origin="lower")
    axes.legend(
        handles=handles, fontsize=7, loc="upper left", bbox_to_anchor=(0, -0.14), ncols=2,
        frameon=False,
    )  # fmt: skip
    return figure

"""Drawing with matplotlib: colour-blind safe, without any global state."""

from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.promise import p_value_name
from stopwise.core.step.design import StepDesign
from stopwise.core.verdict import Decision
from stopwise.report.figure_data import (
    Curve,
    evidence_curves,
    pair_matrix,
    ranking_edges,
    score_strips,
)
from stopwise.report.fonts import drawable, require_matplotlib, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    from stopwise.questions.analysis import Analysis

__all__ = [
    "COLOURS",
    "GREY",
    "STYLES",
    "legend_below",
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
STYLES = ("-", "--", ":", "-.")
# Inches; letters of a figure this wide stay legible on a phone.
WIDTH = 5.2
# Inches of a row and a column of a matrix.
CELL = 0.16
# Most pairs that get a name and a line each: those of eight policies.
MOST_NAMED = 28
# More points than this are drawn as pixels, also within a vector figure.
DENSE = 3000


def plot_scores(analysis: "Analysis") -> "Figure":
    """Draw every score as a dot, with means, intervals, letters and trials used."""
    strips = score_strips(analysis)
    lines = max(strip.label.count("\n") for strip in strips) + 1
    row = max(0.14 + 0.14 * lines, min(0.7, 3 / len(strips)))
    figure, axes = new_axes(WIDTH, height=1.1 + row * len(strips))
    dense = sum(strip.scores.size for strip in strips) > DENSE
    for place, strip in enumerate(strips):
        colour = COLOURS[place % len(COLOURS)]
        axes.plot(
            strip.scores, place + strip.sideways, "o", color=colour, alpha=0.35, markersize=3.5,
            markeredgewidth=0, rasterized=dense,
        )  # fmt: skip
    # Above all dots, which are one image where they are pixels.
    for place, strip in enumerate(strips):
        axes.plot([strip.low, strip.high], [place, place], color="black", linewidth=1.6)
        axes.plot([strip.mean], [place], "D", color="black", markersize=6)
    axes.set_yticks(range(len(strips)), [strip.label for strip in strips], fontsize=8)
    axes.set_ylim(len(strips) - 0.4, -0.6)
    axes.set_xlabel("score")
    axes.set_title(f"Scores, means and {100 * (1 - analysis.alpha):g}% intervals", fontsize=10)
    return drawable(figure)


def plot_evidence(analysis: "Analysis", kind: str = "p") -> "Figure":
    """Draw p-values ("p") or e-values ("e") against trials, with the threshold."""
    curves = evidence_curves(analysis, kind)
    # Narrow, with the legend below, so that letters stay legible on a phone.
    figure, axes = new_axes(WIDTH, height=3.4)
    dense = sum(curve.n.size for curve in curves) > DENSE
    if len(curves) <= MOST_NAMED:
        for index, curve in enumerate(curves):
            colour = COLOURS[index % len(COLOURS)]
            style = STYLES[index // len(COLOURS) % len(STYLES)]
            _step(axes, [curve], curve.label, dense, color=colour, linestyle=style, markersize=5)
    else:
        faint = {"linewidth": 0.6, "alpha": 0.6, "markersize": 2}
        for name, colour in (("decided", COLOURS[0]), ("undecided", GREY)):
            own = [curve for curve in curves if (curve.decided_at is None) == (colour == GREY)]
            _step(axes, own, f"{len(own)} pairs {name}", dense, color=colour, **faint)
    if kind == "p":
        axes.set_yscale("log")
        axes.axhline(analysis.alpha, color=GREY, linewidth=1, label=f"alpha = {analysis.alpha:g}")
        axes.set_ylabel(f"{p_value_name(analysis.method)}-value, adjusted")
    else:
        axes.axhline(0, color=GREY, linewidth=1)
        axes.set_ylabel("evidence, log10 of the e-value")
    axes.set_xlabel("pairs of trials")
    legend_below(figure)
    return drawable(figure)


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
        return _interval_matrix(analysis)
    labels = [wrapped(f"{pair.policy1} - {pair.policy0}", 60) for pair in analysis.pairs]
    lines = max(label.count("\n") for label in labels) + 1
    figure, axes = new_axes(WIDTH, height=0.8 + (0.2 + 0.14 * lines) * len(labels))
    for place, (label, pair) in enumerate(zip(labels, analysis.pairs, strict=True)):
        colour = COLOURS[0] if pair.decided else GREY
        axes.plot(list(pair.interval), [place, place], color=colour, linewidth=3)
        middle = sum(pair.interval) / 2
        axes.plot([middle], [place], "|", color=colour, markersize=11)
        axes.annotate(
            label, (0, place), (2, 4), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="bottom", fontsize=8,
        )  # fmt: skip
    axes.axvline(0, color="black", linewidth=0.8, zorder=0)
    axes.set_yticks([])
    axes.set_ylim(len(labels) - 0.6, -0.9)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(
        f"difference of means, {100 * (1 - analysis.alpha):g}% for all pairs together", fontsize=9
    )
    return drawable(figure)


def plot_ranking(analysis: "Analysis") -> "Figure":
    """Draw policies from best to worst, with an arc for each pair.

    Arrows on the right lead from better to worse, dotted arcs on the left join policies that were
    not told apart. Very many pairs are drawn as a matrix.
    """
    if _is_matrix(analysis):
        return _verdict_matrix(analysis)
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

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
        0, 0.1, "right: shown to be better; left, dotted: not told apart", ha="center", va="top",
        fontsize=9,
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
    for pair in ranking_edges(analysis):
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


def legend_below(figure: "Figure", handles: "list[Patch] | None" = None) -> None:
    """Put the legend below the axes, in as many columns as fit, and make room for it."""
    for columns in (3, 2, 1):
        legend = figure.legend(
            handles=handles, fontsize=8, frameon=False, loc="outside lower center", ncols=columns
        )
        drawable(figure)
        size = legend.get_window_extent()
        if size.width <= figure.bbox.width or columns == 1:
            figure.set_figheight(figure.get_figheight() + size.height / figure.dpi)
            return
        legend.remove()


def _is_matrix(analysis: "Analysis") -> bool:
    """Whether pairs are too many for a line each; those with a baseline grow no faster than k."""
    return len(analysis.pairs) > MOST_NAMED and analysis.baseline is None


def _interval_matrix(analysis: "Analysis") -> "Figure":
    """Draw the middle of each pair's interval as a colour, a dot where it includes 0."""
    figure, axes = _matrix_axes(analysis)
    middle = pair_matrix(analysis, lambda pair: sum(pair.interval) / 2)
    largest = float(np.nanmax(np.abs(middle)))
    image = axes.imshow(middle, cmap="RdBu", vmin=-largest, vmax=largest)
    open_ = pair_matrix(analysis, lambda pair: pair.interval.low <= 0 <= pair.interval.high)
    rows, columns = np.nonzero(np.abs(np.nan_to_num(open_)))
    axes.plot(columns, rows, ".", color="black", markersize=2)
    bar = figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.6)
    bar.set_label("row - column: middle of the interval; dot: 0 is within", fontsize=8)
    return drawable(figure)


def _verdict_matrix(analysis: "Analysis") -> "Figure":
    """Draw which policies were shown to be better than which, as colours."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    signs = {Decision.POLICY1: 1, Decision.POLICY0: -1, Decision.UNDECIDED: 0}
    colours = [COLOURS[1], "#dddddd", COLOURS[0]]
    figure, axes = _matrix_axes(analysis)
    verdicts = pair_matrix(analysis, lambda pair: signs[pair.decision])
    axes.imshow(verdicts, cmap=ListedColormap(colours), vmin=-1, vmax=1)
    names = ("row worse", "not told apart", "row better")
    legend_below(
        figure,
        [Patch(facecolor=colour, label=name) for colour, name in zip(colours, names, strict=True)],
    )
    return drawable(figure)


def _matrix_axes(analysis: "Analysis") -> tuple["Figure", "Axes"]:
    """Return axes for a matrix of policies, from best to worst."""
    labels = [f"{wrapped(policy.name, 40)}  {n}" for n, policy in enumerate(analysis.policies, 1)]
    size = len(labels) * CELL * (max(label.count("\n") for label in labels) + 1)
    figure, axes = new_axes(size + 2, size + 1.2)
    axes.set_yticks(range(len(labels)), labels, fontsize=7)
    numbers = [str(n) for n in range(1, len(labels) + 1)]
    axes.set_xticks(range(len(labels)), numbers, fontsize=6)
    axes.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    return figure, axes


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
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes

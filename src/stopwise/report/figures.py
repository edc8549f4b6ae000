"""The figures of an analysis, as wide as they are printed and colour-blind safe."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stopwise.core.pair_verdict import Decision
from stopwise.core.scores import score_text
from stopwise.report.canvas import (
    COLOURS,
    GREY,
    MARKERS,
    PALE,
    SMALL,
    WIDTH,
    Canvas,
    line_look,
)
from stopwise.report.figure_data import (
    decided_by,
    histograms,
    pair_matrix,
    tried,
)
from stopwise.report.fonts import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis
    from stopwise.questions.best_analysis import BestAnalysis
    from stopwise.questions.profiles import Profile
    from stopwise.questions.standing import PairResult

# Most pairs that get a line each, and a curve each; those of eight and of five policies.
MOST_LINES, MOST_CURVES = 28, 10
# Inches: of a line of small letters, of a letter, and of a column at least.
LINE, LETTER, SLIM = 0.13, 0.062, 0.4
# Behind letters, so that no line runs through them.
OVER_LINES = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}


def plot_scores(
    analysis: "Analysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the scores of each policy, ``width`` (3.5) inches wide, or in an ``ax``.

    With each policy's mean, interval and letters.
    Policies stand side by side with their letters above, or below each other where there is no
    room for that. Widths of bars compare between policies.
    """
    policies = tried(analysis)
    inches = width or WIDTH.get()
    room = (inches - 0.7) / len(policies)
    names = [wrapped(entry.name, max(int(room / LETTER), 5)) for entry in policies]
    upright = room >= SLIM and max(name.count("\n") for name in names) < 3
    if not upright:
        names = [wrapped(entry.name, 22 if inches < 5 else 40) for entry in policies]
    lines = max(name.count("\n") for name in names) + 1
    row = max(0.3, LINE * lines + 0.1)
    canvas = Canvas(2.4 if upright else 0.8 + row * len(policies), ax, width)
    axes, places = canvas.axes, range(len(policies))
    values, step, shares = histograms(analysis)
    longest = max(float(entry.max()) for entry in shares)
    side = 1 if upright else -1
    for place, policy, share in zip(places, policies, shares, strict=True):
        start = place - 0.12 * side
        # One outline for all bars of a policy: a page with many policies stays small.
        edges = (values[:, None] + 0.46 * step * np.array([-1, -1, 1, 1])).ravel()
        ends_of_bars = (start + 0.55 * side * np.outer(share, [0, 1, 1, 0]) / longest).ravel()
        axes.fill(*(ends_of_bars, edges)[::side], color=COLOURS[0], alpha=0.45, linewidth=0)
        at = place - 0.25 * side
        if not analysis.in_doubt:
            ends = [at, at], list(policy.interval)
            axes.plot(*ends[::side], color="black", linewidth=1.3)
        axes.plot(*([at], [policy.mean])[::side], "D", color="black", markersize=3.5)
        letters = "" if analysis.in_doubt else policy.letters
        texts = (
            (letters, "\n", score_text(policy.mean))
            if upright
            else (score_text(policy.mean), "  ", letters)
        )
        _beside(axes, place, "".join(texts).strip(), upright=upright)
    scores, own_axis = (axes.yaxis, axes.xaxis) if upright else (axes.xaxis, axes.yaxis)
    own_axis.set_ticks(list(places), names)
    own_axis.set_tick_params(length=0)
    if upright:
        axes.set_xlim(-0.5, len(policies) - 0.4)
    else:
        axes.set_ylim(len(policies) - 0.4, -0.6)
    number = analysis.rules.reference
    if number is not None:
        line = axes.axhline if upright else axes.axvline
        line(number, color=COLOURS[1], linestyle="--", linewidth=1, label=f"reference {number:g}")
        canvas.legend()
    level = "" if analysis.in_doubt else f", {100 * (1 - analysis.alpha):g}% intervals"
    scores.set_label_text(f"{analysis.rules.reading.mean_axis}{level}")
    return canvas.done()


def _beside(axes: "Axes", place: float, text: str, *, upright: bool) -> None:
    """Write a text above the data of a policy, or at their right."""
    look: dict[str, Any] = {"fontsize": SMALL, "annotation_clip": False}
    if upright:
        above = axes.get_xaxis_transform()
        axes.annotate(text, (place, 1.02), xycoords=above, ha="center", va="bottom", **look)
    else:
        right = axes.get_yaxis_transform()
        axes.annotate(text, (1.02, place), xycoords=right, ha="left", va="center", **look)


def plot_eliminations(
    analysis: "BestAnalysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw, of each policy, the rows it was a candidate in; a cross where it was dropped.

    Candidates that were set aside are drawn faintly.
    """
    labels = [
        f"{wrapped(entry.name, 22)}\n{analysis.fate(entry.name)}" for entry in analysis.policies
    ]
    lines = max(label.count("\n") for label in labels) + 1
    canvas = Canvas(0.7 + (LINE * lines + 0.08) * len(labels), ax, width)
    axes = canvas.axes
    for place, policy in enumerate(analysis.policies):
        out = analysis.eliminated.get(policy.name)
        start, end = analysis.joined.get(policy.name, 0), analysis.rows if out is None else out.row
        colour = GREY if out is not None else COLOURS[2 if policy.name == analysis.best else 0]
        faint = 0.4 if policy.name in analysis.set_aside else 1.0
        axes.plot(
            [start, end], [place, place], color=colour, alpha=faint, linewidth=4,
            solid_capstyle="butt",
        )  # fmt: skip
        if out is not None:
            axes.plot([end], [place], "x", color="black", markersize=5, markeredgewidth=1.4)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_xlim(0, 1.03 * max(analysis.rows, 1))
    axes.set_xlabel("rows of trials")
    return canvas.done()


def plot_evidence(
    analysis: "Analysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the p-value of each pair against trials, down to alpha, where it is decided.

    Of many pairs it draws how many were decided by when.
    """
    pairs, canvas = analysis.sorted_pairs, Canvas(2.4, ax, width)
    axes = canvas.axes
    axes.set_xlabel("pairs of trials")
    if len(pairs) > MOST_CURVES:
        from matplotlib.ticker import MaxNLocator

        n, decided = decided_by(analysis)
        axes.step(n, decided, where="post", color=COLOURS[0])
        axes.axhline(len(pairs), color=GREY, linewidth=1, linestyle="--")
        axes.set_ylabel(f"decided, of {len(pairs)} pairs")
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MaxNLocator(integer=True))
        return canvas.done()
    for index, pair in enumerate(pairs):
        look, path = line_look(index), pair.path
        label = wrapped(pair.relation, 40)
        axes.step(path.n, path.p_value, where="post", linewidth=1.2, label=label, **look)
        if pair.decided:
            axes.plot(path.n[-1:], path.p_value[-1:], "o", markersize=4, color=look["color"])
    axes.set_yscale("log")
    axes.axhline(analysis.alpha, color=GREY, linewidth=1, label=f"decided at {analysis.alpha:g}")
    axes.set_ylabel("anytime p-value, adjusted" if len(pairs) > 1 else "anytime p-value")
    canvas.legend()
    return canvas.done()


def plot_intervals(
    analysis: "Analysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the confidence interval of each pair's difference, with the estimate in it.

    A band shows the differences that count as practically the same, a line the margin. Of very
    many pairs the differences are drawn as a matrix.
    """
    if is_matrix(analysis):
        return plot_ranking(analysis, width=width, ax=ax)
    pairs, rules = analysis.sorted_pairs, analysis.rules
    rows = [
        _Row(_gap_of(pair), pair.interval, pair.difference, decided=pair.decided, same=pair.same)
        for pair in pairs
    ]
    canvas = _interval_rows(rows, 0, width, ax, shown=not analysis.in_doubt)
    axes = canvas.axes
    if rules.equivalence is not None:
        near = rules.equivalence
        label = f"practically the same: within {near:g}"
        axes.axvspan(-near, near, color=COLOURS[2], alpha=0.15, linewidth=0, label=label)
    if rules.margin:
        label = f"margin {rules.margin:g}"
        axes.axvline(rules.margin, color=COLOURS[1], linestyle="--", linewidth=1, label=label)
    estimates = [(pair.estimate, n) for n, pair in enumerate(pairs) if pair.estimate is not None]
    for estimate in estimates:
        axes.plot(*estimate, "D", color="black", markersize=3.5)
    axes.plot([], [], "|", color="black", markersize=8, label="mean of all trials")
    if estimates:
        axes.plot([], [], "D", color="black", markersize=3.5, label="estimate")
    axes.set_xlabel(rules.reading.gap_axis)
    canvas.legend()
    return canvas.done()


def plot_improvement(
    wins: "Analysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw how often each policy wins against each other, of an analysis by wins."""
    rows = []
    for pair in wins.sorted_pairs:
        low, high, mean = ((1 + gap) / 2 for gap in (*pair.interval, pair.difference))
        name = f"{pair.policy1} against {pair.policy0}"
        rows.append(_Row(name, (low, high), mean, decided=pair.decided))
    canvas = _interval_rows(rows, 0.5, width, ax, shown=not wins.in_doubt)
    canvas.axes.set_xlim(0, 1)
    canvas.axes.set_xlabel("probability of improvement (a tie counts half)")
    return canvas.done()


def plot_differences(
    analyses: "Sequence[Analysis]", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the interval of each pair's difference on each task; all of them hold together."""
    pairs = [(analysis, pair) for analysis in analyses for pair in analysis.simultaneous()]
    several = len(pairs) > len(analyses)
    rows = []
    for analysis, pair in pairs:
        span = analysis.bounds[1] - analysis.bounds[0]
        low, high, mean = (gap / span for gap in (*pair.interval, pair.difference))
        name = f"{analysis.task}: {_gap_of(pair)}" if several else str(analysis.task)
        rows.append(_Row(name, (low, high), mean, decided=not low <= 0 <= high))
    canvas = _interval_rows(rows, 0, width, ax)
    what = "difference" if several else _gap_of(pairs[0][1])
    canvas.axes.set_xlabel(f"{what}, as a share of the range; intervals hold together")
    return canvas.done()


def _gap_of(pair: "PairResult") -> str:
    return f"{pair.policy1} - {pair.policy0}"


class _Row(NamedTuple):
    name: str
    interval: tuple[float, float]
    mean: float
    decided: bool
    same: bool = False


def _interval_rows(
    rows: Sequence[_Row],
    nothing: float,
    width: float | None,
    ax: "Axes | None",
    *,
    shown: bool = True,
) -> Canvas:
    """Draw names, and below each its interval, if those are shown, with the mean of all trials."""
    longest = int(((width or WIDTH.get()) - 0.4) / LETTER)
    labels = [wrapped(row.name, longest) for row in rows]
    lines = max(label.count("\n") for label in labels) + 1
    canvas = Canvas(0.6 + (0.14 + LINE * lines) * len(labels), ax, width)
    axes = canvas.axes
    for place, (label, row) in enumerate(zip(labels, rows, strict=True)):
        axes.annotate(
            label, (0, place), (2, 4), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="bottom", fontsize=SMALL, bbox=OVER_LINES,
        )  # fmt: skip
        colour = COLOURS[2] if row.same else COLOURS[0] if row.decided else GREY
        if shown:
            axes.plot(row.interval, [place, place], color=colour, linewidth=2.5)
        axes.plot(row.mean, place, "|", color="black", markersize=8)
    axes.axvline(nothing, color="black", linewidth=0.8, zorder=0)
    axes.set_yticks([])
    axes.set_ylim(len(labels) - 0.6, -0.9)
    axes.spines["left"].set_visible(False)
    return canvas


def plot_ranking(
    analysis: "Analysis", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw which policies were told apart: a cell per pair with the difference of the means."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    signs = {Decision.POLICY1: 1, Decision.POLICY0: -1}
    verdicts = pair_matrix(analysis, lambda pair: signs.get(pair.decision, 0))
    same = np.abs(pair_matrix(analysis, lambda pair: 1.0 if pair.same else 0.0)) == 1
    verdicts[same] = 2
    gaps = pair_matrix(analysis, lambda pair: pair.difference)
    size, inches = len(analysis.policies), width or WIDTH.get()
    names = [wrapped(policy.name, 22 if inches < 5 else 40) for policy in analysis.policies]
    cell = min((inches - 0.5 - LETTER * _longest(names)) / size, 0.5)
    lines = max(name.count("\n") for name in names) + 1
    canvas = Canvas(0.5 + size * max(cell, LINE * lines), ax, width)
    axes = canvas.axes
    kinds = {"row worse": "#F2B48C", "not told apart": PALE, "row better": "#8FC1E3"}
    if analysis.margin < 0:
        shown = ("column not worse", "undecided", "row not worse")
        kinds = dict(zip(shown, kinds.values(), strict=True))
    kinds |= {"same": "#8FD0BB"} if same.any() else {}
    colours = ListedColormap(list(kinds.values()))
    axes.imshow(verdicts, cmap=colours, vmin=-1, vmax=len(kinds) - 2, aspect="auto")
    for (row, column), gap in np.ndenumerate(gaps) if cell >= SLIM else ():
        if not np.isnan(gap):
            text = f"{gap:+z.2f}" if abs(gap) < 10 else f"{gap:+.0f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=SMALL)
    numbers = [str(n) for n in range(1, size + 1)]
    named = [f"{name}  {n}" for name, n in zip(names, numbers, strict=True)]
    _name_cells(axes, named, numbers, upright=cell < 0.13)
    canvas.legend(
        [Patch(facecolor=colour, edgecolor=GREY, label=label) for label, colour in kinds.items()]
    )
    return canvas.done()


def plot_board(
    analyses: "Sequence[Analysis]", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw a board of tasks by policies: means as colours, with their letters where there is room.

    A mean is a share of the score's range, and better ones are darker.
    """
    names = policy_names(analyses)
    inches = width or WIDTH.get()
    tasks = [wrapped(str(one.task), 18 if inches < 5 else 30) for one in analyses]
    cell = (inches - 0.2 - LETTER * _longest(tasks)) / len(names)
    lines = max(task.count("\n") for task in tasks) + 1
    tall = max(LINE * lines + 0.06, 0.32 if cell >= SLIM else 0)
    canvas = Canvas(1.2 + tall * len(tasks), ax, width)
    axes, means = canvas.axes, np.full((len(analyses), len(names)), np.nan)
    for row, analysis in enumerate(analyses):
        scale = analysis.rules.reading.tested_scale
        for policy in analysis.policies:
            column = names.index(policy.name)
            mean = means[row, column] = scale.unit(np.asarray(policy.mean))
            if cell >= SLIM:
                letters = "" if analysis.in_doubt else policy.letters
                axes.text(
                    column, row, f"{score_text(policy.mean)}\n{letters}".strip(), ha="center",
                    va="center", fontsize=SMALL, color="white" if mean > 0.75 else "black",
                    linespacing=1.0,
                )  # fmt: skip
    image = axes.imshow(means, cmap="Blues", vmin=0, vmax=1.25, aspect="auto")
    upright = max(map(len, names)) * LETTER > cell
    _name_cells(axes, tasks, [wrapped(name, 30) for name in names], upright=upright)
    if cell < SLIM and canvas.owns_figure:
        bar = canvas.figure.colorbar(
            image, ax=axes, orientation="horizontal", shrink=0.6, aspect=30, pad=0.02,
            boundaries=np.linspace(0, 1, 21), ticks=[0, 0.5, 1],
        )  # fmt: skip
        bar.set_label("mean, as a share of the score's range", fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL)
    return canvas.done()


def _longest(names: Sequence[str]) -> int:
    return max(len(line) for name in names for line in name.split("\n"))


def _name_cells(
    axes: "Axes", rows: Sequence[str], columns: Sequence[str], *, upright: bool
) -> None:
    """Names of rows at the left, and of columns above."""
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(columns)), columns, rotation=90 if upright else 0)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def policy_names(analyses: "Sequence[Analysis]") -> list[str]:
    return list(dict.fromkeys(name for analysis in analyses for name in analysis.rules.policies))


def is_matrix(analysis: "Analysis") -> bool:
    """Whether pairs are too many for a line each; those with a baseline grow no faster than k."""
    return len(analysis.pairs) > MOST_LINES and analysis.baseline is None


def plot_profile(
    profiles: "Sequence[Profile]", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the share of trials with at least each score, with the bands of the policies."""
    canvas = Canvas(2.4, ax, width)
    for place, profile in enumerate(profiles):
        look = line_look(place)
        canvas.axes.fill_between(
            profile.score,
            profile.low,
            profile.high,
            color=look["color"],
            step="post",
            alpha=0.15,
            linewidth=0,
        )
        marker = MARKERS[place % len(MARKERS)]
        canvas.axes.step(
            profile.score, profile.share, where="post", linewidth=1.2, marker=marker, markersize=3,
            label=wrapped(profile.name, 40), **look,
        )  # fmt: skip
    canvas.axes.set(xlabel="score", ylabel="share of trials that reach it", ylim=(0, 1.02))
    canvas.legend()
    return canvas.done()

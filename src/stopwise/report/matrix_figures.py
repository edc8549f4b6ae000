"""Figures of pairs that are too many for a line each: a cell per pair."""

from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.pair_verdict import Decision
from stopwise.report.canvas import COLOURS, coloured, legend_below, new_axes
from stopwise.report.figure_data import pair_matrix
from stopwise.report.fonts import drawable, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

# Inches of a row and a column of a matrix.
CELL = 0.16


def interval_matrix(analysis: "Analysis") -> "Figure":
    """Draw the middle of each pair's interval as a colour, a dot where it includes 0."""
    figure, axes = _matrix_axes(analysis)
    middle = pair_matrix(analysis, lambda pair: sum(pair.interval) / 2)
    largest = float(np.nanmax(np.abs(middle)))
    image = axes.imshow(middle, cmap="RdBu", vmin=-largest, vmax=largest)
    open_ = pair_matrix(analysis, lambda pair: pair.interval.low <= 0 <= pair.interval.high)
    rows, columns = np.nonzero(np.abs(np.nan_to_num(open_)))
    axes.plot(columns, rows, ".", color="black", markersize=2)
    bar = figure.colorbar(image, ax=axes, orientation="horizontal", shrink=0.6)
    bar.set_label(
        "by how much the row is better: middle of the interval; dot: 0 is within", fontsize=8
    )
    return drawable(figure)


def verdict_matrix(analysis: "Analysis") -> "Figure":
    """Draw which policies were shown to be better than which, as colours."""
    signs = {Decision.POLICY1: 1, Decision.POLICY0: -1}
    colours = [COLOURS[1], "#dddddd", COLOURS[0]]
    figure, axes = _matrix_axes(analysis)
    verdicts = pair_matrix(analysis, lambda pair: signs.get(pair.decision, 0))
    names = ("row worse", "not told apart", "row better")
    legend_below(figure, coloured(axes, verdicts, colours, names, least=-1))
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

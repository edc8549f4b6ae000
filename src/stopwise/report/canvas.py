"""Shared by all figures: size, colours, axes, legends, and saving."""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from stopwise.report.fonts import drawable, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

# After Okabe and Ito's palette, which colour-blind readers can tell apart; light ones are darker,
# so that lines and small letters have a contrast of at least 3 : 1 on white.
COLOURS = ("#0072B2", "#D55E00", "#008A63", "#B0588C", "#A97600", "#000000", "#3C8DBC", "#6B6B00")
GREY, PALE = "#777777", "#dddddd"
# What each policy is marked by, beside its colour.
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
STYLES = ("-", "--", ":", "-.")
# Points; a figure is as wide as it is printed, so letters keep their size.
SMALL, TEXT, TITLE = 7.0, 7.5, 8.5
# Inches: a column of a paper, and a phone; and about a letter of an axis.
COLUMN, LETTER = 3.5, 0.066
WIDTH: ContextVar[float] = ContextVar("WIDTH", default=COLUMN)
# Text stays text, also for whoever edits the figure.
SAVED: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "stopwise"}
# Of pixels, also of those within vector figures.
DPI = 200


@contextmanager
def as_wide_as(inches: float) -> Iterator[None]:
    """Draw figures of this width."""
    before = WIDTH.set(inches)
    try:
        yield
    finally:
        WIDTH.reset(before)


class Canvas:
    """Axes to draw on: in a figure of their own, or those that someone gave."""

    def __init__(self, height: float, ax: "Axes | None" = None, width: float | None = None) -> None:
        require_matplotlib()
        from matplotlib.figure import Figure

        self.owns_figure, self.width = ax is None, width or WIDTH.get()
        if ax is None:
            figure = Figure(figsize=(self.width, height), layout="constrained")
            ax = figure.subplots()
        else:
            figure = ax.get_figure(root=True)  # type: ignore[assignment]  # a figure, if any
            self.width = ax.get_window_extent().width / figure.dpi
        self.figure, self.axes = figure, ax
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)

    def legend(self, handles: "Sequence[Patch] | None" = None) -> None:
        """Put the legend below the axes, in as many columns as fit, and make room for it."""
        look: dict[str, Any] = {"fontsize": SMALL, "frameon": False}
        if handles is not None:
            look["handles"] = handles
        if not self.owns_figure:
            self.axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.3), **look)
            return
        for columns in (4, 3, 2, 1):
            legend = self.figure.legend(loc="outside lower center", ncols=columns, **look)
            drawable(self.figure)
            size = legend.get_window_extent()
            if size.width <= self.figure.bbox.width or columns == 1:
                height = self.figure.get_figheight() + size.height / self.figure.dpi
                self.figure.set_figheight(height)
                return
            legend.remove()

    def done(self) -> "Figure":
        """The figure, with letters of the right size and fonts that have its characters."""
        axes = self.axes
        axes.tick_params(labelsize=SMALL)
        heights = axes.get_window_extent().height / self.figure.dpi
        for axis, room in ((axes.xaxis, self.width), (axes.yaxis, max(heights, 2.0))):
            axis.label.set_fontsize(TEXT)
            axis.set_label_text(fill(axis.label.get_text(), int(room / LETTER)))
        axes.title.set_fontsize(TITLE)
        return drawable(self.figure)


def line_look(index: int) -> dict[str, Any]:
    """Colour and style of the line with this number."""
    turn, colour = divmod(index, len(COLOURS))
    return {"color": COLOURS[colour], "linestyle": STYLES[(colour + turn) % len(STYLES)]}


def save(figure: "Figure", place: "Path | io.BytesIO", **look: Any) -> None:
    """Save a figure, with text as text."""
    import matplotlib as mpl

    with mpl.rc_context(SAVED):
        figure.savefig(place, dpi=DPI, **look)


def save_as(figure: "Figure", place: Path) -> list[Path]:
    """Write a figure as PDF, SVG and PNG; return the paths."""
    paths = [place.with_name(f"{place.name}.{ending}") for ending in ("pdf", "svg", "png")]
    for path in paths:
        save(figure, path)
    return paths

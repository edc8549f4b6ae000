"""What all figures share: colours, axes, legends."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stopwise.core.arrays import Floats
from stopwise.report.fonts import drawable, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

# After Okabe and Ito's palette, which colour-blind readers can tell apart; light ones are darker,
# so that lines and small letters have a contrast of at least 3 : 1 on white.
COLOURS = ("#0072B2", "#D55E00", "#008A63", "#B0588C", "#A97600", "#000000", "#3C8DBC", "#6B6B00")
GREY = "#777777"
# What each policy is marked by, beside its colour.
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*")
STYLES = ("-", "--", ":", "-.")


def new_axes(width: float, height: float) -> tuple["Figure", "Axes"]:
    """Return an empty figure, or raise with the extra to install."""
    require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


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


def coloured(
    axes: "Axes",
    kinds: Floats,
    colours: Sequence[str],
    labels: Sequence[str],
    *,
    least: int = 0,
    **look: Any,
) -> "list[Patch]":
    """Draw whole numbers from ``least`` on in a colour each; return what a legend needs."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    most = least + len(colours) - 1
    axes.imshow(kinds, cmap=ListedColormap(colours), vmin=least, vmax=most, **look)
    return [
        Patch(facecolor=colour, edgecolor=GREY, label=label)
        for colour, label in zip(colours, labels, strict=True)
    ]

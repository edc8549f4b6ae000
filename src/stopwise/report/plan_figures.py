"""The figure of planning: chances against numbers of trials."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.report.canvas import COLOURS, GREY, MARKERS, SMALL, STYLES, Canvas

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ChanceCurve(NamedTuple):
    """A chance by 0, 1, 2, ... trials; or with its standard errors, at some numbers of trials."""

    label: str
    chance: Floats
    n: Floats | None = None
    error: Floats | None = None


def plot_chances(
    curves: Sequence[ChanceCurve], across: str, upwards: str, *, target: float | None = None
) -> "Figure":
    """Draw chances as steps, or as points with bars of two standard errors."""
    canvas = Canvas(2.4)
    axes = canvas.axes
    for index, (label, chance, n, error) in enumerate(curves):
        look: dict[str, Any] = {
            "color": COLOURS[index % len(COLOURS)],
            "linestyle": STYLES[index % len(STYLES)],
            "label": label,
        }
        if n is None or error is None:
            axes.step(np.arange(chance.size), chance, where="post", **look)
            axes.set_xlim(left=0)
        else:
            marker = MARKERS[index % len(MARKERS)]
            axes.errorbar(n, chance, yerr=2 * error, capsize=2, marker=marker, markersize=4, **look)
    if target is not None:
        axes.axhline(target, color=GREY, linewidth=1)
        axes.annotate(
            f"target: {target:g}", (1, target), xycoords=("axes fraction", "data"), ha="right",
            va="bottom", fontsize=SMALL, color=GREY,
        )  # fmt: skip
    axes.set(xlabel=across, ylabel=upwards, ylim=(0, 1.03))
    canvas.legend()
    return canvas.done()

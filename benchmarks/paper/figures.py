"""The figures of the reproductions, drawn with matplotlib without any global state."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from stopwise.core.arrays import Floats, Ints
from stopwise.core.simulate import Simulation
from stopwise.report.canvas import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Panel:
    label: str
    n: Ints
    p_value: Floats


def alternative_maps(
    alternatives: Sequence[tuple[float, float]], values: Mapping[str, Floats], label: str
) -> "Figure":
    rates = sorted({p0 for p0, _ in alternatives})
    gaps = sorted({round(p1 - p0, 6) for p0, p1 in alternatives})
    figure, panels = _panels(len(values), columns=2, width=5.2, height=2.5)
    low = min(float(value.min()) for value in values.values())
    high = max(float(value.max()) for value in values.values())
    for axes, (name, value) in zip(panels, values.items(), strict=False):
        grid = np.full((len(gaps), len(rates)), np.nan)
        for (p0, p1), one in zip(alternatives, value, strict=True):
            place = gaps.index(round(p1 - p0, 6)), rates.index(p0)
            grid[place] = one
            shown = f"{one:.0f}" if high > 2 else f"{one:.2f}".lstrip("0")
            light = (one - low) < 0.5 * (high - low)
            axes.annotate(
                shown, (place[1], place[0]), ha="center", va="center", fontsize=6.5,
                color="white" if light else "black",
            )  # fmt: skip
        image = axes.imshow(grid, origin="lower", aspect="auto", vmin=low, vmax=high)
        axes.set_xticks(range(len(rates)), [f"{rate:.2f}" for rate in rates], fontsize=7)
        axes.set_yticks(range(len(gaps)), [f"{gap:.1f}" for gap in gaps], fontsize=7)
        axes.set_title(name, fontsize=8)
    figure.supxlabel("success rate of policy 0", fontsize=9)
    figure.supylabel("gap to policy 1", fontsize=9)
    figure.colorbar(image, ax=list(panels), label=label, shrink=0.6)
    return figure


def share_decided(found: Mapping[str, Mapping[str, Simulation]], n: int) -> "Figure":
    figure, panels = _panels(len(found), columns=2, width=4.4, height=3.4)
    for axes, (sampler, simulations) in zip(panels, found.items(), strict=True):
        for colour, (method, sim) in zip(COLOURS, simulations.items(), strict=False):
            times = np.sort(sim.n[sim.decision == 1])
            share = np.arange(1, len(times) + 1) / len(sim.n)
            axes.step(np.append(times, n), np.append(share, share[-1:]), where="post",
                      color=colour, label=method)  # fmt: skip
        axes.set_title(f"sampler {sampler}", fontsize=9)
        axes.set_xlabel("pairs")
        axes.set_ylim(0, 1)
        axes.set_ylabel("share of studies decided")
        axes.legend(fontsize=8, frameon=False, loc="lower right")
    return figure


def histogram(times: Mapping[str, Ints], label: str, marked: float | None) -> "Figure":
    figure, panels = _panels(len(times), columns=2, width=4.4, height=2.4)
    most = max(int(one.max(initial=1)) for one in times.values())
    for axes, (name, one) in zip(panels, times.items(), strict=True):
        axes.hist(one, bins=np.linspace(0, most, 31).tolist(), color=COLOURS[0])
        if marked is not None:
            axes.axvline(marked, color=COLOURS[1], linewidth=1.5)
            axes.annotate(f" paper: {marked:g}", (marked, 0.95), xycoords=("data", "axes fraction"),
                          fontsize=8, color=COLOURS[1], va="top")  # fmt: skip
        axes.set_title(name, fontsize=8)
        axes.set_ylabel("splits", fontsize=8)
    figure.supxlabel(label, fontsize=9)
    return figure


def bars(values: Mapping[str, float], label: str) -> "Figure":
    figure, (axes,) = _panels(1, columns=1, width=7.0, height=0.9 + 0.27 * len(values))
    places = range(len(values), 0, -1)
    axes.barh(list(places), list(values.values()), color=[_colour(name) for name in values])
    for place, value in zip(places, values.values(), strict=True):
        axes.annotate(f" {value:.0%}", (value, place), va="center", fontsize=8)
    axes.set_yticks(list(places), list(values), fontsize=8)
    axes.set_xlim(0, 1.1)
    axes.set_xlabel(label)
    return figure


def violins(
    scores: Mapping[str, ArrayLike], labels: Mapping[str, Mapping[str, str]], title: str
) -> "Figure":
    names = list(scores)
    figure, (axes,) = _panels(1, columns=1, width=1.8 + 1.5 * len(names), height=4.4)
    for place, name in enumerate(names):
        values = np.asarray(scores[name], dtype=float)
        colour = COLOURS[place % len(COLOURS)]
        parts: Any = axes.violinplot([values], positions=[place], widths=0.8, showextrema=False)
        for body in parts["bodies"]:
            body.set_facecolor(colour)
            body.set_alpha(0.5)
        axes.plot([place], [values.mean()], "D", color="black", markersize=5)
    ticks = [
        "\n".join([name, *(f"{method}: {label[name]}" for method, label in labels.items())])
        for name in names
    ]
    axes.set_xticks(range(len(names)), ticks, fontsize=8)
    axes.set_title(f"{title}; below: letters and trials of each method", fontsize=9)
    return figure


def p_value_panels(panels: Mapping[str, Sequence[Panel]], alpha: float) -> "Figure":
    figure, axes_of = _panels(len(panels), columns=3, width=3.9, height=2.9)
    for axes, (pair, curves) in zip(axes_of, panels.items(), strict=True):
        methods = list(dict.fromkeys(curve.label.split(", ")[0] for curve in curves))
        for curve in curves:
            method, metric = curve.label.split(", ")
            style = "-" if metric == "progress" else "--"
            colour = COLOURS[methods.index(method)]
            axes.step(curve.n, curve.p_value, style, where="post", color=colour, linewidth=1.2,
                      label=curve.label)  # fmt: skip
        axes.axhline(alpha, color=GREY, linewidth=1)
        axes.set_yscale("log")
        axes.set_ylim(alpha / 2, 1.3)
        axes.set_title(pair, fontsize=9)
    figure.supxlabel(f"pairs of trials (grey: alpha = {alpha:g})", fontsize=9)
    figure.supylabel("anytime p-value, adjusted for all pairs", fontsize=9)
    handles, names = axes_of[0].get_legend_handles_labels()
    figure.legend(handles, names, fontsize=8, frameon=False, ncols=6, loc="outside upper center")
    return figure


def _colour(name: str) -> str:
    return COLOURS[0] if "nscore-plus" in name else GREY


def _panels(
    count: int, *, columns: int, width: float, height: float
) -> tuple["Figure", list["Axes"]]:
    from matplotlib.figure import Figure

    columns = min(columns, count)
    rows = math.ceil(count / columns)
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for one in axes:
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
    for empty in axes[count:]:
        empty.axis("off")
    return figure, axes[:count]

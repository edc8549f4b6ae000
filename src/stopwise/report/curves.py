"""Lines over trials: the chances of planning, and how the evidence of one live test grew."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_verdict import Decision, Verdict
from stopwise.report.canvas import GREY, MARKERS, SMALL, Canvas, line_look
from stopwise.report.fonts import wrapped

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
        look = line_look(index) | {"label": label}
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


def plot_stream(
    history: Sequence[Sequence[float]], verdict: Verdict, names: tuple[str, str]
) -> "Figure":
    """Draw the p-value of each direction against pairs, with its threshold and the verdict."""
    canvas = Canvas(2.4)
    axes, rules = canvas.axes, verdict.rules
    for index, policy in enumerate(rules.directions):
        values = [1.0, *(p_values[index] for p_values in history)]
        label = wrapped(f"{names[policy]} > {names[1 - policy]}", 40)
        axes.step(range(len(values)), values, where="post", label=label, **line_look(index))
    level = rules.alpha
    if len(rules.directions) > 1 and verdict.ties == "strict":
        level /= 2
    axes.axhline(level, color=GREY, linewidth=1, label=f"needed: {level:g}")
    if verdict.n_decided is not None:
        axes.axvline(verdict.n_decided, color=GREY, linewidth=1, linestyle=":")
    winners = {Decision.POLICY0: 0, Decision.POLICY1: 1}
    end = verdict.decision.value
    if verdict.decision in winners:
        end = rules.reading.claim(winners[verdict.decision], names)
    axes.set_title(wrapped(f"{end}, {verdict.n} {rules.reading.unit}s seen", 50))
    axes.set(yscale="log", xlabel=f"{rules.reading.unit}s", ylabel="anytime p-value")
    canvas.legend()
    return canvas.done()

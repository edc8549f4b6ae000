"""The figure of one live test: how its evidence grew."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.core.pair_verdict import Decision, Verdict
from stopwise.report.canvas import COLOURS, GREY, STYLES, Canvas
from stopwise.report.fonts import wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_stream(
    history: Sequence[Sequence[float]],
    verdict: Verdict,
    names: tuple[str, str],
) -> "Figure":
    """Draw the p-value of each direction against pairs, with its threshold and the verdict."""
    canvas = Canvas(2.4)
    axes = canvas.axes
    pairs = range(len(history) + 1)
    one_sided = {"greater": ((1, 0),), "less": ((0, 1),)}
    ways = one_sided.get(verdict.alternative, ((1, 0), (0, 1)))
    for way, (better, worse) in enumerate(ways):
        values = [1.0, *(p_values[way] for p_values in history)]
        label = wrapped(f"{names[better]} > {names[worse]}", 40)
        axes.step(
            pairs, values, where="post", color=COLOURS[way], linestyle=STYLES[way], label=label
        )
    level = verdict.rules.alpha
    if len(ways) > 1 and verdict.ties == "strict":
        level /= 2
    axes.axhline(level, color=GREY, linewidth=1, label=f"needed: {level:g}")
    if verdict.n_decided is not None:
        axes.axvline(verdict.n_decided, color=GREY, linewidth=1, linestyle=":")
    reading = verdict.rules.reading
    ends = {
        Decision.POLICY0: reading.winner_text(0, names),
        Decision.POLICY1: reading.winner_text(1, names),
    }
    found = ends.get(verdict.decision, verdict.decision.value)
    axes.set_title(wrapped(f"{found}, {verdict.n} {reading.unit}s seen", 50))
    axes.set(yscale="log", xlabel=reading.units, ylabel="anytime p-value")
    canvas.legend()
    return canvas.done()

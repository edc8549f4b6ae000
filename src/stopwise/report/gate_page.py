"""The page of a gate: the answer, the interval beside the margin, and of which trials it is."""

from typing import TYPE_CHECKING

from stopwise.core.scores import interval_text, score_text
from stopwise.messages import counted, in_short
from stopwise.report.canvas import COLOURS, GREY, Canvas
from stopwise.report.fonts import wrapped
from stopwise.report.html import Origin, captioned, render_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.gate_result import GateResult


def plot_gate(
    result: "GateResult", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the interval, the estimate in it, and the edge that it has to lie beyond."""
    canvas = Canvas(1.1, ax, width)
    axes = canvas.axes
    means, level = result.all_trials.means, f"{100 * result.interval_level:.6g}%"
    number = result.rules.reference
    estimate = means[result.policy]
    if number is None:
        estimate = result.rules.reading.advantage(means[result.policy] - means[result.baseline])
    axes.plot(
        result.interval, (0, 0), color=COLOURS[0], linewidth=3, label=f"{level} confidence sequence"
    )
    axes.plot(estimate, 0, "o", color=COLOURS[0], markersize=5, label="all trials")
    label = "limit" if number is not None else "margin"
    axes.axvline(result.edge, color=COLOURS[1], linestyle="--", label=f"{label} {result.edge:g}")
    if number is None:
        axes.axvline(0, color=GREY, linewidth=1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(wrapped(result.rules.reading.interval_of(result.policy), 60))
    canvas.legend()
    return canvas.done()


def gate_page(result: "GateResult", origin: Origin | None = None) -> str:
    """Fill in the page."""
    columns = [("all trials", result.all_trials)]
    if result.decision is not None:
        columns.insert(0, ("up to the decision", result.decision))
    rows = [
        {
            "mean (trials)": name,
            **{
                column: f"{score_text(measured.means[name])} ({measured.trials[name]})"
                for column, measured in columns
            },
        }
        for name in reversed(tuple(result.all_trials.means))
    ]
    settings = {
        "margin": score_text(result.margin),
        "used": counted(result.n, result.unit)
        if result.n_max is None
        else f"{result.n} of at most {counted(result.n_max, result.unit)}",
        "interval": f"{interval_text(result.interval, result.edge)} "
        f"({100 * result.interval_level:.6g}%, of all trials)",
        "anytime p": f"{result.p_value:.2g}",
        "method": f"{result.method}, {result.design} design, alpha {result.alpha:g} for each claim",
        "bounds": interval_text(result.rules.bounds),
    }
    caption = f"What is known of the {result.rules.reading.measured}, and the limit"
    return render_page(
        "gate.html",
        title=f"{result.policy}: {result.answer}",
        found=result,
        rows=rows,
        assumed=in_short(result.warnings),
        settings=settings,
        pictures=captioned({"gate": result.plot()}, {"gate": caption}, result.sentence),
        origin=origin or Origin(),
    )

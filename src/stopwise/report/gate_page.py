"""The page of a gate: the answer, the interval beside the margin, and of which trials it is."""

from typing import TYPE_CHECKING

from stopwise.core.scores import interval_text, score_text
from stopwise.messages import counted
from stopwise.report.canvas import COLOURS, GREY, Canvas
from stopwise.report.fonts import wrapped
from stopwise.report.html import Origin, captioned, render_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.gate_result import GateResult


def plot_gate(
    found: "GateResult", *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the interval, the estimate in it, and the edge that it has to lie beyond."""
    canvas = Canvas(1.1, ax, width)
    axes = canvas.axes
    means, level = found.all_trials.means, f"{100 * found.interval_level:.6g}%"
    number = found.rules.reference
    estimate = means[found.policy]
    if number is None:
        estimate = found.rules.reading.advantage(means[found.policy] - means[found.baseline])
    axes.plot(
        found.interval, (0, 0), color=COLOURS[0], linewidth=3, label=f"{level} confidence sequence"
    )
    axes.plot(estimate, 0, "o", color=COLOURS[0], markersize=5, label="all trials")
    label = "limit" if number is not None else "margin"
    axes.axvline(found.edge, color=COLOURS[1], linestyle="--", label=f"{label} {found.edge:g}")
    if number is None:
        axes.axvline(0, color=GREY, linewidth=1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    what = found.rules.reading.gap_of(found.policy, found.baseline)
    axes.set_xlabel(wrapped(what, 60))
    canvas.legend()
    return canvas.done()


def gate_page(found: "GateResult", origin: Origin | None = None) -> str:
    """Fill in the page."""
    columns = [("all trials", found.all_trials)]
    if found.decision is not None:
        columns.insert(0, ("up to the decision", found.decision))
    rows = [
        {
            "mean (trials)": name,
            **{
                column: f"{score_text(measured.means[name])} ({measured.trials[name]})"
                for column, measured in columns
            },
        }
        for name in reversed(tuple(found.all_trials.means))
    ]
    settings = {
        "margin": score_text(found.margin),
        "used": counted(found.n, found.unit)
        if found.n_max is None
        else f"{found.n} of at most {counted(found.n_max, found.unit)}",
        "interval": f"{interval_text(found.interval, found.edge)} "
        f"({100 * found.interval_level:.6g}%, of all trials)",
        "anytime p": f"{found.p_value:.2g}",
        "method": f"{found.method}, {found.design} design, alpha {found.alpha:g} for each claim",
        "bounds": interval_text(found.rules.bounds),
    }
    caption = f"What is known of the {found.rules.reading.measured}, and the limit"
    return render_page(
        "gate.html",
        title=f"{found.policy}: {found.answer}",
        found=found,
        rows=rows,
        settings=settings,
        pictures=captioned({"gate": found.plot()}, {"gate": caption}, found.sentence),
        origin=origin or Origin(),
    )

"""Several tasks at a glance: a table of policies by tasks, and a figure of their means."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.core.scores import score_text
from stopwise.report.canvas import COLOURS, legend_below, new_axes
from stopwise.report.fonts import drawable, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

WIDTH = 5.2


def overview_rows(analyses: Sequence["Analysis"]) -> list[dict[str, str]]:
    """Return a row per task: the mean and the letters (or the standing) of each policy."""
    rows = []
    for analysis in analyses:
        known = {policy.name: policy for policy in analysis.policies}
        cells = {"task": str(analysis.task)}
        for name in policy_names(analyses):
            policy = known.get(name)
            cells[name] = "-"
            if policy is not None:
                mark = policy.letters or ("best" if name == analysis.best else "")
                cells[name] = f"{score_text(policy.mean)} {mark}".strip()
        rows.append(cells)
    return rows


def policy_names(analyses: Sequence["Analysis"]) -> list[str]:
    """Return the policies of all tasks, each once, as they were listed."""
    return list(dict.fromkeys(name for own in analyses for name in own.rules.policies))


def plot_overview(analyses: Sequence["Analysis"]) -> "Figure":
    """Draw the mean of each policy on each task, with its interval, task below task."""
    names = policy_names(analyses)
    step = 0.8 / len(names)
    figure, axes = new_axes(WIDTH, height=1 + len(analyses) * max(0.3, 0.1 * len(names)))
    for place, name in enumerate(names):
        colour, label = COLOURS[place % len(COLOURS)], wrapped(name, 60)
        for row, analysis in enumerate(analyses):
            own = next((policy for policy in analysis.policies if policy.name == name), None)
            if own is None:
                continue
            low, high = analysis.bounds
            at = row + step * (place - (len(names) - 1) / 2)
            ends = [(end - low) / (high - low) for end in own.interval]
            mean = (own.mean - low) / (high - low)
            axes.plot(ends, [at, at], color=colour, linewidth=1.6)
            axes.plot([mean], [at], "o", color=colour, markersize=4, label=label)
            label = "_"  # one entry of the legend is enough
    axes.set_yticks(range(len(analyses)), [wrapped(str(own.task)) for own in analyses], fontsize=8)
    axes.set_ylim(len(analyses) - 0.5, -0.5)
    axes.set_xlabel("mean score as a share of its range, with its interval", fontsize=9)
    legend_below(figure)
    return drawable(figure)

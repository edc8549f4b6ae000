"""Several tasks at a glance: a table of policies by tasks, and a figure of their means."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.core.scores import score_text
from stopwise.messages import listed
from stopwise.report.canvas import COLOURS, MARKERS, legend_below, new_axes
from stopwise.report.fonts import drawable, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

WIDTH = 5.2
# So many different answers are still read one by one.
FEW_HEADLINES = 2


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


def overall(analyses: Sequence["Analysis"]) -> str | None:
    """Return the answer on many tasks as one sentence; None if few headlines say it as well."""
    plain = all(own.PARTS == "order" and own.margin >= 0 for own in analyses)
    if not plain or len({own.headline for own in analyses}) <= FEW_HEADLINES:
        return None
    times = Counter((pair.better, pair.worse) for own in analyses for pair in own.pairs)
    won: dict[str, dict[int, list[str]]] = {}
    for (better, worse), number in sorted(times.items(), key=lambda item: -item[1]):
        if better is not None:
            won.setdefault(better, {}).setdefault(number, []).append(str(worse))
    said = []
    wins = Counter(better for own in analyses for pair in own.pairs if (better := pair.better))
    for better, _ in wins.most_common():
        parts = [
            f"than {listed(worse)} on {'all' if number == len(analyses) else number}"
            for number, worse in won[better].items()
        ]
        said.append(f"{better} is better {listed(parts)}")
    doubted = sum(bool(own.serious_doubts) for own in analyses)
    doubts = f" {doubted} of these answers are in doubt." if doubted else ""
    return (
        f"On {len(analyses)} tasks, each tested separately at alpha = {analyses[0].alpha:g}: "
        f"{'; '.join(said) or 'no two policies were told apart'}.{doubts}"
    )


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
        mark = MARKERS[place % len(MARKERS)]
        for row, analysis in enumerate(analyses):
            own = next((policy for policy in analysis.policies if policy.name == name), None)
            if own is None:
                continue
            low, high = analysis.bounds
            at = row + step * (place - (len(names) - 1) / 2)
            ends = [(end - low) / (high - low) for end in own.interval]
            mean = (own.mean - low) / (high - low)
            axes.plot(ends, [at, at], color=colour, linewidth=1.6)
            axes.plot([mean], [at], mark, color=colour, markersize=5, label=label)
            label = "_"  # one entry of the legend is enough
    axes.set_yticks(range(len(analyses)), [wrapped(str(own.task)) for own in analyses], fontsize=8)
    axes.set_ylim(len(analyses) - 0.5, -0.5)
    axes.set_xlabel("mean score as a share of its range, with its interval", fontsize=9)
    legend_below(figure)
    return drawable(figure)

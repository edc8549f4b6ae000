"""Several tasks at a glance: a table of policies by tasks, and a figure of their means."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.core.scores import score_text
from stopwise.messages import counted, listed, placed
from stopwise.report.canvas import COLOURS, GREY, SMALL, WIDTH, Canvas
from stopwise.report.figures import LETTER, LINE, SLIM
from stopwise.report.fonts import wrapped
from stopwise.report.tables import p_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis

NUMBERS = re.compile(r"[0-9.]+")
# More tasks are counted where one reads aloud.
MOST_TASKS = 4
# So many different answers are still read one by one.
FEW_HEADLINES = 2
# More policies have no column each.
FEW_POLICIES = 6


def answers(analyses: Sequence["Analysis"]) -> list[str]:
    """The answer as one says it aloud, in as few sentences as tell it."""
    if len(analyses) == 1:
        return [analyses[0].headline]
    summary = overall(analyses)
    if summary is not None:
        return [summary]
    tasks: dict[str, list[str]] = {}
    for analysis in analyses:
        tasks.setdefault(analysis.headline, []).append(str(analysis.task))
    if len(tasks) == 1:
        return [f"On each of the {len(analyses)} tasks: {next(iter(tasks))}"]
    return [f"On {names_in_short(names)}: {text}" for text, names in tasks.items()]


def names_in_short(tasks: Sequence[str]) -> str:
    """Name tasks, or count them if they are many."""
    many = f"{len(tasks)} tasks ({', '.join(tasks[:MOST_TASKS])}, ...)"
    return listed(tasks) if len(tasks) <= MOST_TASKS else many


def shared_notes(analyses: Sequence["Analysis"]) -> list[str]:
    """Notes that hold for every task."""
    first, *others = analyses
    return [note for note in first.warnings if all(note in own.warnings for own in others)]


def merged_notes(analyses: Sequence["Analysis"]) -> list[str]:
    """Notes of all tasks, those that differ in their numbers only as one."""
    alike: dict[str, dict[str, str]] = {}
    for analysis in analyses:
        for note in analysis.warnings:
            alike.setdefault(NUMBERS.sub("#", note), {})[str(analysis.task)] = note
    notes = []
    for found in alike.values():
        first, *others = found.values()
        if len(found) == len(analyses) and set(others) <= {first}:
            notes.append(first)
        else:
            of = ", for example" if set(others) - {first} else ""
            notes.append(placed(f"on {names_in_short(list(found))}{of}: ", first))
    return notes


def overview_rows(analyses: Sequence["Analysis"]) -> list[dict[str, str]]:
    """One row per task: what was shown, and the mean of each policy if they are few."""
    names = policy_names(analyses)
    rows = []
    for analysis in analyses:
        known = {policy.name: policy for policy in analysis.policies}
        cells = {"task": str(analysis.task)}
        for name in names if len(names) <= FEW_POLICIES else ():
            policy = known.get(name)
            cells[name] = "-" if policy is None else score_text(policy.mean)
            if policy is not None and len(names) > 2:
                mark = "" if analysis.in_doubt else policy.letters
                mark = mark or ("best" if name == analysis.best else "")
                cells[name] = f"{cells[name]} {mark}".strip()
        rows.append(cells | _shown(analysis))
    return rows


def _shown(analysis: "Analysis") -> dict[str, str]:
    """Cells on what was shown on one task: of a single pair all, of several how many."""
    doubt = " (in doubt)" if analysis.in_doubt else ""
    if len(analysis.pairs) == 1:
        [pair] = analysis.sorted_pairs
        return {
            "shown": f"{pair.finding or 'undecided'}{doubt}",
            "p": p_text(pair, analysis.alpha),
            "after": str(pair.n),
        }
    needed = str(analysis.trials_used)
    if not analysis.pairs:
        return {
            "best": (analysis.best or f"{len(analysis.candidates)} left") + doubt,
            "needed": needed,
        }
    decided = sum(pair.decided for pair in analysis.pairs)
    few = len(analysis.candidates) <= 2 and len(analysis.candidates) < len(analysis.policies)
    unbeaten = " or ".join(analysis.candidates) if few else f"{len(analysis.candidates)} left"
    best = {} if analysis.margin < 0 or analysis.baseline else {"best": unbeaten + doubt}
    return {**best, "decided": f"{decided} of {len(analysis.pairs)}", "needed": needed}


def overall(analyses: Sequence["Analysis"]) -> str | None:
    """The answer on many tasks as one sentence; None if few headlines say it as well."""
    plain = all(own.PARTS == "order" and own.margin >= 0 for own in analyses)
    if not plain or len({own.headline for own in analyses}) <= FEW_HEADLINES:
        return None
    shared = any(own.rules.elsewhere[0] for own in analyses)
    how = "all tested together" if shared else "each tested separately"
    tested = f"{how} at alpha = {analyses[0].alpha:g}"
    doubted = sum(own.in_doubt for own in analyses)
    doubts = f" {counted(doubted, 'answer is', 'answers are')} in doubt." if doubted else ""
    pairs = [pair for own in analyses for pair in own.pairs]
    if len(pairs) == len(analyses):
        names = policy_names(analyses)
        times = Counter(pair.finding for pair in pairs)
        first, second = sorted(names, key=lambda name: -times[name])
        same = f", practically the same on {n}" if (n := times["practically the same"]) else ""
        return (
            f"{first} is better than {second} on {times[first]}, worse on {times[second]}{same}, "
            f"undecided on {times[None]} of {len(analyses)} tasks, {tested}.{doubts}"
        )
    if len(policy_names(analyses)) > FEW_POLICIES:
        times = Counter(name for own in analyses for name in own.candidates)
        decided = sum(pair.decided for pair in pairs)
        ahead = [f"{name} on {number}" for name, number in times.most_common(MOST_TASKS)]
        return (
            f"On {len(analyses)} tasks, {tested}, {decided} of {len(pairs)} pairs were decided. "
            f"Not shown to be worse than any other: {', '.join(ahead)}, and others less often."
            f"{doubts}"
        )
    won: dict[str, dict[int, list[str]]] = {}
    counts = Counter((pair.better, pair.worse) for pair in pairs)
    for (better, worse), number in sorted(counts.items(), key=lambda item: -item[1]):
        if better is not None:
            won.setdefault(better, {}).setdefault(number, []).append(str(worse))
    said = []
    wins = Counter(better for pair in pairs if (better := pair.better))
    for better, _ in wins.most_common(MOST_TASKS):
        parts = [
            f"than {listed(worse)} on {'all' if number == len(analyses) else number}"
            for number, worse in won[better].items()
        ]
        said.append(f"{better} is better {listed(parts)}")
    return (
        f"On {len(analyses)} tasks, {tested}: "
        f"{'; '.join(said) or 'no two policies were told apart'}.{doubts}"
    )


def policy_names(analyses: Sequence["Analysis"]) -> list[str]:
    """The policies of all tasks, each once, as they were listed."""
    return list(dict.fromkeys(name for own in analyses for name in own.rules.policies))


def plot_differences(
    analyses: Sequence["Analysis"], *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw the interval of each pair's difference on each task; all of them hold together."""
    rows = [(own, pair) for own in analyses for pair in own.simultaneous()]
    several = len(rows) > len(analyses)
    canvas = Canvas(0.7 + 0.22 * len(rows), ax, width)
    axes = canvas.axes
    axes.axvline(0, color=GREY, linewidth=0.8)
    for row, (analysis, pair) in enumerate(rows):
        span = analysis.bounds[1] - analysis.bounds[0]
        low, high = (end / span for end in pair.interval)
        apart = not low <= 0 <= high
        axes.plot([low, high], [row, row], color=COLOURS[0] if apart else GREY, linewidth=1.4)
        axes.plot([pair.difference / span], [row], "o", color="black", markersize=3)
    labels = [
        wrapped(f"{own.task}: {pair.policy1} - {pair.policy0}" if several else str(own.task), 30)
        for own, pair in rows
    ]
    axes.set_yticks(range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    first = rows[0][1]
    what = "difference" if several else f"{first.policy1} - {first.policy0}"
    axes.set_xlabel(f"{what}, as a share of the range; intervals hold together")
    return canvas.done()


def plot_board(
    analyses: Sequence["Analysis"], *, width: float | None = None, ax: "Axes | None" = None
) -> "Figure":
    """Draw a board of tasks by policies: means as colours, with their letters where there is room.

    A mean is a share of the score's range, and better ones are darker.
    """
    import numpy as np

    names = policy_names(analyses)
    inches = width or WIDTH.get()
    longest = 18 if inches < 5 else 30
    tasks = [wrapped(str(own.task), longest) for own in analyses]
    letters = max(len(line) for task in tasks for line in task.split("\n"))
    cell = (inches - 0.2 - LETTER * letters) / len(names)
    means, texts = np.full((len(analyses), len(names)), np.nan), {}
    for row, analysis in enumerate(analyses):
        scale = analysis.rules.reading.tested_scale
        for policy in analysis.policies:
            column = names.index(policy.name)
            means[row, column] = scale.unit(np.asarray(policy.mean))
            mark = "" if analysis.in_doubt else policy.letters
            texts[row, column] = f"{score_text(policy.mean)}\n{mark}".strip()
    lines = max(task.count("\n") for task in tasks) + 1
    tall = max(LINE * lines + 0.06, 0.32 if cell >= SLIM else 0)
    canvas = Canvas(1.2 + tall * len(tasks), ax, width)
    axes = canvas.axes
    image = axes.imshow(means, cmap="Blues", vmin=0, vmax=1.25, aspect="auto")
    for (row, column), text in texts.items() if cell >= SLIM else ():
        colour = "white" if means[row, column] > 0.75 else "black"
        axes.text(
            column, row, text, ha="center", va="center", fontsize=SMALL, color=colour,
            linespacing=1.0,
        )  # fmt: skip
    upright = max(map(len, names)) * LETTER > cell
    axes.set_xticks(
        range(len(names)), [wrapped(name, 30) for name in names], rotation=90 if upright else 0
    )
    axes.set_yticks(range(len(tasks)), tasks)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    if cell < SLIM and canvas.own:
        bar = canvas.figure.colorbar(
            image, ax=axes, orientation="horizontal", shrink=0.6, aspect=30, pad=0.02,
            boundaries=np.linspace(0, 1, 21), ticks=[0, 0.5, 1],
        )  # fmt: skip
        bar.set_label("mean, as a share of the score's range", fontsize=SMALL)
        bar.ax.tick_params(labelsize=SMALL)
    return canvas.done()

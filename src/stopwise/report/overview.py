"""Several tasks at a glance: a table of policies by tasks, and a figure of their means."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stopwise.core.scores import score_text
from stopwise.messages import counted, listed, placed
from stopwise.report.figures import policy_names
from stopwise.report.tables import p_text

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

NUMBERS = re.compile(r"[0-9.]+")
# More tasks are counted where one reads aloud.
MOST_TASKS = 4
# So many different answers are still read one by one.
FEW_HEADLINES = 2
# More policies have no column each.
FEW_POLICIES = 6


def answers(analyses: Sequence["Analysis"]) -> list[str]:
    """The answer in as few sentences as possible."""
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
    return [
        note for note in first.warnings if all(note in analysis.warnings for analysis in others)
    ]


def merged_notes(analyses: Sequence["Analysis"]) -> list[str]:
    """Notes of all tasks; those that differ only in numbers become one."""
    alike: dict[str, dict[str, str]] = {}
    for analysis in analyses:
        for note in analysis.warnings:
            alike.setdefault(NUMBERS.sub("#", note), {})[str(analysis.task)] = note
    notes = []
    for texts in alike.values():
        first, *others = texts.values()
        if len(texts) == len(analyses) and set(others) <= {first}:
            notes.append(first)
        else:
            of = ", for example" if set(others) - {first} else ""
            notes.append(placed(f"on {names_in_short(list(texts))}{of}: ", first))
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
    plain = all(analysis.PARTS == "order" and analysis.margin >= 0 for analysis in analyses)
    if not plain or len({analysis.headline for analysis in analyses}) <= FEW_HEADLINES:
        return None
    shared = any(analysis.rules.elsewhere[0] for analysis in analyses)
    how = "all tested together" if shared else "each tested separately"
    tested = f"{how} at alpha = {analyses[0].alpha:g}"
    doubted = sum(analysis.in_doubt for analysis in analyses)
    doubts = f" {counted(doubted, 'answer is', 'answers are')} in doubt." if doubted else ""
    pairs = [pair for analysis in analyses for pair in analysis.pairs]
    if len(pairs) == len(analyses):
        times = Counter(pair.finding for pair in pairs)
        leads = Counter(analysis.policies[0].name for analysis in analyses)
        names = policy_names(analyses)
        first, second = sorted(names, key=lambda name: (-times[name], -leads[name]))
        same = f", practically the same on {n}" if (n := times["practically the same"]) else ""
        return (
            f"{first} is better than {second} on {times[first]}, worse on {times[second]}{same}, "
            f"undecided on {times[None]} of {len(analyses)} tasks, {tested}.{doubts}"
        )
    unbeaten = Counter(name for analysis in analyses for name in analysis.candidates)
    ahead = [f"{name} on {number}" for name, number in unbeaten.most_common(MOST_TASKS)]
    others = ", and others less often" if len(unbeaten) > MOST_TASKS else ""
    return (
        f"On {len(analyses)} tasks, {tested}, {sum(pair.decided for pair in pairs)} of "
        f"{len(pairs)} pairs were decided. Not shown to be worse than any other: "
        f"{', '.join(ahead)}{others}.{doubts}"
    )

"""A comparison while it runs: its evidence as tables, and how many rows are to come."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.questions.standing import Standing
    from stopwise.study.verdict import StudyVerdict, TaskVerdict

BAR = 24
FEW = 4  # so many names still fit into a line
WORDS = ("pair", "policy", "standing", "evidence")
Rows = list[dict[str, Any]]


def pair_rows(pairs: Sequence["Standing"], alpha: float, *, named: bool = True) -> Rows:
    """A row per pair: its evidence, on a log scale that is full at the decision.

    Without names, it does not tell operators what they have just scored; nor does a p-value, which
    never rises.
    """
    from stopwise.questions.standing import share_of_way

    rows: Rows = []
    for pair in pairs:
        state = "the same" if pair.same else "decided" if pair.decided else "open"
        share = share_of_way(pair, alpha=alpha)
        row = {
            "pair": pair.relation if named else state,
            "rows": pair.n,
            "p": f"{pair.p_value:.2g}",
            "evidence": bar(share if pair.decided else min(share, 1 - 1 / BAR)),
        }
        if named and any(other.chance is not None for other in pairs):
            futile = " futile" if pair.futile else ""
            row["chance"] = "" if pair.chance is None else f"{pair.chance:.0%}{futile}"
        rows.append(row)
    return rows


def candidate_rows(names: Sequence[str], p_values: Mapping[str, float], alpha: float) -> Rows:
    """A row per candidate: the evidence against it, full when it is dropped."""
    from stopwise.questions.standing import share_gone

    return [
        {"policy": name, "p": f"{p:.2g}", "evidence against it": bar(share_gone(p, alpha))}
        for name in names
        for p in [p_values[name]]
    ]


def print_evidence(verdict: "StudyVerdict", *, named: bool = True, most: int | None = None) -> None:
    """Print how far each pair of a study has come, or who may still be the best.

    Where a task has more than ``most`` pairs, only the undecided ones closest to a decision are
    shown, and the others counted.
    """
    from stopwise.cli.printing import print_rows, say

    for task in verdict.tasks:
        if len(verdict.tasks) > 1:
            say(f"task {task.task}, {counted(task.rows, 'row')}")
        pairs = sorted(task.pairs, key=lambda pair: pair.p_value)
        still_open = [pair for pair in pairs if not pair.decided]
        shown = list(task.pairs) if named else pairs
        if most is not None and len(pairs) > most:
            shown = still_open[:most]
        rows = pair_rows(shown, task.alpha, named=named) if pairs else _standing(task, named)
        if rows:
            print_rows(rows, WORDS)
        if len(shown) < len(pairs):
            more, decided = len(still_open) - len(shown), len(pairs) - len(still_open)
            say(f"and {more} more open, {decided} decided, of {counted(len(pairs), 'pair')}")


def _standing(task: "TaskVerdict", named: bool) -> Rows:
    """Who may still be the best, and who was dropped when; without names, how many."""
    standing = dict.fromkeys(task.candidates, "may still be the best")
    standing |= dict.fromkeys(task.set_aside, "set aside: needs no more trials")
    standing |= {} if task.best is None else {task.best: "the best"}
    standing |= {
        name: f"dropped after row {out.row}"
        for name, out in reversed(list(task.eliminated.items()))
    }
    if not named:
        return [{"policies": len(standing), "may still be the best": len(task.candidates)}]
    return [{"policy": name, "standing": text} for name, text in standing.items()]


def candidates_text(candidates: Sequence[str]) -> str:
    """How many policies may still be the best, and which if they are few."""
    left = counted(len(candidates), "candidate")
    few = f" ({', '.join(candidates)})" if len(candidates) <= FEW else ""
    return f"{left} left{few}"


def rows_text(rows: int, n_max: int | None, remaining: int | None) -> str:
    """How many rows there are, and about how many more it may take."""
    so_far = counted(rows, "row") if n_max is None else f"{rows} of at most {counted(n_max, 'row')}"
    if remaining is None:
        return f"{so_far}; too early to project"
    if n_max is not None and remaining == n_max - rows:
        return f"{so_far}; at the present rate all of them will be needed"
    return f"{so_far}; about {remaining} more at the present rate of evidence"


def bar(share: float) -> str:
    marks = math.floor(BAR * share)
    return "█" * marks + "░" * (BAR - marks)

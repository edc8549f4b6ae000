"""A running comparison: its evidence as tables, and how many rows are still to come."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stopwise.cli.printing import print_rows, say
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.study.verdict import StudyVerdict, TaskVerdict

BAR = 24
FEW = 4  # names that fit into a line
WORDS = ("pair", "policy", "standing", "evidence")


def print_evidence(verdict: "StudyVerdict") -> None:
    """Print how far each pair of a study has come, or who may still be the best."""
    for task in verdict.tasks:
        if len(verdict.tasks) > 1:
            say(f"task {task.task}, {counted(task.rows, 'row')}")
        rows = _pairs(task) or _candidates(task)
        if rows:
            print_rows(rows, WORDS)


def _pairs(task: "TaskVerdict") -> list[dict[str, Any]]:
    """A row per pair: its evidence, on a log scale that is full at the decision."""
    from stopwise.questions.standing import share_of_way

    chances = any(pair.chance is not None for pair in task.pairs)
    rows = []
    for pair in task.pairs:
        share = share_of_way(pair, alpha=task.alpha)
        row = {
            "pair": pair.relation,
            "rows": pair.n,
            "p": f"{pair.p_value:.2g}",
            "evidence": bar(share if pair.decided else min(share, 1 - 1 / BAR)),
        }
        if chances:
            futile = " futile" if pair.futile else ""
            row["chance"] = "" if pair.chance is None else f"{pair.chance:.0%}{futile}"
        rows.append(row)
    return rows


def _candidates(task: "TaskVerdict") -> list[dict[str, Any]]:
    """Who may still be the best, and who was dropped when."""
    standing = dict.fromkeys(task.candidates, "may still be the best")
    standing |= dict.fromkeys(task.set_aside, "set aside: needs no more trials")
    standing |= {} if task.best is None else {task.best: "the best"}
    for name, out in reversed(list(task.eliminated.items())):
        standing[name] = f"dropped after row {out.row}"
    return [{"policy": name, "standing": text} for name, text in standing.items()]


def candidates_text(candidates: Sequence[str]) -> str:
    left = counted(len(candidates), "candidate")
    few = f" ({', '.join(candidates)})" if len(candidates) <= FEW else ""
    return f"{left} left{few}"


def rows_text(rows: int, n_max: int | None, remaining: int | None) -> str:
    so_far = counted(rows, "row") if n_max is None else f"{rows} of at most {counted(n_max, 'row')}"
    if remaining is None:
        return f"{so_far}; too early to project"
    if n_max is not None and remaining == n_max - rows:
        return f"{so_far}; at the present rate all of them will be needed"
    return f"{so_far}; about {remaining} more at the present rate of evidence"


def bar(share: float) -> str:
    marks = math.floor(BAR * share)
    return "█" * marks + "░" * (BAR - marks)

"""The evidence as a small chart of text: a bar per pair, full when it is decided."""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stopwise.study.verdict import PairVerdict, StudyVerdict, TaskVerdict

__all__ = ["evidence_chart"]

WIDTH = 30


def evidence_chart(verdict: "StudyVerdict", *, named: bool = True, most: int | None = None) -> str:
    """Return lines: how far each pair's p-value has come on its way from 1 to alpha.

    Without names, sorted by evidence, it tells who scores nothing of what they have just scored.
    Where a task has more than ``most`` pairs, only the open ones that are next to be decided are
    shown, and the others counted.
    """
    lines = []
    for task in verdict.tasks:
        if len(verdict.tasks) > 1:
            lines.append(f"task {task.task}, {task.rows} rows")
        pairs, rest = _shown(task, named, most)
        names = [_name(pair) if named else "pair" for pair in pairs]
        width = max(map(len, names), default=0)
        lines += [
            f"  {name:<{width}}  {_bar(pair, task)}"
            for name, pair in zip(names, pairs, strict=True)
        ]
        lines += [f"  {rest}"] if rest else []
    return "\n".join(lines)


def _shown(task: "TaskVerdict", named: bool, most: int | None) -> tuple[list["PairVerdict"], str]:
    """Return the pairs to show, and what there is besides."""
    ordered = sorted(task.pairs, key=lambda pair: pair.p_value)
    if most is None or len(ordered) <= most:
        return (list(task.pairs) if named else ordered), ""
    still_open = [pair for pair in ordered if not pair.decided]
    decided = len(ordered) - len(still_open)
    more = len(still_open) - len(still_open[:most])
    return still_open[:most], f"and {more} more open, {decided} decided, of {len(ordered)} pairs"


def _name(pair: "PairVerdict") -> str:
    if pair.better is None:
        return f"{pair.policy0} ? {pair.policy1}"
    worse = pair.policy1 if pair.better == pair.policy0 else pair.policy0
    return f"{pair.better} > {worse}"


def _bar(pair: "PairVerdict", task: "TaskVerdict") -> str:
    p_value = max(pair.p_value, 1e-300)
    share = 1.0 if pair.decided else min(1.0, math.log(p_value) / math.log(task.alpha))
    full = min(WIDTH if pair.decided else WIDTH - 1, int(share * WIDTH))
    text = "decided" if pair.decided else "open"
    return f"|{'#' * full}{'.' * (WIDTH - full)}| p = {pair.p_value:.2g}, {text}, n = {pair.n}"

"""The evidence as a small text chart: a bar per pair, or a line per candidate for the best."""

from typing import TYPE_CHECKING

from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.study.verdict import PairVerdict, StudyVerdict, TaskVerdict

WIDTH = 30


def evidence_chart(verdict: "StudyVerdict", *, named: bool = True, most: int | None = None) -> str:
    """A line per pair: how far it has come on the way to a decision.

    Without names and sorted by evidence, it does not tell operators what they have just scored.
    Where a task has more than ``most`` pairs, only the undecided ones closest to a decision are
    shown, and the others counted.
    """
    lines = []
    for task in verdict.tasks:
        if len(verdict.tasks) > 1:
            lines.append(f"task {task.task}, {counted(task.rows, 'row')}")
        if not task.pairs:
            lines += _candidates(task, named)
            continue
        pairs, rest = _shown(task, named, most)
        names = [pair.relation if named else "pair" for pair in pairs]
        width = max(map(len, names), default=0)
        lines += [
            f"  {name:<{width}}  {_bar(pair, task)}"
            for name, pair in zip(names, pairs, strict=True)
        ]
        lines += [f"  {rest}"] if rest else []
    return "\n".join(lines)


def _candidates(task: "TaskVerdict", named: bool) -> list[str]:
    """Who may still be the best, and who was dropped when; without names, how many."""
    standing = dict.fromkeys(task.candidates, "may still be the best")
    standing |= dict.fromkeys(task.set_aside, "set aside: needs no more trials")
    standing |= {} if task.best is None else {task.best: "the best"}
    standing |= {
        name: f"dropped after row {out.row}"
        for name, out in reversed(list(task.eliminated.items()))
    }
    if not named:
        return [f"  {len(task.candidates)} of {len(standing)} may still be the best"]
    width = max(map(len, standing))
    return [f"  {name:<{width}}  {text}" for name, text in standing.items()]


def _shown(task: "TaskVerdict", named: bool, most: int | None) -> tuple[list["PairVerdict"], str]:
    """The pairs to show, and what there is besides."""
    ordered = sorted(task.pairs, key=lambda pair: pair.p_value)
    if most is None or len(ordered) <= most:
        return (list(task.pairs) if named else ordered), ""
    still_open = [pair for pair in ordered if not pair.decided]
    decided = len(ordered) - len(still_open)
    more = len(still_open) - len(still_open[:most])
    return still_open[
        :most
    ], f"and {more} more open, {decided} decided, of {counted(len(ordered), 'pair')}"


def _bar(pair: "PairVerdict", task: "TaskVerdict") -> str:
    from stopwise.questions.standing import share_of_way

    share = share_of_way(pair, alpha=task.alpha)
    full = min(WIDTH if pair.decided else WIDTH - 1, int(share * WIDTH))
    text = "the same" if pair.same else "decided" if pair.decided else "open"
    return f"|{'#' * full}{'.' * (WIDTH - full)}| p = {pair.p_value:.2g}, {text}, n = {pair.n}"

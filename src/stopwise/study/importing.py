"""Trials that were run elsewhere, as further rows of a study."""

from collections.abc import Mapping

import numpy as np

from stopwise.data.design import align
from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, NotAllowed, require
from stopwise.study.journal import Draft
from stopwise.study.plan import Plan
from stopwise.study.state import Import, State

__all__ = ["imported"]


def imported(
    state: State,
    plan: Plan,
    names: Mapping[str, str],
    trials: Trials,
    *,
    source: str,
    reason: str,
) -> list[Draft]:
    """Return one fact per task with the rows of its trials, by label.

    Parameters
    ----------
    names
        Policies' names by label.
    trials
        Its order is that of the analysis: the i-th trial of each policy makes a row, or, in a
        design with blocks, each block does.
    """
    require(bool(reason.strip()), "trials are imported only for a stated reason")
    labels = {name: label for label, name in names.items()}
    drafts = []
    for task in _tasks(trials, plan):
        aligned = align(
            trials, task=task, design="paired" if plan.design == "blocks" else "independent"
        )
        unknown = [policy for policy in aligned.policies if policy not in labels]
        if unknown:
            raise InvalidInput(f"the plan has no policy named {unknown[0]!r}")
        board = state.boards[plan_task(task, plan)]
        for policy, scores in zip(aligned.policies, aligned.scores.T, strict=True):
            board.comparison.check(scores[~np.isnan(scores)], f"{policy!r} on {task!r}")
        rows = [
            {
                labels[policy]: float(score)
                for policy, score in zip(aligned.policies, scores, strict=True)
                if not np.isnan(score)
            }
            for scores in aligned.scores
        ]
        known = len(board.rows)
        if plan.n_max is not None and known + len(rows) > plan.n_max:
            raise NotAllowed(
                f"{known} rows are begun and {len(rows)} would come, but n_max is {plan.n_max}"
            )
        _require_new(state, plan_task(task, plan), rows, source)
        content = {"task": plan_task(task, plan), "rows": rows, "source": source}
        drafts.append(Draft("imported", {**content, "reason": reason.strip()}))
    return drafts


def _require_new(state: State, task: str, rows: list[dict[str, float]], source: str) -> None:
    """Raise if these rows were imported before, or the first of them, from a file that grew."""
    for known in state.imports:
        whole = known.rows == len(rows)
        same = Import.of(task, rows[: known.rows], known.source) == known
        if same and (whole or known.source == source):
            which = "these" if whole else f"the first {known.rows} rows of these"
            raise NotAllowed(
                f"{which} trials of {task!r} were imported before, from {known.source!r}: they "
                f"would count twice{'' if whole else '; import the others alone'}"
            )


def plan_task(task: str, plan: Plan) -> str:
    """Return the task of the plan that a task of a file is; a single one needs no name."""
    names = [known.name for known in plan.tasks]
    return names[0] if task == "task" and len(names) == 1 else task


def _tasks(trials: Trials, plan: Plan) -> tuple[str, ...]:
    names = [known.name for known in plan.tasks]
    for task in trials.tasks:
        require(plan_task(task, plan) in names, f"tasks are {', '.join(names)}, but got {task!r}")
    return trials.tasks

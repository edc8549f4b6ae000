"""Trials that were run elsewhere, as further rows of a study."""

import numpy as np

from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, NotAllowed, require_choice
from stopwise.messages import Setting, counted
from stopwise.rows.align import align
from stopwise.study.board import SlotBoard
from stopwise.study.event import Event
from stopwise.study.events import Imported
from stopwise.study.limits import Note
from stopwise.study.operation import Now, Operation
from stopwise.study.requirements import require_reason
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan


class ImportTrials(Operation[int]):
    """Add trials that were run elsewhere under the same plan; return how many.

    They come after the rows that are open: the i-th trial of each policy makes a row, or, in a
    design with blocks, each block does. With ``again`` these are said to be other trials, though
    their scores may begin with those of an import before.
    """

    trials: Trials
    source: str
    reason: Note
    again: bool = False

    def decide(self, now: Now) -> list[Event]:
        state, trials, plan = now.state, self.trials, now.state.locked_plan
        require_reason("importing trials", self.reason)
        if plan.shares is not None:
            raise NotAllowed(
                "trials cannot be imported into a study of the mean over tasks: their tasks were "
                "not drawn by it"
            )
        labels = {name: label for label, name in state.labels(now.lots).items()}
        events: list[Event] = []
        for given in trials.tasks:
            task = plan_task(given, plan)
            aligned = align(
                trials, task=given, design="paired" if plan.design == "blocks" else "independent"
            )
            unknown = [policy for policy in aligned.policies if policy not in labels]
            if unknown:
                raise InvalidInput(f"the plan has no policy named {unknown[0]!r}")
            board = state.boards[task]
            for policy, scores in zip(aligned.policies, aligned.scores.T, strict=True):
                board.comparison.check(scores[~np.isnan(scores)], f"{policy!r} on {given!r}")
            rows = tuple(
                {
                    labels[policy]: float(score)
                    for policy, score in zip(aligned.policies, scores, strict=True)
                    if not np.isnan(score)
                }
                for scores in aligned.scores
            )
            if plan.task(task).judged_in_pairs:
                _require_preferences(rows)
            known = len(board.rows)
            if board.rules.groups:
                for policy, count in zip(aligned.policies, aligned.counts, strict=True):
                    _require_declared(board, labels[policy], policy, count)
            elif plan.n_max is not None and known + len(rows) > plan.n_max:
                raise NotAllowed(
                    f"{counted(known, 'row is', 'rows are')} open and this import adds "
                    f"{len(rows)}, but n_max is {plan.n_max}"
                )
            if not self.again:
                _require_new(state, task, rows)
            events.append(
                Imported(
                    task=task,
                    rows=rows,
                    source=self.source,
                    reason=self.reason.strip(),
                    again=self.again,
                )
            )
        return events

    def result(self, now: Now) -> int:
        return sum(entry.event.trials for entry in now.entries if isinstance(entry.event, Imported))


def _require_preferences(rows: tuple[dict[str, float], ...]) -> None:
    for number, row in enumerate(rows, start=1):
        won = sorted(row.values())
        if won not in ([0.0, 1.0], [0.5, 0.5]):
            raise InvalidInput(
                "preferences have the scores 1 and 0, or 1/2 twice, in each row, but row "
                f"{number} has {', '.join(format(score, 'g') for score in won)}"
            )


def _require_declared(board: SlotBoard, arm: str, policy: str, count: int) -> None:
    number = (board.rules.groups or {}).get(arm)
    if number is None:
        raise NotAllowed(f"the plan declares no stored trials of {policy!r}: it is tried instead")
    if board.opened(arm):
        raise NotAllowed(f"the stored trials of {policy!r} have been imported already")
    if count != number:
        raise NotAllowed(
            f"the plan declares {number} stored trials of {policy!r}, but there are {count}"
        )


def _require_new(state: StudyState, task: str, rows: tuple[dict[str, float], ...]) -> None:
    """Raise for repeated scores: they cannot tell a copy from trials that went alike."""
    for known in state.imports:
        number = len(known.rows)
        if known.task != task or known.rows != rows[:number]:
            continue
        whole = number == len(rows)
        which = "" if whole else f"the first {counted(number, 'row').removeprefix('1 ')} of "
        have = "has" if number == 1 and not whole else "have"
        raise NotAllowed(
            f"{which}these trials of {task!r} {have} the same scores as trials that were "
            f"imported before, from {known.source!r}, and would count twice; "
            f"{'' if whole else 'import only the new ones, or, '}if these are different "
            "trials, say so with ",
            Setting("again", True),
        )


def plan_task(task: str, plan: StudyPlan) -> str:
    names = [known.name for known in plan.tasks]
    if task == "task" and len(names) == 1:
        return names[0]
    require_choice("task", task, names)
    return task

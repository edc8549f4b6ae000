"""Trials that were run elsewhere, as further rows of a study."""

import numpy as np

from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, NotAllowed, require, require_choice
from stopwise.messages import Setting
from stopwise.rows.align import align
from stopwise.rows.table import Table
from stopwise.study.board import SlotBoard
from stopwise.study.event import Event
from stopwise.study.events import Imported
from stopwise.study.limits import Note
from stopwise.study.operation import Now, Operation
from stopwise.study.requirements import require_reason
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
        plan = now.state.locked_plan
        require_reason("importing trials", self.reason)
        if plan.shares is not None:
            raise NotAllowed(
                "trials cannot be imported into a study of the mean over tasks: their tasks were "
                "not drawn by it"
            )
        return [self._of_task(now, task, plan) for task in self.trials.tasks]

    def _of_task(self, now: Now, given: str, plan: StudyPlan) -> Imported:
        names = [known.name for known in plan.tasks]
        task = names[0] if given == "task" and len(names) == 1 else given
        require_choice("task", task, names)
        board = now.state.boards[task]
        table = align(self.trials, task=given, design=board.rules.design)
        labels = {name: label for label, name in now.state.labels(now.lots).items()}
        for policy, scores in zip(table.policies, table.scores.T, strict=True):
            if policy not in labels:
                raise InvalidInput(f"the plan has no policy named {policy!r}")
            board.comparison.check(scores[~np.isnan(scores)], f"{policy!r} on {given!r}")
        rows = tuple(
            {
                labels[policy]: float(score)
                for policy, score in zip(table.policies, scores, strict=True)
                if not np.isnan(score)
            }
            for scores in table.scores
        )
        if plan.task(task).judged_in_pairs:
            for number, row in enumerate(rows, start=1):
                require(
                    sorted(row.values()) in ([0.0, 1.0], [0.5, 0.5]),
                    f"preferences have the scores 1 and 0, or 1/2 twice, in each row, but row "
                    f"{number} has {', '.join(format(score, 'g') for score in row.values())}",
                )
        if board.rules.groups:
            _require_declared(board, table, labels)
        elif plan.n_max is not None and len(board.rows) + len(rows) > plan.n_max:
            raise NotAllowed(
                f"{len(board.rows)} rows are open and this import adds {len(rows)}, but n_max is "
                f"{plan.n_max}"
            )
        for known in () if self.again else now.state.imports:
            # Scores cannot tell the same file, or one that grew, from trials that went alike.
            if known.task == task and known.rows == rows[: len(known.rows)]:
                raise NotAllowed(
                    f"these trials of {task!r} begin with the scores that were imported from "
                    f"{known.source!r}, and would count twice: import only new ones, or, if these "
                    "are different trials, say so with ",
                    Setting("again", True),
                )
        return Imported(
            task=task,
            rows=rows,
            source=self.source,
            reason=self.reason.strip(),
            again=self.again,
        )

    def result(self, now: Now) -> int:
        return sum(entry.event.trials for entry in now.entries if isinstance(entry.event, Imported))


def _require_declared(board: SlotBoard, table: Table, labels: dict[str, str]) -> None:
    for policy, count in zip(table.policies, table.counts, strict=True):
        declared = (board.rules.groups or {}).get(labels[policy])
        if declared is None:
            raise NotAllowed(
                f"the plan declares no stored trials of {policy!r}: it is tried instead"
            )
        if board.opened(labels[policy]):
            raise NotAllowed(f"the stored trials of {policy!r} have been imported already")
        if count != declared:
            raise NotAllowed(
                f"the plan declares {declared} stored trials of {policy!r}, but there are {count}"
            )

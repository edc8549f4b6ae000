"""What a study has found so far, replayed from its journal."""

import math
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter, computed_field, field_serializer

from stopwise.errors import NotAllowed
from stopwise.messages import counted
from stopwise.questions import pose
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Standing
from stopwise.study.board import SlotBoard
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, or None."""
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class PairVerdict(Standing):
    """The verdict on one pair of policies."""

    @computed_field
    @property
    def better(self) -> str | None:
        """The policy declared better, or None."""
        return super().better

    @field_serializer("log_e")
    def _finite(self, value: float | None) -> float | None:
        return finite(value)


@dataclass(frozen=True, kw_only=True)
class TaskVerdict:
    """The verdict on one task. A row is one trial of each policy that still needs one.

    Attributes
    ----------
    pairs
        One per compared pair, by policy name, or by label before unblinding.
    rows
        The number of rows used; rows are used in order, once all their results are in.
    needed
        Policies (labels before unblinding) that are still in an undecided comparison.
    decided
        Whether every pair is decided.
    """

    task: str
    alpha: float
    pairs: tuple[PairVerdict, ...]
    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    decided: bool


@dataclass(frozen=True, kw_only=True)
class StudyVerdict:
    """The verdict after journal entry ``seq``; it never changes afterwards."""

    tasks: tuple[TaskVerdict, ...]
    finished: bool
    blinded: bool
    seq: int
    hash: str

    @computed_field
    @property
    def sentence(self) -> str:
        """What was found, in words."""
        return " ".join(_sentence(task, several=len(self.tasks) > 1) for task in self.tasks)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, as the web API gives them."""
        content: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        return content

    def __str__(self) -> str:
        return self.sentence


_ADAPTER = TypeAdapter(StudyVerdict)


def verdict(state: StudyState) -> StudyVerdict:
    """Return the verdict of the rows that can be used now."""
    shown = state.shown()
    tasks = tuple(_task_verdict(name, board, shown) for name, board in state.boards.items())
    return StudyVerdict(
        tasks=tasks,
        finished=bool(tasks) and not any(task.needed for task in tasks),
        blinded=state.names is None,
        seq=state.seq,
        hash=state.hash,
    )


def analyses(state: StudyState, plan: StudyPlan) -> dict[str, Analysis]:
    """Return the whole analysis of each task in which every policy has a trial that is used."""
    shown = state.shown()
    found = {}
    for task in plan.tasks:
        board = state.boards[task.name]
        table = board.question.table(task=task.name)
        if not all(table.counts):  # of no rows, too
            continue
        baseline = board.rules.baseline
        rules = board.rules.among(
            tuple(shown[arm] for arm in state.arms),
            None if baseline is None else shown[baseline],
        )
        found[task.name] = pose(rules).analyze(replace(table, policies=rules.policies))
    if not found:
        raise NotAllowed(f"there is nothing to analyse yet: {_what_is_awaited(state)}")
    return found


def _what_is_awaited(state: StudyState) -> str:
    """Return why no task has a trial of each policy among the rows that are used."""
    waiting = [
        f"row {board.used + 1} of {name!r} is waiting for a trial"
        for name, board in state.boards.items()
        if any(slot.score is not None for row in board.rows[board.used :] for slot in row.values())
        and any(row == board.used for row, _, _ in board.open_slots())
    ]
    if waiting:
        return f"rows are used in order, and {', '.join(waiting)}"
    return "no task has a trial of every policy yet"


def _task_verdict(name: str, board: SlotBoard, shown: dict[str, str]) -> TaskVerdict:
    question = board.question
    return TaskVerdict(
        task=name,
        alpha=question.rules.alpha,
        pairs=tuple(
            PairVerdict(
                **{**vars(pair), "policy0": shown[pair.policy0], "policy1": shown[pair.policy1]}
            )
            for pair in question.standings()
        ),
        rows=question.rows,
        n_max=board.rules.n_max,
        needed=tuple(shown[arm] for arm in question.needed),
        decided=question.decided,
    )


def _sentence(task: TaskVerdict, *, several: bool) -> str:
    decided = [pair for pair in task.pairs if pair.decided]
    prefix = f"{task.task}: " if several else ""
    claims = "; ".join(f"{pair.better} is better than {pair.worse}" for pair in decided)
    rest = len(task.pairs) - len(decided)
    rows = f"{counted(task.rows, 'row')} of trials"
    if not decided:
        return f"{prefix}nothing is decided after {rows}."
    open_text = f"; {rest} of {len(task.pairs)} pairs undecided" if rest else ""
    return f"{prefix}{claims}{open_text} (alpha = {task.alpha:g}, {rows})."

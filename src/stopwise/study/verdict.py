"""What a study has found so far, replayed from its journal."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, computed_field, field_serializer

from stopwise.core.rules import Rules
from stopwise.core.words import futility_text
from stopwise.errors import NotAllowed
from stopwise.messages import counted
from stopwise.questions import QUESTIONS, pose
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import Elimination, Standing
from stopwise.rows.table import Table
from stopwise.rows.task_mean import MEAN, described
from stopwise.study.assignment import finished
from stopwise.study.board import SlotBoard
from stopwise.study.records import trial_table
from stopwise.study.selection import doubts, first_told
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, kw_only=True)
class PairVerdict(Standing):
    @computed_field
    @property
    def better(self) -> str | None:
        return super().better

    @field_serializer("log_e")
    def _finite(self, value: float | None) -> float | None:
        return finite(value)


@dataclass(frozen=True, kw_only=True)
class TaskVerdict:
    """The verdict on one task. A row is one trial of each policy that still needs one.

    Policies are given by name, or by label before unblinding.

    Attributes
    ----------
    pairs
        One per compared pair; none if only the best is asked for.
    rows
        The number of rows used; rows are used in order, once all their results are in.
    needed
        Policies that are still in an undecided comparison.
    decided
        Whether the question is answered: every pair is decided, or the best is named.
    goal, indifference, by
        What is asked, how near to the best is good enough, and whether "means" or "wins" are
        compared.
    best, candidates
        The policy shown to be the best, or None, and those that may still be it.
    eliminated
        The others, with the row after which that was shown, and who led then.
    set_aside
        Candidates that need no more trials, since they are at most the indifference better than
        the one that leads, or was named.
    equivalence
        Below which difference of means two policies are practically the same, if that is asked.
    futile
        Whether a further decision by n_max has become too unlikely to be worth more trials.
    futility
        What that means for the study, in words; empty otherwise.
    scope
        What claims are about, as words behind them; empty for all starts there may be.
    """

    task: str
    alpha: float
    pairs: tuple[PairVerdict, ...]
    rows: int
    n_max: int | None
    needed: tuple[str, ...]
    decided: bool
    goal: str = "order"
    indifference: float = 0.0
    by: str = "means"
    best: str | None = None
    candidates: tuple[str, ...] = ()
    eliminated: Mapping[str, Elimination] = field(default_factory=dict)
    set_aside: tuple[str, ...] = ()
    equivalence: float | None = None
    futile: bool = False
    futility: str = ""
    scope: str = ""


@dataclass(frozen=True, kw_only=True)
class StudyVerdict:
    """The verdict after journal entry ``seq``; it never changes afterwards.

    ``doubts`` are warnings that a claim rests on trials that were taken out or changed, that these
    are such as blind chance hardly picks.
    """

    tasks: tuple[TaskVerdict, ...]
    finished: bool
    blinded: bool
    seq: int
    hash: str
    doubts: tuple[str, ...] = ()

    @computed_field
    @property
    def sentence(self) -> str:
        return " ".join(_sentence(task, several=len(self.tasks) > 1) for task in self.tasks)

    @property
    def decided(self) -> bool:
        return all(task.decided for task in self.tasks)

    @property
    def best(self) -> str | None:
        found = {task.best for task in self.tasks}
        return found.pop() if len(found) == 1 else None

    @property
    def candidates(self) -> tuple[str, ...]:
        out = self.eliminated
        return tuple(name for name in self._policies if name not in out)

    @property
    def eliminated(self) -> Mapping[str, Elimination]:
        found: dict[str, Elimination] = {}
        for task in self.tasks:
            found = {**task.eliminated, **found}
        return found

    @property
    def _policies(self) -> dict[str, None]:
        return dict.fromkeys(name for task in self.tasks for name in task.candidates)

    def to_dict(self) -> dict[str, Any]:
        content: dict[str, Any] = _ADAPTER.dump_python(self, mode="json")
        if not self.doubts:
            del content["doubts"]
        for task in content["tasks"]:
            if task["equivalence"] is None:
                del task["equivalence"]
                for pair in task["pairs"]:
                    del pair["equivalence"], pair["p_equivalent"]
        return content

    def __str__(self) -> str:
        return "\n".join((self.sentence, *(f"Warning: {doubt}" for doubt in self.doubts)))


_ADAPTER = TypeAdapter(StudyVerdict)


def verdict(state: StudyState) -> StudyVerdict:
    shown = _shown(state)
    tasks = tuple(_task_verdict(name, board, shown) for name, board in state.boards.items())
    changed = _rests_on_changes(state, tasks, shown)
    return StudyVerdict(
        tasks=tasks,
        finished=finished(state),
        blinded=state.names is None,
        seq=state.seq,
        hash=state.hash,
        doubts=(*changed, *doubts(state)),
    )


def _rests_on_changes(
    state: StudyState, tasks: tuple[TaskVerdict, ...], shown: dict[str, str]
) -> Iterator[str]:
    """Whatever an owner does of that, what was told first is a study that nobody has bent."""
    found = {task.task: _claims(task) for task in tasks}
    lost = sum(
        len(found[name] - _claims(_task_verdict(name, state.boards[name].rescored(told), shown)))
        for name, told in first_told(state).items()
        if found[name]
    )
    if lost:
        yield (
            f"{counted(lost, 'finding rests', 'findings rest')} on scores that were voided, "
            "corrected or imported: the scores as first entered do not show it."
        )


def _claims(task: TaskVerdict) -> set[str]:
    if task.pairs:
        return {pair.relation for pair in task.pairs if pair.decided}
    return {f"not {name}" for name in task.eliminated} | ({task.best or ""} - {""})


def analyses(state: StudyState, plan: StudyPlan) -> dict[str, Analysis]:
    found = {name: pose(rules).analyze(table) for name, rules, table in named_tables(state, plan)}
    if not found:
        raise NotAllowed(f"there is nothing to analyse yet: {_what_is_awaited(state)}")
    return found


def named_tables(state: StudyState, plan: StudyPlan) -> Iterator[tuple[str, Rules, Table]]:
    shown = _shown(state)
    for name, board in state.boards.items():
        table = board.question.table(task=name)
        if not all(table.counts):
            continue
        table = table.having(board.stored_scores())
        baseline = board.rules.baseline
        rules = board.rules.among(
            tuple(shown[arm] for arm in state.arms),
            None if baseline is None else shown[baseline],
            {shown[arm]: number for arm, number in (board.rules.groups or {}).items()},
        )
        mean = None
        if plan.shares is not None:
            frame = trial_table(state, plan).frame
            mean = described("random", plan.shares, frame, rules.reading.run)
        yield name, rules, replace(table, policies=rules.policies, mean=mean)


def _shown(state: StudyState) -> dict[str, str]:
    names = {name for board in state.boards.values() for name in board.rules.reading.constants}
    return {**state.shown(), **{name: name for name in names if name is not None}}


def _what_is_awaited(state: StudyState) -> str:
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
    question, futility = board.question, ""
    futile = question.futile
    if futile:
        further = bool(question.eliminated) or any(pair.decided for pair in question.standings())
        futility = futility_text(question.rules.parameters, further=further)
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
        goal=question.rules.goal,
        indifference=question.rules.indifference,
        by=question.rules.by,
        best=None if question.best is None else shown[question.best],
        candidates=tuple(shown[arm] for arm in question.candidates),
        eliminated={
            shown[arm]: replace(out, leader=shown[out.leader])
            for arm, out in question.eliminated.items()
        },
        set_aside=tuple(shown[arm] for arm in question.set_aside),
        equivalence=question.rules.equivalence,
        futile=futile,
        futility=futility,
        scope=question.rules.reading.scope,
    )


def _sentence(task: TaskVerdict, *, several: bool) -> str:
    found = f"{QUESTIONS[task.goal].in_words(task).removesuffix('.')}{task.scope}."
    return f"{task.task}: {found}" if several or task.task == MEAN else found

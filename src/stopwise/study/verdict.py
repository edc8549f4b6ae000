"""The verdict of a study, replayed from its journal."""

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
    """The verdict on one task; policies are given by name, or by label before unblinding."""

    task: str
    alpha: float
    pairs: tuple[PairVerdict, ...]  # those compared; none if only the best is asked for
    rows: int  # used, in order, once all their results are in
    n_max: int | None
    needed: tuple[str, ...]  # policies that are still in an undecided comparison
    decided: bool  # whether every pair is decided, or the best is named
    goal: str = "order"
    indifference: float = 0.0
    by: str = "means"
    best: str | None = None
    candidates: tuple[str, ...] = ()
    eliminated: Mapping[str, Elimination] = field(default_factory=dict)
    # Candidates that need no more trials: they are at most the indifference better than the leader.
    set_aside: tuple[str, ...] = ()
    equivalence: float | None = None
    futile: bool = False  # whether a further decision has become too unlikely to be worth trials
    futility: str = ""  # what that means for the study, in words
    scope: str = ""  # what claims are about, as words behind them; empty for all starts


@dataclass(frozen=True, kw_only=True)
class StudyVerdict:
    """The verdict after journal entry ``seq``; it never changes afterwards."""

    tasks: tuple[TaskVerdict, ...]
    finished: bool
    blinded: bool
    seq: int
    hash: str
    # Warnings that a claim rests on trials that were taken out or changed, or that these are such
    # as blind chance hardly picks.
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
        names = {task.best for task in self.tasks}
        return names.pop() if len(names) == 1 else None

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
    """Whether claims do not follow from the scores as first entered."""
    claims = {task.task: _claims(task) for task in tasks}
    lost = sum(
        len(claims[name] - _claims(_task_verdict(name, state.boards[name].rescored(first), shown)))
        for name, first in first_told(state).items()
        if claims[name]
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
    by_task = {name: pose(rules).analyze(table) for name, rules, table in named_tables(state, plan)}
    if not by_task:
        raise NotAllowed("there is nothing to analyse yet: no task has a row with every policy")
    return by_task


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


def _task_verdict(name: str, board: SlotBoard, shown: dict[str, str]) -> TaskVerdict:
    question, rules = board.question, board.rules
    standings, out = question.standings(), question.eliminated
    pairs = (
        {**vars(pair), "policy0": shown[pair.policy0], "policy1": shown[pair.policy1]}
        for pair in standings
    )
    further = bool(out) or any(pair.decided for pair in standings)
    return TaskVerdict(
        task=name,
        alpha=rules.alpha,
        pairs=tuple(PairVerdict(**pair) for pair in pairs),
        rows=question.rows,
        n_max=rules.n_max,
        needed=tuple(shown[arm] for arm in question.needed),
        decided=question.decided,
        goal=rules.goal,
        indifference=rules.indifference,
        by=rules.by,
        best=None if question.best is None else shown[question.best],
        candidates=tuple(shown[arm] for arm in question.candidates),
        eliminated={shown[arm]: replace(out[arm], leader=shown[out[arm].leader]) for arm in out},
        set_aside=tuple(shown[arm] for arm in question.set_aside),
        equivalence=rules.equivalence,
        futile=question.futile,
        futility=futility_text(rules.parameters, further=further) if question.futile else "",
        scope=rules.reading.scope,
    )


def _sentence(task: TaskVerdict, *, several: bool) -> str:
    claim = f"{QUESTIONS[task.goal].in_words(task).removesuffix('.')}{task.scope}."
    return f"{task.task}: {claim}" if several or task.task == MEAN else claim

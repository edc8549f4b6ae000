"""The evidence of a study as it is shown: computed once for all readers, and not too often."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from stopwise.errors import NotAllowed
from stopwise.questions.analysis import Analysis
from stopwise.questions.standing import PairResult
from stopwise.report.figure_data import curve_of
from stopwise.study.study import Study
from stopwise.study.verdict import TaskVerdict, finite
from stopwise.web.rendering import render
from stopwise.web.responses import (
    CandidateView,
    CurveView,
    EvidenceView,
    PairView,
    PolicyView,
    TaskView,
)

# Between two computations passes this many times what one took: others need the processor too.
REST = 0.25
DRAWN = 12  # pairs of a task in its figures: more cannot be told apart
ON_THE_WALL = 6  # from afar
POINTS = 300  # of a curve; more cannot be seen


@dataclass(frozen=True)
class TaskShown:
    """The evidence of one task as a part of a page, and where it stands in a word."""

    name: str
    state: str
    card: Markup


@dataclass(frozen=True)
class Shown:
    """The evidence as it leaves the server: for programs, for pages, and for the second screen."""

    seq: int
    blinded: bool
    saved: int
    json: str
    tasks: tuple[TaskShown, ...]
    current: int  # the first task that is not over
    wall: Markup

    @classmethod
    def of(cls, study: Study) -> "Shown":
        """Compute it from the newest state."""
        view = evidence_of(study)
        current = next((place for place, task in enumerate(view.tasks) if task.needed), 0)
        at_work = _nearest(view.tasks[current], ON_THE_WALL) if view.tasks else None
        return cls(
            seq=view.seq,
            blinded=view.blinded,
            saved=sum(task.trials_saved for task in view.tasks),
            json=view.model_dump_json(),
            tasks=tuple(_task_shown(view, task) for task in view.tasks),
            current=current,
            wall=Markup(render("evidence_wall.html", evidence=view, task=at_work, drawn=at_work)),
        )


def _task_shown(view: EvidenceView, task: TaskView) -> TaskShown:
    open_state = "running" if task.needed else "futile" if task.futile else "n_max reached"
    state = task.answer.FOUND if task.decided else open_state
    drawn = _nearest(task, DRAWN)
    card = render("evidence_task.html", evidence=view, task=task, state=state, drawn=drawn)
    return TaskShown(task.task, state, Markup(card))


def _nearest(task: TaskView, most: int) -> TaskView:
    """Return a task with the open pairs that are nearest to a decision, for a figure."""
    pairs = task.pairs
    order = sorted(
        range(len(pairs)),
        key=lambda place: (pairs[place].finding is not None, pairs[place].p_value),
    )
    pairs = [pairs[place] for place in sorted(order[:most])]
    return task.model_copy(update={"pairs": pairs, "candidates": task.candidates[:most]})


class EvidenceCache:
    """The newest evidence, or the one before while the next is not there yet."""

    def __init__(self, study: Study, compute: Callable[[], Shown]) -> None:
        self._study, self._compute = study, compute
        self._lock = threading.Lock()
        self._found: Shown | None = None
        self._not_before = 0.0

    def shown(self) -> Shown:
        """Return the evidence; many readers at once cost one computation, and none waits twice."""
        found, now = self._found, time.monotonic()
        if found is not None and (now < self._not_before or found.seq == self._study.seq):
            return found
        if found is not None and not self._lock.acquire(blocking=False):
            return found  # someone computes the next
        if found is None:
            self._lock.acquire()
        try:
            if self._found is found:
                self._found = self._compute()
                self._not_before = time.monotonic() + REST * (time.monotonic() - now)
            assert self._found is not None
            return self._found
        finally:
            self._lock.release()


def evidence_of(study: Study) -> EvidenceView:
    """Return the evidence as the API gives it."""
    verdict, saved = study.verdict(), study.trials_saved()
    try:
        analyses = study.analyses()
    except NotAllowed:  # no task has enough trials yet
        analyses = {}
    tasks = [_task_view(task, saved[task.task], analyses.get(task.task)) for task in verdict.tasks]
    return EvidenceView.showing(verdict, tasks=tasks)


def _task_view(task: TaskVerdict, saved: int, analysis: Analysis | None) -> TaskView:
    return TaskView.showing(
        task,
        sentence=None if analysis is None else analysis.sentence,
        headline=None if analysis is None else analysis.headline,
        order=None if analysis is None else analysis.order_text,
        trials_used=0 if analysis is None else analysis.trials_used,
        policies=[] if analysis is None else _policies(analysis),
        pairs=[] if analysis is None else _pairs(analysis),
        trials_saved=saved,
        interval_note=None if analysis is None else analysis.interval_note,
        candidates=_candidates(task),
    )


def _candidates(task: TaskVerdict) -> list[CandidateView]:
    """Return those that may still be the best, then those that were dropped, the last one first."""
    still = [(name, task.rows, None) for name in task.candidates]
    gone = [(name, out.row, out.leader) for name, out in task.eliminated.items()]
    return [
        CandidateView(
            policy=name,
            last=last,
            dropped=leader is not None,
            leader=leader,
            set_aside=name in task.set_aside,
        )
        for name, last, leader in (*still, *reversed(gone))
    ]


def _policies(analysis: Analysis) -> list[PolicyView]:
    return [
        PolicyView.showing(
            policy, policy=policy.name, low=policy.interval.low, high=policy.interval.high
        )
        for policy in analysis.policies
    ]


def _pairs(analysis: Analysis) -> list[PairView]:
    curves = map(curve_of, analysis.pairs)
    return [
        PairView.showing(
            pair,
            log_e=finite(pair.log_e),
            low=pair.interval.low,
            high=pair.interval.high,
            curve=_thinned(_label(pair, curve.label), curve.n, curve.value),
        )
        for pair, curve in zip(analysis.pairs, curves, strict=True)
    ]


def _label(pair: PairResult, found: str) -> str:
    """Label of a pair in a figure: its finding, or the two policies."""
    return found if pair.decided else f"{pair.policy0} and {pair.policy1}"


def _thinned(label: str, n: np.ndarray, value: np.ndarray) -> CurveView:
    keep = np.unique(np.linspace(0, n.size - 1, min(n.size, POINTS)).astype(int))
    return CurveView(label=label, n=n[keep].tolist(), p_value=value[keep].tolist())

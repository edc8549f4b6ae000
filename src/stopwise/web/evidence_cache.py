"""The evidence of a study as it is shown: computed once for all readers, and not too often."""

import threading
import time

import numpy as np

from stopwise.core.promise import p_value_name
from stopwise.errors import NotAllowed
from stopwise.questions.analysis import Analysis
from stopwise.report.figure_data import evidence_curves
from stopwise.study.study import Study
from stopwise.study.verdict import TaskVerdict, finite
from stopwise.web.responses import (
    CandidateView,
    CurveView,
    EvidenceView,
    PairView,
    PolicyView,
    TaskView,
)

# Between two computations passes this many times what one took: others need the processor too.
REST = 4.0
POINTS = 300  # of a curve; more cannot be seen


class EvidenceCache:
    """The newest evidence, or the one before while a new one would come too soon."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._lock = threading.Lock()
        self._found: EvidenceView | None = None
        self._not_before = 0.0

    def view(self) -> EvidenceView:
        """Return the evidence as the API gives it; many readers at once cost one computation."""
        with self._lock:
            found, now = self._found, time.monotonic()
            if found is None or (now >= self._not_before and found.seq != self._study.seq):
                found = self._found = _computed(self._study)
                self._not_before = time.monotonic() + REST * (time.monotonic() - now)
            return found


def _computed(study: Study) -> EvidenceView:
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
        order=None if analysis is None else analysis.order_text,
        trials_used=0 if analysis is None else analysis.trials_used,
        policies=[] if analysis is None else _policies(analysis),
        pairs=[] if analysis is None else _pairs(analysis),
        trials_saved=saved,
        interval_note=None if analysis is None else analysis.interval_note,
        p_value_name="p" if analysis is None else p_value_name(analysis.method),
        candidates=_candidates(task),
    )


def _candidates(task: TaskVerdict) -> list[CandidateView]:
    """Return those that may still be the best, then those that were dropped, the last one first."""
    still = [
        CandidateView(
            policy=name,
            first=task.joined.get(name, 0),
            last=task.rows,
            dropped=False,
            leader=None,
            set_aside=name in task.set_aside,
            awaited=name in task.awaited,
        )
        for name in task.candidates
    ]
    gone = [
        CandidateView(
            policy=name,
            first=task.joined.get(name, 0),
            last=out.row,
            dropped=True,
            leader=out.leader,
            set_aside=False,
            awaited=False,
        )
        for name, out in reversed(list(task.eliminated.items()))
    ]
    return still + gone


def _policies(analysis: Analysis) -> list[PolicyView]:
    return [
        PolicyView.showing(
            policy, policy=policy.name, low=policy.interval.low, high=policy.interval.high
        )
        for policy in analysis.policies
    ]


def _pairs(analysis: Analysis) -> list[PairView]:
    curves = evidence_curves(analysis, "p")
    return [
        PairView.showing(
            pair,
            log_e=finite(pair.log_e),
            low=pair.interval.low,
            high=pair.interval.high,
            curve=_thinned(curve.label, curve.n, curve.value),
        )
        for pair, curve in zip(analysis.pairs, curves, strict=True)
    ]


def _thinned(label: str, n: np.ndarray, value: np.ndarray) -> CurveView:
    keep = np.unique(np.linspace(0, n.size - 1, min(n.size, POINTS)).astype(int))
    return CurveView(label=label, n=n[keep].tolist(), p_value=value[keep].tolist())

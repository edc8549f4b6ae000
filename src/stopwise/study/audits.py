"""A judge scores every trial, and people those of rows that a lot decides (docs/design/proxy.md).

The lot of a row is drawn when each of its trials is over and judged. Until then nobody can know it,
so neither how trials are run nor what the judge says can depend on it.
"""

from collections.abc import Iterator
from itertools import islice

from stopwise.errors import NotAllowed, require
from stopwise.messages import counted
from stopwise.study.assignment import finished, locked_plan
from stopwise.study.blinding import Lots
from stopwise.study.board import Slot
from stopwise.study.events import AuditDrawn, Judged
from stopwise.study.state import StudyState
from stopwise.study.trial_actions import require_trial


def judge(state: StudyState, number: int, score: float, salt: str) -> list[Judged]:
    """Return the event that the judge has scored a trial; nothing if it has said the same before.

    What it said is final, and comes before anyone knows whether people are asked as well.
    """
    if locked_plan(state).audit is None:
        raise NotAllowed("the plan has no audit: people score every trial, and no judge does")
    trial = require_trial(state, number)
    slot = state.slot(trial)
    state.board(trial).comparison.unit_score(score, f"the judge of trial {number}")
    if slot.holder == number and slot.proxy == float(score):
        return []
    if not trial.begun and not trial.over:
        raise NotAllowed(f"trial {number} has not begun")
    if slot.holder != number or trial.status in ("released", "voided"):
        raise NotAllowed(f"trial {number} is {trial.status}: it needs no judge any more")
    if state.unblinded_at is not None:
        raise NotAllowed("the study is unblinded: it is too late for the judge")
    if slot.proxy is not None:
        raise NotAllowed(f"trial {number} was judged before, and that is final")
    return [Judged(trial=number, score=float(score), salt=salt)]


def due(state: StudyState, lots: Lots) -> list[AuditDrawn]:
    """Return the next lot that can be drawn: what it tells may change which rows are needed."""
    if locked_plan(state).audit is None:
        return []
    return [drawn(state, lots, task, row) for task, row in islice(_complete(state), 1)]


def drawn(state: StudyState, lots: Lots, task: str, row: int) -> AuditDrawn:
    """Return the lot of a row, as the secret has it, or raise if it is too early or too late."""
    chance = locked_plan(state).audit
    require(
        chance is not None and (task, row) in _complete(state),
        f"row {row + 1} of {task!r} is not one to be drawn now",
    )
    return AuditDrawn(task=task, row=row, audited=lots.audited(chance or 0.0, task, row))


def _complete(state: StudyState) -> Iterator[tuple[str, int]]:
    """Yield the rows whose trials are over and judged, as far as they are still needed, in order.

    A judge that knew the lots of later rows could choose what is learned for their bets.
    """
    for task, board in state.boards.items():
        rows: dict[int, list[Slot]] = {}
        for row, _, slot in board.open_slots():
            rows.setdefault(row, []).append(slot)
        for row, slots in rows.items():
            if any(slot.asked for slot in slots):
                continue  # people are asked
            if not all(is_over(state, slot) for slot in slots):
                break
            yield task, row


def unjudged(state: StudyState, task: str) -> str:
    """Return how many trials of a task wait for the judge, or that it ended without an audit."""
    if locked_plan(state).audit is None:
        return ""
    own = [trial for trial in state.trials if trial.task == task]
    if finished(state) and not any(trial.audited for trial in own):
        return " No row was picked, so people have scored nothing."
    count = sum(trial.waiting and state.slot(trial).proxy is None for trial in own)
    return f" {counted(count, 'trial waits', 'trials wait')} for the judge." if count else ""


def late_doubts(state: StudyState) -> Iterator[str]:
    """Yield how many rows were judged by one who may have seen later ones, if any.

    The bets on those are learned from what it said. With ``look_ahead: 0`` there are none.
    """
    late = {(trial.task, trial.row) for trial in state.trials if trial.late}
    if late:
        yield (
            f"{counted(len(late), 'row was', 'rows were')} judged after trials of later rows had "
            "begun: the verdict rests on a judge that looks at nothing but the trial it scores."
        )


def is_over(state: StudyState, slot: Slot) -> bool:
    """Whether the trial of a slot has been run, or counts as the worst, and has been judged."""
    trial = state.trial(slot.holder or 0)
    return trial is not None and trial.over and slot.proxy is not None

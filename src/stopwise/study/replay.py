"""How the journal becomes the state of a study: a pure function of its entries, in their order.

Nothing in a state is stored as truth, so it can never disagree with the journal; saved states are
a cache.
"""

from dataclasses import replace
from functools import singledispatch

from stopwise.errors import InvalidState
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.events import (
    LAPSED,
    UNNEEDED,
    Amended,
    Assigned,
    Created,
    Imported,
    Joined,
    Locked,
    Released,
    Scored,
    Started,
    TokenCreated,
    TokenRevoked,
    Unblinded,
    Undone,
    Voided,
)
from stopwise.study.state import Import, StudyState, TokenRecord, TrialRecord
from stopwise.study.study_plan import StudyPlan


def apply(state: StudyState, entry: Entry) -> None:
    """Take the next entry in."""
    state.clock = state.clock_at(entry.time)
    state.time = entry.time
    try:
        take_in(entry.event, state, entry)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidState(
            f"the journal is damaged: entry {entry.seq} does not fit those before it: {error!r}"
        ) from error
    state.seq, state.hash = entry.seq, entry.hash


@singledispatch
def take_in(event: Event, state: StudyState, entry: Entry) -> None:
    """Change the state by what happened; one function for each kind of event."""
    # Only for a new event that someone forgot to register below.
    raise NotImplementedError(event.kind)


def _trial(state: StudyState, number: int) -> TrialRecord:
    trial = state.trial(number)
    if trial is None:
        raise LookupError(f"there is no trial {number}")
    return trial


@take_in.register
def _created(event: Created, state: StudyState, _: Entry) -> None:
    state.study = event.study


@take_in.register
def _locked(event: Locked, state: StudyState, _: Entry) -> None:
    state.digest, state.edition, state.stopwise = event.digest, event.edition, event.stopwise
    plan = StudyPlan.model_validate(event.plan)
    state.lock(plan, event.arms, event.baseline, event.later, stored=event.stored_trials)


@take_in.register
def _assigned(event: Assigned, state: StudyState, entry: Entry) -> None:
    board = state.boards[state.board_name(event.task)]
    if event.row == len(board.rows):
        board.open_row(event.opens or ())
    trial = TrialRecord(
        number=event.trial,
        task=event.task,
        row=event.row,
        arm=event.arm,
        code=event.code,
        condition=event.condition,
        station=event.station,
        expires=state.clock + event.lease,
        who=entry.who,
    )
    state.trials.append(trial)
    state.codes[trial.code] = trial.number
    state.held[trial.station] = trial.number
    state.slot(trial).holder = trial.number
    board.owners[trial.row] = trial.station, trial.expires


@take_in.register
def _started(event: Started, state: StudyState, _: Entry) -> None:
    trial = _trial(state, event.trial)
    trial.started = True
    trial.expires = state.clock + event.lease
    state.board(trial).owners[trial.row] = trial.station, trial.expires


@take_in.register
def _released(event: Released, state: StudyState, _: Entry) -> None:
    trial = _trial(state, event.trial)
    trial.status, trial.unneeded = "released", event.reason == UNNEEDED
    trial.lapsed = event.reason == LAPSED
    slot = state.slot(trial)
    if event.score is not None:
        _settle(state, trial, event.score)
    elif slot.holder == trial.number:
        slot.holder = None


@take_in.register
def _scored(event: Scored, state: StudyState, _: Entry) -> None:
    trial = _trial(state, event.trial)
    _clear(state, trial)  # one that lapsed counts as the worst until its result comes
    trial.status, trial.lapsed = "scored", False
    _settle(state, trial, event.score)


def _settle(state: StudyState, trial: TrialRecord, score: float) -> None:
    """Give a trial its score; the first result stored for a slot settles it."""
    trial.score = score
    slot = state.slot(trial)
    trial.counted = not slot.settled
    if trial.counted:
        slot.score, slot.settled_by = score, trial.number
        state.board(trial).touch(trial.row, trial.arm)


@take_in.register
def _undone(event: Undone, state: StudyState, _: Entry) -> None:
    trial = _trial(state, event.trial)
    _clear(state, trial)
    trial.first = trial.score if trial.first is None else trial.first
    trial.status, trial.score = "leased", None
    trial.expires = state.clock + event.lease
    # A station that is at its next trial keeps that one; the owner enters the score anew.
    current = state.trial(state.held.get(trial.station, 0))
    if trial.station and (current is None or current.status != "leased"):
        state.held[trial.station] = trial.number


@take_in.register
def _voided(event: Voided, state: StudyState, _: Entry) -> None:
    trial = _trial(state, event.trial)
    _clear(state, trial)
    if trial.status == "released":
        trial.score = None  # it was never seen
    trial.status = "voided"
    slot = state.slot(trial)
    if slot.holder != trial.number:
        return  # its place is free, or another trial's, which may still fill it
    slot.holder = None
    if not event.redraw and not slot.settled:
        slot.dropped = True
        state.board(trial).touch(trial.row, trial.arm)


def _clear(state: StudyState, trial: TrialRecord) -> None:
    """Take the score of a trial out of its slot, if it settled it."""
    slot = state.slot(trial)
    if trial.counted:
        slot.score = slot.settled_by = None
        slot.holder = trial.number
        trial.counted = False
        state.board(trial).touch(trial.row, trial.arm)


@take_in.register
def _imported(event: Imported, state: StudyState, _: Entry) -> None:
    board = state.boards[event.task]
    state.imports.append(Import.of(event.task, event.rows, event.source))
    for row, scores in enumerate(event.rows, start=len(board.rows)):
        board.open_row(tuple(scores))
        for arm, score in scores.items():
            number = len(state.trials) + 1
            state.trials.append(
                TrialRecord(
                    number=number,
                    task=event.task,
                    row=row,
                    arm=arm,
                    status="scored",
                    score=score,
                    counted=True,
                )
            )
            slot = board.rows[row][arm]
            slot.score, slot.settled_by, slot.holder = score, number, number
            board.touch(row, arm)


@take_in.register
def _amended(event: Amended, state: StudyState, _: Entry) -> None:
    state.amendments += 1
    if event.changes and state.plan is not None:
        state.plan = StudyPlan.model_validate({**state.plan.content(), **event.changes})


@take_in.register
def _joined(event: Joined, state: StudyState, _: Entry) -> None:
    state.amendments += 1
    if event.policy is not None and state.plan is not None:
        content = state.plan.content()
        state.plan = StudyPlan.model_validate(
            {**content, "policies": [*content["policies"], event.policy]}
        )
        state.arms = (*state.arms, event.arm)
    for task, row in event.rows.items():
        state.boards[task].join(event.arm, row)


@take_in.register
def _unblinded(event: Unblinded, state: StudyState, entry: Entry) -> None:
    state.names = dict(event.names)
    if state.unblinded_at is None:
        state.unblinded_at = entry.seq


@take_in.register
def _token_created(event: TokenCreated, state: StudyState, _: Entry) -> None:
    state.tokens[event.token] = TokenRecord(event.token, event.role, event.name, event.digest)


@take_in.register
def _token_revoked(event: TokenRevoked, state: StudyState, _: Entry) -> None:
    state.tokens[event.token] = replace(state.tokens[event.token], revoked=True)

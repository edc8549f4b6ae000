"""How the journal becomes the state of a study: a pure function of its entries, in their order.

Nothing in a state is stored as truth, so it can never disagree with the journal.
"""

from dataclasses import replace
from functools import singledispatch

from stopwise.errors import InvalidState
from stopwise.study import events
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.state import Import, StudyState, TokenRecord, TrialRecord
from stopwise.study.study_plan import StudyPlan


def apply(state: StudyState, entry: Entry) -> None:
    state.clock = state.clock_at(entry.moment)
    state.moment = entry.moment
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


def trial_of(state: StudyState, number: int) -> TrialRecord:
    trial = state.trial(number)
    if trial is None:
        raise LookupError(f"there is no trial {number}")
    return trial


@take_in.register
def _created(event: events.Created, state: StudyState, _: Entry) -> None:
    state.study = event.study


@take_in.register
def _locked(event: events.Locked, state: StudyState, _: Entry) -> None:
    state.digest, state.edition, state.stopwise = event.digest, event.edition, event.stopwise
    plan = StudyPlan.model_validate(event.plan)
    state.lock(plan, event.arms, event.baseline, event.stored_trials)


@take_in.register
def _assigned(event: events.Assigned, state: StudyState, entry: Entry) -> None:
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
        when=entry.time,
    )
    state.trials.append(trial)
    state.codes.add(trial.code)
    state.held[trial.station] = trial.number
    slot = state.slot(trial)
    slot.holder = trial.number
    board.owners[trial.row] = trial.station, trial.expires


@take_in.register
def _started(event: events.Started, state: StudyState, _: Entry) -> None:
    begin(state, trial_of(state, event.trial), event.lease)


def begin(state: StudyState, trial: TrialRecord, lease: float) -> None:
    trial.started = True
    trial.expires = state.clock + lease
    state.board(trial).owners[trial.row] = trial.station, trial.expires


@take_in.register
def _released(event: events.Released, state: StudyState, _: Entry) -> None:
    trial = trial_of(state, event.trial)
    trial.status, trial.unneeded = "released", event.reason == events.UNNEEDED
    trial.lapsed = event.reason == events.LAPSED
    state.after_unblinding += event.score is not None and state.unblinded_at is not None
    slot = state.slot(trial)
    if event.score is not None:
        _settle(state, trial, event.score)
    elif slot.holder == trial.number:
        slot.holder = None


@take_in.register
def _scored(event: events.Scored, state: StudyState, entry: Entry) -> None:
    trial = trial_of(state, event.trial)
    trial.status = "scored"
    state.after_unblinding += state.unblinded_at is not None
    if event.correction is None:
        trial.when = entry.time
    if event.score is not None:
        _settle(state, trial, event.score)
    elif state.plan is not None:  # its place is kept until the other trial of its row is over
        trial.expires = state.clock + 60.0 * state.plan.lease_minutes
        state.board(trial).owners[trial.row] = trial.station, trial.expires


def _settle(state: StudyState, trial: TrialRecord, score: float) -> None:
    """Give a trial its score, and one that waits for it; the first stored for a slot settles it."""
    rival = state.rival(trial)
    lost = [(rival, 1.0 - score)] if rival is not None and rival.waiting else []
    for one, own in ((trial, score), *lost):
        one.score = own
        slot = state.slot(one)
        one.counted = not slot.settled
        if one.counted:
            slot.score, slot.settled_by = own, one.number
            state.board(one).touch(one.row, one.arm)


@take_in.register
def _undone(event: events.Undone, state: StudyState, _: Entry) -> None:
    trial = trial_of(state, event.trial)
    _clear(state, trial)
    trial.first = trial.score if trial.first is None else trial.first
    trial.status, trial.score = "leased", None
    trial.expires = state.clock + event.lease
    rival = state.rival(trial)
    if rival is not None:
        rival.score, rival.expires = None, trial.expires
    # A station that is at its next trial keeps that one; the owner enters the score anew.
    current = state.trial(state.held.get(trial.station, 0))
    if trial.station and (current is None or current.status != "leased"):
        state.held[trial.station] = trial.number


@take_in.register
def _voided(event: events.Voided, state: StudyState, _: Entry) -> None:
    trial = trial_of(state, event.trial)
    rival = state.rival(trial)
    _clear(state, trial)
    for one in (trial,) if rival is None else (trial, rival):
        if one.status == "released":
            one.score = None  # it was never seen
        one.status = "voided"
        slot = state.slot(one)
        if slot.holder != one.number:
            continue  # its place is free, or another trial's, which may still fill it
        slot.holder = None
        if not event.redraw and not slot.settled:
            _drop(state, one)


def _drop(state: StudyState, trial: TrialRecord) -> None:
    """Leave the slot of a trial empty for good, and the other of its row if both are one answer."""
    board, row = state.board(trial), state.board(trial).rows[trial.row]
    together = state.plan is not None and state.plan.task(trial.task).judged_in_pairs
    for arm, slot in row.items():
        if arm == trial.arm or together:
            slot.dropped = True
            board.touch(trial.row, arm)


def _clear(state: StudyState, trial: TrialRecord) -> None:
    """Take the score of a trial, and of one judged with it, out of the slots that they settled."""
    rival = state.rival(trial)
    for one in (trial,) if rival is None else (trial, rival):
        if one.counted:
            slot = state.slot(one)
            if trial.status == "scored" and slot.first is None:
                slot.first = slot.score
            slot.score = slot.settled_by = None
            slot.holder = one.number
            one.counted = False
            state.board(one).touch(one.row, one.arm)


@take_in.register
def _imported(event: events.Imported, state: StudyState, _: Entry) -> None:
    board = state.boards[event.task]
    state.imports.append(Import.of(event.task, event.rows, event.source))
    state.after_unblinding += 0 if state.unblinded_at is None else event.trials
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
def _amended(event: events.Amended, state: StudyState, _: Entry) -> None:
    state.amendments += 1
    if event.changes and state.plan is not None:
        state.plan = StudyPlan.model_validate({**state.plan.content(), **event.changes})


@take_in.register
def _unblinded(event: events.Unblinded, state: StudyState, entry: Entry) -> None:
    state.names = dict(event.names)
    if state.unblinded_at is None:
        state.unblinded_at = entry.seq


@take_in.register
def _token_created(event: events.TokenCreated, state: StudyState, _: Entry) -> None:
    state.tokens[event.token] = TokenRecord(
        event.token, event.role, event.name, event.digest, expires=event.expires
    )


@take_in.register
def _token_revoked(event: events.TokenRevoked, state: StudyState, _: Entry) -> None:
    state.tokens[event.token] = replace(state.tokens[event.token], revoked=True)

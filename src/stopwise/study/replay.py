"""How the journal becomes the state of a study: a pure function of its entries, in their order.

Nothing in a state is stored as truth, so it can never disagree with the journal; saved states are
a cache.
"""

from collections.abc import Callable

from stopwise.errors import InvalidState
from stopwise.study.edition import LOCKED_WITH
from stopwise.study.journal import Entry
from stopwise.study.plan import Plan
from stopwise.study.state import Amendment, Import, State, TokenRecord, Trial

__all__ = ["apply"]


def apply(state: State, entry: Entry) -> None:
    """Take the next entry in."""
    handler = _HANDLERS.get(entry.kind)
    if handler is None:
        raise InvalidState(
            f"entry {entry.seq} is of kind {entry.kind!r}, which this stopwise does not know: "
            "install a newer one"
        )
    state.clock = state.clock_at(entry.time)
    state.time = entry.time
    try:
        handler(state, entry)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidState(
            f"the journal is damaged: entry {entry.seq} does not fit those before it: {error!r}"
        ) from error
    state.seq, state.hash = entry.seq, entry.hash


def _trial(state: State, entry: Entry) -> Trial:
    trial = state.trial(entry.content["trial"])
    if trial is None:
        raise LookupError(f"there is no trial {entry.content['trial']!r}")
    return trial


def _created(state: State, entry: Entry) -> None:
    state.study = entry.content["study"]


def _locked(state: State, entry: Entry) -> None:
    content = entry.content
    state.digest, state.commitment = content["digest"], content["commitment"]
    state.locked_with = {name: content[name] for name in LOCKED_WITH if name in content}
    state.lock(Plan.model_validate(content["plan"]), tuple(content["arms"]), content["baseline"])


def _assigned(state: State, entry: Entry) -> None:
    content = entry.content
    board = state.boards[content["task"]]
    if content["row"] == len(board.rows):
        board.open_row(tuple(content["opens"]))
    trial = Trial(
        number=content["trial"],
        task=content["task"],
        row=content["row"],
        arm=content["arm"],
        code=content["code"],
        condition=content["condition"],
        station=content["station"],
        expires=state.clock + content["lease"],
    )
    state.trials.append(trial)
    state.codes[trial.code] = trial.number
    state.held[trial.station] = trial.number
    state.slot(trial).holder = trial.number
    board.keep_row(trial.row, trial.station, trial.expires)


def _started(state: State, entry: Entry) -> None:
    trial = _trial(state, entry)
    trial.started = True
    trial.expires = state.clock + entry.content["lease"]
    state.boards[trial.task].keep_row(trial.row, trial.station, trial.expires)


def _released(state: State, entry: Entry) -> None:
    trial = _trial(state, entry)
    trial.status = "released"
    slot = state.slot(trial)
    if slot.holder == trial.number:
        slot.holder = None


def _scored(state: State, entry: Entry) -> None:
    trial = _trial(state, entry)
    trial.status, trial.score = "scored", entry.content["score"]
    slot = state.slot(trial)
    trial.counted = not slot.settled  # the first result stored for a slot settles it
    if trial.counted:
        slot.score, slot.settled_by = trial.score, trial.number
        state.boards[trial.task].touch(trial.row)


def _undone(state: State, entry: Entry) -> None:
    trial = _trial(state, entry)
    _clear(state, trial)
    trial.status, trial.score, trial.withdrawn = "leased", None, True
    trial.expires = state.clock + entry.content["lease"]
    # A station that is at its next trial keeps that one; the owner enters the score anew.
    current = state.trial(state.held.get(trial.station, 0))
    if trial.station and (current is None or current.status != "leased"):
        state.held[trial.station] = trial.number


def _voided(state: State, entry: Entry) -> None:
    trial = _trial(state, entry)
    _clear(state, trial)
    trial.status = "voided"
    slot = state.slot(trial)
    if slot.holder != trial.number:
        return  # its place is free, or another trial's, which may still fill it
    slot.holder = None
    if not entry.content["redraw"] and not slot.settled:
        slot.dropped = True
        state.boards[trial.task].touch(trial.row)


def _clear(state: State, trial: Trial) -> None:
    """Take the score of a trial out of its slot, if it settled it."""
    slot = state.slot(trial)
    if trial.counted:
        slot.score = slot.settled_by = None
        slot.holder = trial.number
        trial.counted = False
        state.boards[trial.task].touch(trial.row)


def _imported(state: State, entry: Entry) -> None:
    content = entry.content
    board = state.boards[content["task"]]
    state.imports.append(Import.of(content["task"], content["rows"], content["source"]))
    first = len(board.rows)
    for scores in content["rows"]:
        board.open_row(tuple(scores))
        for arm, score in scores.items():
            number = len(state.trials) + 1
            state.trials.append(
                Trial(
                    number=number,
                    task=content["task"],
                    row=first,
                    arm=arm,
                    code="",
                    condition=None,
                    station="",
                    expires=0.0,
                    status="scored",
                    score=score,
                    counted=True,
                )
            )
            slot = board.rows[first][arm]
            slot.score, slot.settled_by, slot.holder = score, number, number
        board.touch(first)
        first += 1


def _amended(state: State, entry: Entry) -> None:
    content = entry.content
    state.amendments.append(
        Amendment(entry.seq, entry.time, entry.who, content["reason"], content["changes"])
    )
    if content["changes"] and state.plan is not None:
        state.plan = Plan.model_validate({**state.plan.content(), **content["changes"]})


def _unblinded(state: State, entry: Entry) -> None:
    state.names = dict(entry.content["names"])
    if state.unblinded_at is None:
        state.unblinded_at = entry.seq


def _token_created(state: State, entry: Entry) -> None:
    content = entry.content
    record = TokenRecord(content["token"], content["role"], content["name"], content["digest"])
    state.tokens[record.token] = record


def _token_revoked(state: State, entry: Entry) -> None:
    old = state.tokens[entry.content["token"]]
    state.tokens[old.token] = TokenRecord(old.token, old.role, old.name, old.digest, revoked=True)


_HANDLERS: dict[str, Callable[[State, Entry], None]] = {
    "created": _created,
    "locked": _locked,
    "assigned": _assigned,
    "started": _started,
    "released": _released,
    "scored": _scored,
    "undone": _undone,
    "voided": _voided,
    "imported": _imported,
    "amended": _amended,
    "unblinded": _unblinded,
    "token created": _token_created,
    "token revoked": _token_revoked,
}

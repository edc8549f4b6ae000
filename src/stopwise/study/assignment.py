"""Which trial comes next, and what may happen to a trial: pure functions of the state.

Each function looks at the state and returns the facts to enter; none changes anything. The choice
of a trial uses only what is in the journal, and the random order was fixed by the secret.
"""

import math
from typing import Any

from stopwise.errors import NotAllowed, require
from stopwise.study.blinding import Lots
from stopwise.study.board import Board, Slot
from stopwise.study.journal import Draft
from stopwise.study.plan import Plan
from stopwise.study.state import State, Trial

__all__ = [
    "correct",
    "details",
    "finished",
    "holding",
    "locked_plan",
    "next_trial",
    "record",
    "release",
    "require_trial",
    "start",
    "take",
    "under_way",
    "undo",
    "void",
]


def take(
    state: State, lots: Lots, *, station: str, now: float, task: str | None = None
) -> list[Draft]:
    """Return what is to be entered when a station asks for a trial.

    A trial that it holds stays with it, unless it was not begun and is no longer needed.
    """
    drafts = []
    held = holding(state, station, now)
    if held is not None:
        if held.started or held.arm in state.boards[held.task].needed:
            return []
        drafts.append(Draft("released", {"trial": held.number, "reason": "no longer needed"}))
    draft = next_trial(state, lots, station=station, now=now, task=task)
    return drafts if draft is None else [*drafts, draft]


def next_trial(
    state: State, lots: Lots, *, station: str, now: float, task: str | None = None
) -> Draft | None:
    """Return the assignment of a new trial to a station, or None if there is none to give now.

    The lowest row with a free slot comes first, in the row's random order; a new row is opened
    when no slot is free, with the arms that then have an undecided comparison. In a design with
    blocks all of a row is run at one station, unless that station has left it.
    """
    plan = locked_plan(state)
    asking = station if plan.design == "blocks" else None
    place = _free_slot(state, lots, now, task, asking) or _new_row(state, lots, plan, task)
    if place is None:
        return None
    name, row, arm, opens = place
    number = len(state.trials) + 1
    content = {
        "trial": number,
        "task": name,
        "row": row,
        "arm": arm,
        "code": _code(state, lots, plan, arm, number),
        "condition": _condition(lots, plan, name, row, arm),
        "station": station,
        "asked": task,
        "lease": 60.0 * plan.lease_minutes,
        "salt": lots.salt("trial", number),
    }
    return Draft("assigned", content if opens is None else {**content, "opens": opens})


def holding(state: State, station: str, now: float) -> Trial | None:
    """Return the trial that a station has taken and not yet reported, if its lease still runs."""
    number = state.held.get(station)
    trial = state.trial(number) if number is not None else None
    if trial is None or trial.status != "leased" or trial.expires <= state.clock_at(now):
        return None
    slot = state.boards[trial.task].rows[trial.row][trial.arm]
    return trial if slot.holder == trial.number and not slot.settled else None


def under_way(state: State, code: str) -> Trial | None:
    """Return a trial of this code that is neither scored, given back nor voided, if there is one.

    A policy's own code is that of many trials, of which an earlier one may still be under way.
    """
    newest = state.trial(state.codes.get(code) or state.codes.get(code.upper(), 0))
    if newest is None or newest.status == "leased":
        return newest
    same = (trial for trial in reversed(state.trials) if trial.code == newest.code)
    return next((trial for trial in same if trial.status == "leased"), None)


def finished(state: State) -> bool:
    """Whether nothing is left to try: all is decided, or n_max is reached and settled."""
    return bool(state.boards) and not any(board.needed for board in state.boards.values())


def start(state: State, number: int, *, station: str) -> Draft:
    """Return the fact that a trial has begun; its lease begins anew, so it may also be repeated."""
    trial = _own(state, number, station)
    _require_status(trial, "leased")
    return Draft("started", {"trial": number, "lease": 60.0 * locked_plan(state).lease_minutes})


def release(state: State, number: int, *, station: str, reason: str) -> Draft:
    """Return the fact that a trial was given back without having been run to its end.

    One that had a score is not given back, or a score could be got rid of by undoing it.
    """
    trial = _own(state, number, station)
    _require_status(trial, "leased")
    if trial.withdrawn:
        raise NotAllowed(f"trial {number} was run: enter its score, or let the owner void it")
    return Draft("released", {"trial": number, "reason": reason})


def record(
    state: State, number: int, *, station: str | None, answer: Any, details: dict[str, Any]
) -> Draft:
    """Return the fact that a trial was scored.

    A result is taken as long as its trial was neither scored, released nor voided: also late, also
    when its slot was given to another station. The first result stored settles the slot.
    """
    trial = _own(state, number, station)
    _require_status(trial, "leased")
    return _scored(state, trial, answer, details)


def details(plan: Plan, *, note: str, tag: str | None, seconds: float | None) -> dict[str, Any]:
    """Return the checked remarks on a trial."""
    require(len(note) <= 10_000, "a note has at most 10,000 characters")
    require(
        tag is None or tag in plan.tags,
        f"tag must be one of {', '.join(plan.tags) or '(the plan has none)'}, but got {tag!r}",
    )
    require(
        seconds is None or (math.isfinite(seconds) and 0 <= seconds < 1e9),
        f"seconds must be a number of at least 0, but got {seconds!r}",
    )
    return {"note": note, "tag": tag, "seconds": seconds}


def undo(state: State, number: int, *, station: str | None, reason: str) -> Draft:
    """Return the fact that a score was withdrawn, to be entered again.

    A station may do so until it takes its next trial; the owner (station None) always, until the
    study is unblinded.
    """
    trial = _own(state, number, station)
    _require_status(trial, "scored")
    _require_blind(state, "withdraw a score")
    if station is not None and state.held.get(station) != number:
        raise NotAllowed(f"trial {number} can be undone only before the next trial is taken")
    slot = state.boards[trial.task].rows[trial.row][trial.arm]
    if not trial.counted and slot.settled:
        raise NotAllowed(f"trial {number} was not counted: its place has another result")
    lease = 60.0 * locked_plan(state).lease_minutes
    return Draft("undone", {"trial": number, "reason": reason, "lease": lease})


def correct(state: State, number: int, *, answer: Any, reason: str) -> list[Draft]:
    """Return the facts by which a wrong score is replaced in one step."""
    require(bool(reason.strip()), "a score is corrected only for a stated reason")
    undone = undo(state, number, station=None, reason=reason.strip())
    remark = {"note": reason.strip(), "tag": None, "seconds": None}
    return [undone, _scored(state, require_trial(state, number), answer, remark)]


def void(state: State, number: int, *, reason: str, redraw: bool = True) -> Draft:
    """Return the fact that a trial does not count, for a cause that is not its score.

    Its slot is tried again, unless it cannot be (``redraw=False``): then it stays empty.
    """
    require(bool(reason.strip()), "a trial is voided only for a stated reason")
    trial = require_trial(state, number)
    if trial.status == "voided":
        raise NotAllowed(f"trial {number} is already voided")
    _require_blind(state, "void a trial")
    return Draft("voided", {"trial": number, "reason": reason.strip(), "redraw": redraw})


def locked_plan(state: State) -> Plan:
    """Return the plan in force, or raise if it is not locked yet."""
    if state.plan is None:
        raise NotAllowed("the study is not locked yet: run `stopwise study lock`")
    return state.plan


def require_trial(state: State, number: int) -> Trial:
    """Return a trial by its number, or raise."""
    locked_plan(state)
    trial = state.trial(number)
    if trial is None:
        raise NotAllowed(f"there is no trial {number}")
    return trial


def _scored(state: State, trial: Trial, answer: Any, details: dict[str, Any]) -> Draft:
    score = locked_plan(state).task(trial.task).score.score(answer)
    # A score that the test does not take would stand in the way of every later verdict.
    state.boards[trial.task].comparison.unit_score(score, f"trial {trial.number}")
    content = {"trial": trial.number, "score": score, "answer": answer, **details}
    return Draft("scored", content)


def _own(state: State, number: int, station: str | None) -> Trial:
    trial = require_trial(state, number)
    if station is not None and trial.station != station:
        raise NotAllowed(f"trial {number} belongs to another station")
    return trial


def _require_status(trial: Trial, status: str) -> None:
    if trial.status != status:
        raise NotAllowed(f"trial {trial.number} is {trial.status}, not {status}")


def _require_blind(state: State, what: str) -> None:
    if state.unblinded_at is not None:
        raise NotAllowed(f"the study is unblinded: it is too late to {what}")


def _free_slot(
    state: State, lots: Lots, now: float, task: str | None, station: str | None
) -> tuple[str, int, str, None] | None:
    """Return a free slot: task, row and arm; with a station, only in rows that it may work on."""
    clock = state.clock_at(now)
    found: list[tuple[int, int, str, list[str]]] = []
    for place, (name, board) in enumerate(_boards(state, task)):
        row, arms = _first_free(state, board, clock, station)
        if arms:
            found.append((row, place, name, arms))
    if not found:
        return None
    row, _, name, arms = min(found)
    return name, row, lots.shuffled(arms, "order", name, row)[0], None


def _first_free(
    state: State, board: Board, clock: float, station: str | None
) -> tuple[int, list[str]]:
    """Return the lowest row with free slots, and their arms."""
    first = -1
    arms: list[str] = []
    for row, arm, slot in board.open_slots():
        if arms and row > first:
            break
        owner, until = board.owners[row]
        open_to_it = station in (None, owner) or until <= clock
        if open_to_it and _is_free(state, slot, clock):
            first = row
            arms.append(arm)
    return first, arms


def _is_free(state: State, slot: Slot, clock: float) -> bool:
    if slot.holder is None:
        return True
    return state.trials[slot.holder - 1].expires <= clock


def _new_row(
    state: State, lots: Lots, plan: Plan, task: str | None
) -> tuple[str, int, str, list[str]] | None:
    boards = [
        (len(board.rows), place, name, board)
        for place, (name, board) in enumerate(_boards(state, task))
        if board.may_open(plan.look_ahead)
    ]
    if not boards:
        return None
    row, _, name, board = min(boards, key=lambda item: item[:2])
    arms = list(board.needed)
    return name, row, lots.shuffled(arms, "order", name, row)[0], arms


def _boards(state: State, task: str | None) -> list[tuple[str, Board]]:
    require(
        task is None or task in state.boards,
        f"tasks are {', '.join(state.boards)}, but got {task!r}",
    )
    return [(name, board) for name, board in state.boards.items() if task in (None, name)]


def _code(state: State, lots: Lots, plan: Plan, arm: str, number: int) -> str:
    if plan.blinding == "none":
        return arm
    if plan.blinding == "policy":
        codes: dict[str, str] = {}
        for other in state.arms:
            codes[other] = lots.code(codes.values(), "policy", other)
        return codes[arm]
    return lots.code(state.codes, "trial", number)


def _condition(lots: Lots, plan: Plan, task: str, row: int, arm: str) -> str | None:
    conditions = plan.task(task).conditions
    if plan.design == "blocks":
        return lots.condition(conditions, row, "block", task, in_turn=True)
    # Gone through in turn by each arm for itself, what is left would depend on what has been.
    return lots.condition(conditions, row, "condition", task, arm, in_turn=False)

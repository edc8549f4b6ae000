"""Which trial comes next: pure functions of the state that return the events to enter.

The choice uses only what is in the journal, and the random order was fixed by the secret.
"""

from collections import Counter
from collections.abc import Iterator

from stopwise.errors import NotAllowed, require, require_choice
from stopwise.rows.task_mean import MEAN
from stopwise.study.blinding import Draws
from stopwise.study.board import Slot, SlotBoard
from stopwise.study.check_lists import checks_due
from stopwise.study.event import Event
from stopwise.study.events import LAPSED, UNNEEDED, Assigned, Released, Started
from stopwise.study.state import StudyState, TrialRecord
from stopwise.study.study_plan import StudyPlan


def take(
    state: StudyState,
    lots: Draws,
    *,
    station: str,
    task: str | None = None,
    after: int | None = None,
    holder: str | None = None,
) -> list[Event]:
    """Events to enter when a station, or the ``holder`` of a token, asks for a trial."""
    events: list[Event] = []
    if holder is not None:
        _require_alone(state, holder, station)
    held = holding(state, station)
    if held is not None and held.number == after:
        events += _set_aside(state, held)
    elif held is not None:
        if held.started or state.board(held).wants(held.row, held.arm):
            return []
        events.append(Released(trial=held.number, reason=UNNEEDED))
    if checks_due(state, station):
        return []
    assigned = next_trial(state, lots, station=station, task=task)
    return events if assigned is None else [*events, assigned]


def _set_aside(state: StudyState, trial: TrialRecord) -> list[Event]:
    """Event for a trial whose result comes later: at most one at each station."""
    plan = state.locked_plan
    if plan.task(trial.task).judged_in_pairs and state.run_before(trial) is None:
        raise NotAllowed(f"say that trial {trial.number} is done first: the next is compared to it")
    for other in _open_trials(state):
        late = (other.station, other.status) == (trial.station, "leased")
        if late and other is not trial:
            raise NotAllowed(f"report the result of trial {other.number} first")
    return [] if trial.started else [Started(trial=trial.number, lease=state.lease)]


def next_trial(
    state: StudyState, lots: Draws, *, station: str, task: str | None = None
) -> Assigned | None:
    """The lowest row with a free slot comes first, in its random order; else a new row."""
    plan = state.locked_plan
    if any(board.lacks_stored for board in state.boards.values()):
        raise NotAllowed(
            "the plan declares stored trials: import them before the first trial, with "
            "`stopwise study import`"
        )
    asking = station if plan.drawing.shared else None
    choices = (
        _free_slot(state, lots, wanted, asking) or _new_row(state, lots, plan, wanted)
        for wanted in _tasks_in_turn(state, plan, station, task)
    )
    place = next(filter(None, choices), None)
    if place is None:
        return None
    board, row, arm, opens = place
    name = plan.drawing.task(lots, plan, row, arm) or board
    number = len(state.trials) + 1
    return Assigned(
        trial=number,
        task=name,
        row=row,
        arm=arm,
        code=_code(state, lots, plan, arm, number),
        condition=plan.drawing.condition(lots, plan, name, row, arm),
        station=station,
        asked=task,
        lease=state.lease,
        salt=lots.salt("trial", number),
        opens=opens,
    )


def lapsed(state: StudyState) -> list[Released]:
    """A lapsed trial counts: otherwise waiting would get rid of one that goes badly."""
    plan = state.locked_plan
    over = (
        trial
        for trial in _open_trials(state)
        if trial.started and trial.status == "leased" and trial.expires <= state.now
    )
    return [
        Released(trial=trial.number, reason=LAPSED, score=task.score.worst)
        for trial in over
        for task in (plan.task(trial.task),)
        # The first of two that are compared has no score to be the worst: its row waits for it.
        if not task.judged_in_pairs or state.run_before(trial) is not None
    ]


def _open_trials(state: StudyState) -> Iterator[TrialRecord]:
    for board in state.boards.values():
        for _, _, slot in board.open_slots():
            if slot.holder is not None:
                yield state.trials[slot.holder - 1]


def holding(state: StudyState, station: str) -> TrialRecord | None:
    """Return the trial that a station has not reported yet, if its lease still runs."""
    number = state.held.get(station)
    trial = state.known(number) if number is not None else None
    if trial is not None and trial.status == "leased" and trial.expires > state.now:
        slot = state.slot(trial)
        if slot.holder == trial.number and not slot.settled:
            return trial
    return None


def _require_alone(state: StudyState, holder: str, station: str) -> None:
    for place in state.held:
        held = holding(state, place)
        if held is None or (place == station) == (held.who == holder):
            continue
        if place == station:
            raise NotAllowed(f"station {station!r} is in use: {held.who} holds its trial")
        raise NotAllowed(
            f"you hold trial {held.number} at station {place!r}: score it or give it back first"
        )


def needed(state: StudyState, trial: TrialRecord) -> bool:
    open_slot = trial.status == "leased" and not state.slot(trial).settled
    return open_slot and state.board(trial).wants(trial.row, trial.arm)


def finished(state: StudyState) -> bool:
    boards = state.boards.values()
    return bool(boards) and not any(board.needed for board in boards)


def _free_slot(
    state: StudyState, lots: Draws, task: str | None, station: str | None
) -> tuple[str, int, str, None] | None:
    slots: list[tuple[int, int, str, list[str]]] = []
    for place, (name, board) in enumerate(_boards(state, task)):
        row, arms = _first_free(state, board, station)
        if arms:
            slots.append((row, place, name, arms))
    if not slots:
        return None
    row, _, name, arms = min(slots)
    return name, row, lots.shuffled(arms, "order", name, row)[0], None


def _tasks_in_turn(
    state: StudyState, plan: StudyPlan, station: str, task: str | None
) -> list[str | None]:
    """Yield the station's own task first, then those at which fewest others are; None is any."""
    if plan.task_order == "chosen":
        return [task]
    require(task is None, "the plan says task_order: blocked, so that no station chooses its task")
    at_work = {name: state.trials[number - 1].task for name, number in state.held.items()}
    last = at_work.pop(station, None)
    others = Counter(at_work.values())
    names = (one.name for one in plan.tasks)
    return [*sorted(names, key=lambda name: (name != last, others[name]))]


def _first_free(state: StudyState, board: SlotBoard, station: str | None) -> tuple[int, list[str]]:
    first, arms = -1, list[str]()
    for row, arm, slot in board.open_slots():
        if arms and row > first:
            break
        owner, until = board.owners[row]
        seen = board.rules.by == "wins" and any(
            _seen_first(state, other) for other in board.rows[row].values()
        )
        open_to_it = station in (None, owner) or (until <= state.now and not seen)
        free = slot.holder is None or (
            state.trials[slot.holder - 1].expires <= state.now
            and not (seen and _seen_first(state, slot))
        )
        if open_to_it and free:
            first = row
            arms.append(arm)
    return first, arms


def _seen_first(state: StudyState, slot: Slot) -> bool:
    """The first of two that are compared is not handed out again once it has begun."""
    if slot.holder is None or slot.settled:
        return False
    trial = state.trials[slot.holder - 1]
    first = state.run_before(trial) is None
    return first and (trial.waiting or (trial.started and trial.status == "leased"))


def _new_row(
    state: StudyState, lots: Draws, plan: StudyPlan, task: str | None
) -> tuple[str, int, str, tuple[str, ...]] | None:
    boards = [
        (len(board.rows), place, name, board)
        for place, (name, board) in enumerate(_boards(state, task))
        if board.may_open(plan.look_ahead)
    ]
    if not boards:
        return None
    row, _, name, board = min(boards, key=lambda item: item[:2])
    opens = board.needed
    return name, row, lots.shuffled(opens, "order", name, row)[0], opens


def _boards(state: StudyState, task: str | None) -> list[tuple[str, SlotBoard]]:
    if task is not None:
        require(
            MEAN not in state.boards,
            f"the task of each trial is drawn at random, but {task!r} was asked for",
        )
        require_choice("task", task, state.boards)
    return [(name, board) for name, board in state.boards.items() if task in (None, name)]


def _code(state: StudyState, lots: Draws, plan: StudyPlan, arm: str, number: int) -> str:
    if plan.blinding == "none":
        return arm
    return lots.code(state.codes, "trial", number)

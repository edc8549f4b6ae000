"""Whether the rig changed: a trend in the scores of the drift check, or of all policies together.

Policies are compared within rows, so a change that hits all of them alike does not touch the
verdict. But it says that means are those of changing conditions. If rows are fresh draws, every
order of their scores was as likely, and a trend is found with at most ``LEVEL`` in the whole study
(proof: docs/design/studies.md).
"""

from collections import defaultdict
from collections.abc import Iterator

from stopwise.core.drift import RISES, changed
from stopwise.rows.task_mean import MEAN
from stopwise.study.board import SlotBoard
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan

LEVEL = 0.05  # so many studies in which nothing changes are warned of at most
CHECK, ALL = "the drift check", "all policies together"
AFTERMATH = (
    "conditions have probably changed. The verdict stays valid, since policies are compared "
    "within rows, but means are over conditions that changed"
)


def drift_doubts(state: StudyState) -> tuple[str, ...]:
    """Return a warning for each trend that fresh draws hardly give."""
    plan, found = state.plan, []
    if plan is None:
        return ()
    kinds = 1 if plan.drift_check is None else 2
    for whose, task, station, scores, share in _sequences(state, plan):
        way = changed(tuple(scores), LEVEL * share / kinds)
        if way is not None:
            went = "rose" if way == RISES else "fell"
            where = f" on {task}" if len(state.boards) > 1 else ""
            where += f" at {station}" if station else ""
            found.append(f"The scores of {whose}{where} {went} along the study: {AFTERMATH}.")
    return tuple(found)


def _sequences(
    state: StudyState, plan: StudyPlan
) -> Iterator[tuple[str, str, str, list[float], float]]:
    """Yield whose scores, on which task and where, in the order of rows, and their part of LEVEL.

    Where rows belong to stations, whose number nobody knows beforehand, the parts get smaller.
    """
    check = plan.drift_check
    for task, board in state.boards.items():
        found = []
        if _are_fresh(plan, task, board):
            found.append((ALL, len(state.boards), _rows(state, board)))
        if check is not None and task in (MEAN, check.task or plan.tasks[0].name):
            found.append((CHECK, 1, _checks(state, board)))
        for whose, parts, rows in found:
            at: dict[str, list[float]] = defaultdict(list)
            for station, score in rows:
                at[station if plan.design == "blocks" else ""].append(score)
            for number, (station, scores) in enumerate(at.items(), start=1):
                share = 1.0 / (number * (number + 1)) if station else 1.0
                yield whose, task, station, scores, share / parts


def _are_fresh(plan: StudyPlan, task: str, board: SlotBoard) -> bool:
    """Whether every order of the rows was as likely: none has a condition that was left over."""
    conditions = None if task == MEAN else plan.task(task).conditions
    in_turn = plan.in_turn and conditions is not None and bool(conditions.listed)
    return not (board.apart or in_turn)


def _rows(state: StudyState, board: SlotBoard) -> Iterator[tuple[str, float]]:
    """Yield the station and mean score of rows, as long as all policies are tried in each."""
    arms = [arm for arm in board.rules.run_policies if arm not in board.rules.later]
    for number in range(board.used):
        slots = [board.rows[number].get(arm) for arm in arms]
        if None in slots:
            return  # a policy is out: the mean of the others is another one
        scores = [slot.score for slot in slots if slot is not None and slot.score is not None]
        settled = [slot.settled_by for slot in slots if slot is not None]
        live = all(by is not None and state.trials[by - 1].code for by in settled)
        if live and len(scores) == len(arms):
            yield board.owners[number][0], sum(scores) / len(scores)


def _checks(state: StudyState, board: SlotBoard) -> Iterator[tuple[str, float]]:
    """Yield the station and score of the trials of the drift check, up to one that is awaited."""
    for row in board.rows:
        slot = row.get(board.beside or "")
        if slot is not None and not slot.settled:
            return
        if slot is not None and slot.settled_by is not None and slot.score is not None:
            yield state.trials[slot.settled_by - 1].station, slot.score

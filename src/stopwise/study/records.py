"""The trials of a study as tables: those that count, and everything that happened."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed
from stopwise.study.board import SlotBoard
from stopwise.study.entries import Entry
from stopwise.study.events import Assigned, Corrected, Released, Scored, Voided
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan

SCHEMA: dict[str, Any] = {
    "trial": pl.Int64,
    "task": pl.String,
    "row": pl.Int64,
    "policy": pl.String,
    "code": pl.String,
    "condition": pl.String,
    "station": pl.String,
    "status": pl.String,
    "used": pl.Boolean,
    "score": pl.Float64,
    # What the entries about a trial say besides.
    "answer": pl.String,
    "tag": pl.String,
    "note": pl.String,
    "seconds": pl.Float64,
    "episode": pl.String,  # only if a runner started trials
    "who": pl.String,
    "assigned": pl.String,
    "scored": pl.String,
    "reason": pl.String,
    "corrected_by": pl.String,
}


def trial_table(state: StudyState, plan: StudyPlan) -> Trials:
    """Return the trials that the verdict uses, in their order, by label until unblinded."""
    shown = state.shown()
    trials: list[tuple[object, ...]] = []
    for task, board in state.boards.items():
        if plan.shares is not None:
            trials = _drawn_tasks(state, board)
            break
        for row, scores in enumerate(board.question.scores(), start=1):
            for arm, score in scores.items():
                if arm in shown:  # not a number that policies are compared with
                    trials.append((task, shown[arm], score, str(row)))
    if not trials:
        raise NotAllowed("no row of trials is complete yet")
    names = ("task", "policy", "score", "block")
    columns = dict(zip(names, map(list, zip(*trials, strict=True)), strict=True))
    known = set(columns["task"])
    if not plan.drawing.shared:
        del columns["block"]
    bounds = {task.name: task.score.bounds for task in plan.tasks if task.name in known}
    found_trials = Trials.from_columns(columns, bounds=bounds)
    judged = all(plan.task(task).judged_in_pairs for task in known)
    return replace(found_trials, preferences=judged)


def _drawn_tasks(state: StudyState, board: SlotBoard) -> list[tuple[object, ...]]:
    used, shown = board.used_slots(), state.shown()
    return [
        (state.trials[slot.settled_by - 1].task, shown[arm], slot.score, str(row + 1))
        for row, slots in enumerate(board.rows)
        for arm, slot in slots.items()
        if slot.settled_by is not None and (row, arm) in used
    ]


def record_frame(state: StudyState, entries: Iterable[Entry]) -> pl.DataFrame:
    """Return one row per trial ever handed out or imported, with all that was reported.

    ``status`` is "leased", "released", "scored", "voided" or "duplicate" (a second result for one
    slot); ``used`` tells whether the verdict rests on it: a score that is not used is overshoot,
    or waits for others of its row.
    """
    used = {
        (task, row, arm) for task, board in state.boards.items() for row, arm in board.used_slots()
    }
    details = _details(entries)
    shown = state.shown()
    rows = []
    for trial in state.trials:
        place = (state.board_name(trial.task), trial.row, trial.arm)
        duplicate = trial.has_result and not trial.counted
        rows.append(
            {
                "trial": trial.number,
                "task": trial.task,
                "row": trial.row + 1,
                "policy": shown[trial.arm],
                "code": trial.code or None,
                "condition": trial.condition,
                "station": trial.station or None,
                "status": "duplicate" if duplicate else trial.status,
                "used": trial.counted and place in used,
                "score": trial.score,
                "episode": trial.episode or None,
                # A trial that was given back and counts is that of who took it.
                "who": None if trial.score is None else trial.who or None,
                **details[trial.number],
                **({} if trial.seconds is None else {"seconds": trial.seconds}),
            }
        )
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return frame.drop("episode") if frame["episode"].is_null().all() else frame


def csv_text(frame: pl.DataFrame) -> str:
    """Put an apostrophe before each text that a spreadsheet would run as a formula."""
    text = pl.col(pl.String)
    formula = text.str.contains(r"^[=+\-@\t\r]") & ~text.str.contains(r"^[+-]?[\d.]+(e[+-]?\d+)?$")
    safe = text.str.replace(r"^", pl.when(formula).then(pl.lit("'")).otherwise(pl.lit("")))
    return frame.with_columns(safe).write_csv()


def _details(entries: Iterable[Entry]) -> dict[int, dict[str, Any]]:
    details: dict[int, dict[str, Any]] = defaultdict(dict)
    for entry in entries:
        match entry.event:
            case Assigned(trial=trial):
                details[trial]["assigned"] = as_text(entry.time)
            case Scored(trial=trial) as scored:
                details[trial].update(
                    {name: getattr(scored, name) for name in ("tag", "note", "seconds")},
                    answer=_as_text(scored.answer),
                    who=entry.who,
                    scored=as_text(entry.time),
                )
            case Corrected(trial=trial, answer=answer, reason=reason):
                details[trial].update(
                    answer=_as_text(answer), corrected_by=entry.who, reason=reason
                )
            case Voided() | Released() as event:
                details[event.trial]["reason"] = event.reason
    return details


def _as_text(answer: Any) -> str:
    return "; ".join(answer) if isinstance(answer, list) else str(answer)


def as_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")

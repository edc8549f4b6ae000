"""The trials as their owner may choose one, to correct or void it."""

from dataclasses import dataclass

from stopwise.study.state import StudyState, TrialRecord
from stopwise.study.trial_operations import Undo, Void, allowed


@dataclass(frozen=True, kw_only=True)
class TrialLine:
    """A trial as its owner may choose it: never whose it is or how it went."""

    trial: int
    task: str
    station: str
    who: str
    when: float | None
    now: str
    correctable: bool
    voidable: bool


def trial_line(state: StudyState, trial: TrialRecord, clock: float) -> TrialLine:
    return TrialLine(
        trial=trial.number,
        task=trial.task,
        station=trial.station,
        who=trial.who,
        when=trial.when or None,
        now=_in_words(trial, clock),
        correctable=allowed(Undo(trial=trial.number, reason="-"), state),
        voidable=allowed(Void(trial=trial.number, reason="-"), state),
    )


def _in_words(trial: TrialRecord, clock: float) -> str:
    if trial.status == "leased":
        return "under way" if clock < trial.expires else "no result yet"
    if trial.status == "released":
        return "lapsed" if trial.lapsed else "not needed" if trial.unneeded else "given back"
    if trial.status == "voided":
        return "voided"
    if trial.waiting:
        return "run"
    return "scored, corrected" if trial.withdrawn else "scored" if trial.code else "imported"

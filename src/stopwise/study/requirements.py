"""Preconditions of operations on trials; each refusal names the way out."""

from collections.abc import Callable

from stopwise.errors import NotAllowed, require
from stopwise.messages import Setting
from stopwise.study.state import StudyState, TrialRecord


def require_under_way(state: StudyState, code: str) -> TrialRecord:
    """Find the trial of a code; without blinding it is that of many, of which one is under way."""
    trials = state.trials if state.locked_plan else []
    known = code.strip() if code.strip() in state.codes else code.strip().upper()
    for trial in reversed(trials):
        if trial.code == known and trial.status == "leased":
            return trial
    raise NotAllowed("no trial with this code is in progress")


def require_trial(state: StudyState, number: int) -> TrialRecord:
    if not (state.locked_plan and 1 <= number <= len(state.trials)):
        raise NotAllowed(f"there is no trial {number}")
    return state.trials[number - 1]


def own_trial(state: StudyState, number: int, station: str | None) -> TrialRecord:
    trial = require_trial(state, number)
    if station is not None and trial.station != station:
        raise NotAllowed(f"trial {number} belongs to another station")
    return trial


def require_taken_by(state: StudyState, number: int, holder: str) -> None:
    if require_trial(state, number).who != holder:
        raise NotAllowed(f"trial {number} was taken by someone else")


def require_status(trial: TrialRecord, status: str) -> None:
    if trial.status != status:
        raise NotAllowed(f"trial {trial.number} is {trial.status}, not {status}")


def require_started(trial: TrialRecord) -> None:
    if not trial.started:
        raise NotAllowed(f"trial {trial.number} has not been started by its operator yet")


def require_reason(what: str, reason: str) -> None:
    """Raise unless a reason is given for what is done beside the rules."""
    missing = Setting("reason", words="a reason")
    require(bool(reason.strip()), f"{what} needs ", missing)


def require_correctable(state: StudyState, number: int) -> TrialRecord:
    trial = require_trial(state, number)
    require_status(trial, "scored")
    _require_blind(state, "correct a score")
    _require_first(trial)
    rival = state.rival(trial)
    if rival is not None and trial.score is not None and rival.number > number:
        raise NotAllowed(f"trial {number} was judged together with trial {rival.number}: name that")
    if trial.waiting:
        raise NotAllowed(f"trial {number} has no score yet: it waits for the other of its row")
    if not trial.counted and state.slot(trial).settled:
        raise NotAllowed(f"trial {number} was not counted: another result took its place")
    return trial


def require_voidable(state: StudyState, number: int) -> None:
    trial = require_trial(state, number)
    if trial.status == "voided":
        raise NotAllowed(f"trial {number} is already voided")
    _require_blind(state, "void a trial")
    for one in (trial, state.rival(trial)):
        if one is not None:
            _require_first(one)


def _require_first(trial: TrialRecord) -> None:
    if trial.first is not None:
        raise NotAllowed(
            f"trial {trial.number} was corrected before: it can be neither corrected nor voided "
            "again, because that correction may have shown whose trial it is"
        )


def _require_blind(state: StudyState, what: str) -> None:
    if state.unblinded_at is not None:
        raise NotAllowed(f"the study is unblinded: it is too late to {what}")


def allowed(check: Callable[[StudyState, int], object], state: StudyState, number: int) -> bool:
    try:
        check(state, number)
    except NotAllowed:
        return False
    return True

"""What may happen to a trial that was handed out: pure functions of the state.

Each function looks at the state and returns the events to enter; none changes anything.

A trial has at most one episode, which a runner starts. Whatever ends it (its own end, a command
that fails, the time limit, a runner that breaks off), it is not run again: how it went may have
been seen, and a policy that fails more often would be tried more often. So the trial is scored as
it was seen, given back, which counts by the plan's rule, or voided by the owner.
"""

from typing import Any

from stopwise.errors import NotAllowed, require, require_choice
from stopwise.study.assignment import locked_plan, needed, require_reason
from stopwise.study.event import Event
from stopwise.study.events import (
    LAPSED,
    OUTCOMES,
    UNNEEDED,
    Attended,
    EpisodeBegan,
    EpisodeEnded,
    Released,
    Scored,
    Started,
    Undone,
    Voided,
)
from stopwise.study.limits import require_name, require_note, require_seconds
from stopwise.study.rubric import DONE, WON, plain_answer
from stopwise.study.state import StudyState, TrialRecord


def start(state: StudyState, number: int, station: str, *, renew: bool = False) -> Started:
    """Return the event that a trial has begun, or still runs: its lease begins anew.

    It does not begin once its place is another's: of two that are run, the better could be sent.
    Nor if it is only renewed: who knows whose trial it is could have it count as the worst.
    """
    trial = own_trial(state, number, station)
    require_status(trial, "leased")
    if renew:
        require_started(trial)
    if not trial.begun and state.slot(trial).holder != number:
        raise NotAllowed(
            f"the lease of trial {number} ran out before it began, and its place was handed out "
            "again: ask for the next trial"
        )
    return Started(trial=number, lease=60.0 * locked_plan(state).lease_minutes)


def release(state: StudyState, number: int, station: str, reason: str) -> Released:
    """Return the event that a trial was given back without having been run to its end.

    Once it has begun, how it went may have been seen: by the plan it then counts as the worst
    score, so that nothing is gained by giving it back. One that had a score is not given back, or
    a score could be got rid of by undoing it.
    """
    require_reason("giving back a trial", reason)
    trial = own_trial(state, number, station)
    require_status(trial, "leased")
    if trial.withdrawn:
        raise NotAllowed(
            f"trial {number} has been run: enter its score, or ask the owner to void it"
        )
    if reason.strip() == LAPSED or (reason.strip() == UNNEEDED and needed(state, trial)):
        raise NotAllowed(f"trial {number} is still needed: give another reason")
    plan = locked_plan(state)
    task, counts = plan.task(trial.task), trial.started and plan.given_back == "worst"
    if counts and task.judged_in_pairs and state.run_before(trial) is None:
        raise NotAllowed(
            f"trial {number} has begun: say that it is done, and the other trial of its row is "
            "compared with it; or ask the owner to void it"
        )
    worst = task.score.worst if counts else None
    return Released(trial=number, reason=reason.strip(), score=worst)


def record(
    state: StudyState,
    number: int,
    station: str | None,
    answer: Any,
    salt: str | None = None,
    *,
    note: str = "",
    tag: str | None = None,
    seconds: float | None = None,
) -> Scored:
    """Return the event that a trial was scored.

    A result is taken as long as its trial was neither scored, given back nor voided: also late,
    also when its slot was given to another station. The first result stored settles the slot.
    One that lapsed is over: with a choice when to report, scores could be tried out.
    """
    trial = own_trial(state, number, station)
    if trial.lapsed:
        raise NotAllowed(
            f"the lease of trial {number} ran out, so it counts as the worst score; if the cause "
            "was not the policy, ask the owner to void it"
        )
    require_status(trial, "leased")
    tags = locked_plan(state).tags
    require_note(note)
    require(
        tag is None or tag in tags,
        f"tag must be one of {', '.join(tags) or '(the plan has none)'}, but got {tag!r}",
    )
    require_seconds(seconds)
    given, score = judged(state, trial, answer)
    return Scored(
        trial=number, score=score, answer=given, note=note, tag=tag, seconds=seconds, salt=salt
    )


def undo(state: StudyState, number: int, reason: str) -> Undone:
    """Return the event that a score was withdrawn, to be entered again; only for the owner.

    A station cannot: it could try out which score ends the study. Nor can anyone twice: what the
    first time changes in the evidence may have shown whose trial it is.
    """
    require_reason("withdrawing a score", reason)
    trial = require_trial(state, number)
    require_status(trial, "scored")
    _require_blind(state, "withdraw a score")
    _require_first(trial)
    rival = state.rival(trial)
    if rival is not None and trial.score is not None and rival.number > number:
        raise NotAllowed(f"trial {number} was judged together with trial {rival.number}: name that")
    if trial.waiting:
        raise NotAllowed(f"trial {number} has no score yet: it waits for the other of its row")
    slot = state.slot(trial)
    if not trial.counted and slot.settled:
        raise NotAllowed(f"trial {number} was not counted: another result took its place")
    lease = 60.0 * locked_plan(state).lease_minutes
    return Undone(trial=number, reason=reason, lease=lease)


def correct(state: StudyState, number: int, answer: Any, salt: str, reason: str) -> list[Event]:
    """Return the events by which a wrong score is replaced in one step.

    What was reported beside the score (note, tag, duration, by whom) stays as it is.
    """
    require_reason("correcting a score", reason)
    undone = undo(state, number, reason.strip())
    given, score = judged(state, require_trial(state, number), answer)
    scored = Scored(trial=number, score=score, answer=given, correction=reason.strip(), salt=salt)
    return [undone, scored]


def void(state: StudyState, number: int, reason: str, *, redraw: bool = True) -> Voided:
    """Return the event that a trial does not count, for a cause that is not its score.

    Its slot is tried again, unless it cannot be (``redraw=False``): then it stays empty.
    """
    require_reason("voiding a trial", reason)
    trial = require_trial(state, number)
    if trial.status == "voided":
        raise NotAllowed(f"trial {number} is already voided")
    _require_blind(state, "void a trial")
    for one in (trial, state.rival(trial)):
        if one is not None and (one.status == "scored" or one.lapsed):
            _require_first(one)
    return Voided(trial=number, reason=reason.strip(), redraw=redraw)


def attend(
    state: StudyState, station: str, *, present: bool, limit: float | None = None
) -> Attended:
    """Return the event that a runner came to a station, or left it."""
    locked_plan(state)
    require_name(station, "a station")
    return Attended(station=station, present=present, limit=limit)


def begin_episode(state: StudyState, number: int, episode: str) -> list[EpisodeBegan]:
    """Return the event that the policy of a trial is started; nothing if it was said before.

    The operator has started the trial: nothing moves before.
    """
    require_name(episode, "an episode")
    trial = require_trial(state, number)
    if trial.episode == episode and trial.running:
        return []
    require_status(trial, "leased")
    if trial.episode:
        raise NotAllowed(f"trial {number} was run already, and is not run again")
    require_started(trial)
    lease = 60.0 * locked_plan(state).lease_minutes
    return [EpisodeBegan(trial=number, episode=episode, lease=lease)]


def end_episode(
    state: StudyState,
    number: int,
    episode: str,
    salt: str,
    *,
    outcome: str,
    seconds: float | None,
) -> list[EpisodeEnded]:
    """Return the event that an episode ended; nothing if that was said before."""
    require_choice("outcome", outcome, OUTCOMES)
    require_seconds(seconds)
    trial = require_trial(state, number)
    if trial.episode != episode:
        raise NotAllowed(f"trial {number} has no episode {episode!r}")
    if not trial.running:
        return []
    return [
        EpisodeEnded(trial=number, episode=episode, outcome=outcome, seconds=seconds, salt=salt)
    ]


def require_trial(state: StudyState, number: int) -> TrialRecord:
    """Return a trial by its number, or raise."""
    locked_plan(state)
    trial = state.trial(number)
    if trial is None:
        raise NotAllowed(f"there is no trial {number}")
    return trial


def own_trial(state: StudyState, number: int, station: str | None) -> TrialRecord:
    """Return a trial by its number, or raise if it is another station's (None: anyone's)."""
    trial = require_trial(state, number)
    if station is not None and trial.station != station:
        raise NotAllowed(f"trial {number} belongs to another station")
    return trial


def judged(state: StudyState, trial: TrialRecord, answer: Any) -> tuple[Any, float | None]:
    """Return the answer as it is stored, and its score."""
    answer, task = plain_answer(answer), locked_plan(state).task(trial.task)
    if task.judged_in_pairs:
        _require_its_turn(state, trial, answer)
    score = task.score.score(answer)
    if score is not None:
        # A score that the test does not take would stand in the way of every later verdict.
        state.board(trial).comparison.unit_score(score, f"trial {trial.number}")
    return answer, score


def _require_its_turn(state: StudyState, trial: TrialRecord, answer: Any) -> None:
    """Raise unless the answer is the one to the first, or to the second, trial of a row."""
    if state.slot(trial).holder != trial.number:
        raise NotAllowed(f"the row of trial {trial.number} was handed out again: nothing is stored")
    second = state.run_before(trial) is not None
    if second and answer == DONE:
        raise NotAllowed(
            f"trial {trial.number} is the second of its row: say which was better, first, second "
            "or tie"
        )
    if not second and answer != DONE:
        require(
            answer in tuple(WON),
            f"the first of two trials is only said to be {DONE}, but got {answer!r}",
        )
        raise NotAllowed(
            f"no other trial of its row was run before trial {trial.number}: say done, and run "
            "that one next"
        )


def require_status(trial: TrialRecord, status: str) -> None:
    """Raise unless a trial is in this status."""
    if trial.status != status:
        raise NotAllowed(f"trial {trial.number} is {trial.status}, not {status}")


def require_started(trial: TrialRecord) -> None:
    """Raise unless the operator has started a trial."""
    if not trial.started:
        raise NotAllowed(f"trial {trial.number} has not been started by its operator yet")


def _require_first(trial: TrialRecord) -> None:
    """Raise if the score was corrected before."""
    if trial.withdrawn:
        raise NotAllowed(
            f"trial {trial.number} was corrected before: it can be neither corrected nor voided "
            "again, because that correction may have shown whose trial it is"
        )


def _require_blind(state: StudyState, what: str) -> None:
    if state.unblinded_at is not None:
        raise NotAllowed(f"the study is unblinded: it is too late to {what}")

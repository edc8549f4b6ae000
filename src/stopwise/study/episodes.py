"""What a runner tells of the trials that it starts: pure functions of the state.

A trial has at most one episode. Whatever ends it (its own end, a command that fails, the time
limit, a runner that breaks off), it is not run again: how it went may have been seen, and a policy
that fails more often would be tried more often. So the trial is scored as it was seen, given back,
which counts by the plan's rule, or voided by the owner.
"""

from stopwise.errors import NotAllowed, require, require_choice
from stopwise.study.assignment import locked_plan
from stopwise.study.events import OUTCOMES, Attended, EpisodeBegan, EpisodeEnded
from stopwise.study.ledger import require_name
from stopwise.study.state import StudyState
from stopwise.study.trial_actions import require_started, require_status, require_trial


def attend(
    state: StudyState, station: str, *, present: bool, limit: float | None = None
) -> Attended:
    """Return the event that a runner came to a station, or left it."""
    locked_plan(state)
    require_name(station, "a station")
    return Attended(station=station, present=present, limit=limit)


def begin(state: StudyState, number: int, episode: str) -> list[EpisodeBegan]:
    """Return the event that the policy of a trial is started; nothing if it was said before.

    The operator has started the trial: nothing moves before.
    """
    require_name(episode, "an episode")
    trial = require_trial(state, number)
    if trial.episode == episode and trial.running:
        return []
    require_status(trial, "leased")
    if trial.episode or trial.audited:
        raise NotAllowed(f"trial {number} was run already, and is not run again")
    require_started(trial)
    lease = 60.0 * locked_plan(state).lease_minutes
    return [EpisodeBegan(trial=number, episode=episode, lease=lease)]


def end(
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
    require(seconds is None or 0 <= seconds < 1e9, f"seconds must be 0 or more, but got {seconds}")
    trial = require_trial(state, number)
    if trial.episode != episode:
        raise NotAllowed(f"trial {number} has no episode {episode!r}")
    if not trial.running:
        return []
    return [
        EpisodeEnded(trial=number, episode=episode, outcome=outcome, seconds=seconds, salt=salt)
    ]

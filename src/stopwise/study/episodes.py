"""Episodes: what a runner, a program at the robot, starts for a trial, and learns to start it.

It may learn what is behind a code, and scores nothing.
"""

from collections.abc import Sequence

from pydantic import Field

from stopwise.errors import NotAllowed, require_choice
from stopwise.study import views
from stopwise.study.entries import Entry
from stopwise.study.event import Blind, Event, Open
from stopwise.study.events import Voided
from stopwise.study.limits import Name, Seconds, TrialNumber
from stopwise.study.operation import OPERATOR, RUNNER, Now, Operation
from stopwise.study.requirements import (
    allowed,
    own_trial,
    require_started,
    require_status,
    require_trial,
    require_under_way,
    require_voidable,
)
from stopwise.study.state import StudyState, TrialRecord
from stopwise.study.trial_operations import Start

# By itself, its command, the time limit, its operator or the trial; the runner broke off; or
# nothing has moved, so that the trial is voided.
OUTCOMES = ("ended", "failed", "timed out", "stopped", "lost", "not started")
NOT_STARTED = "the runner could not start its policy"


class Attended(Event, kind="attended"):
    station: Open[str]
    present: Open[bool]
    limit: Open[float | None] = None  # seconds after which it ends an episode, of any policy

    def change(self, state: StudyState, entry: Entry) -> None:
        if self.present:
            state.attended[self.station] = entry.who
            state.heard[self.station] = state.clock
        else:
            state.attended.pop(self.station, None)

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        return f"a runner {'came to' if self.present else 'left'} {self.station}"


class EpisodeBegan(
    Event, kind="episode began", says="trial {trial}: the runner began episode {episode}"
):
    trial: Open[int]
    episode: Open[str]
    lease: Open[float]

    def change(self, state: StudyState, _: Entry) -> None:
        trial = state.known(self.trial)
        trial.episode, trial.running, trial.started = self.episode, True, True
        state.extend(trial, self.lease)


class EpisodeEnded(Event, kind="episode ended", says="trial {trial}: episode {episode} ended"):
    trial: Open[int]
    episode: Open[str]
    outcome: Blind[str]  # one of ``OUTCOMES``
    seconds: Blind[float | None]
    salt: Blind[str]

    def change(self, state: StudyState, _: Entry) -> None:
        trial = state.known(self.trial)
        trial.running, trial.seconds = False, self.seconds


class StopAsked(Event, kind="stop asked", says="trial {trial}: its operator stopped the robot"):
    trial: Open[int]

    def change(self, state: StudyState, _: Entry) -> None:
        state.known(self.trial).stopping = True


class Resolve(Operation[views.Resolved], route="GET /policies/{code}", roles=RUNNER):
    """Return the policy that a code stands for, for the program that starts it.

    With this its trial has begun, if it was not started before.
    """

    code: Name

    def decide(self, now: Now) -> Sequence[Event]:
        trial = require_under_way(now.state, self.code)
        begun = Start(trial=trial.number, station=trial.station).decide(Now(now.state))
        return () if trial.started else (begun,)

    def result(self, now: Now) -> views.Resolved:
        return _resolved(now, require_under_way(now.state, self.code))


class Attend(Operation[views.StationOffer], route="POST /stations/attend", roles=RUNNER):
    """Attach a runner to a station, or detach it.

    Returns the trial that the station has at that moment: if it was started, then without it.
    """

    station: Name
    present: bool = True
    limit: Seconds | None = Field(
        default=None, gt=0, description="Seconds for which an episode may last."
    )

    def decide(self, now: Now) -> Sequence[Event]:
        if now.state.locked_plan and self.station:
            return [Attended(station=self.station, present=self.present, limit=self.limit)]
        return []

    def result(self, now: Now) -> views.StationOffer:
        return views.offer(now.state, self.station)


class BeginEpisode(Operation[views.Resolved], route="POST /trials/{trial}/episode", roles=RUNNER):
    """Return the policy of a trial that its operator has started, to be started now.

    This works once for a trial: a second episode of it is refused. The same call may be repeated if
    its answer was lost.
    """

    trial: TrialNumber
    episode: Name

    def decide(self, now: Now) -> Sequence[Event]:
        trial = require_trial(now.state, self.trial)
        if trial.episode == self.episode and trial.running:
            return []
        require_status(trial, "leased")
        if trial.episode:
            raise NotAllowed(f"trial {self.trial} was run already, and is not run again")
        require_started(trial)
        if trial.stopping:
            raise NotAllowed(f"trial {self.trial} was stopped by its operator before it began")
        return [EpisodeBegan(trial=self.trial, episode=self.episode, lease=now.state.lease)]

    def result(self, now: Now) -> views.Resolved:
        return _resolved(now, now.state.trials[self.trial - 1])


class Stop(Operation[None], route="POST /trials/{trial}/stop", roles=OPERATOR, own=True):
    """Stop the robot: the runner ends the policy, and the trial is scored as it was seen."""

    trial: TrialNumber
    station: Name | None = None

    def decide(self, now: Now) -> Sequence[Event]:
        trial = own_trial(now.state, self.trial, now.station(self))
        require_status(trial, "leased")
        require_started(trial)
        over = trial.stopping or (trial.episode and not trial.running)
        return [] if over else [StopAsked(trial=self.trial)]


class EndEpisode(Operation[None], route="POST /trials/{trial}/episode/end", roles=RUNNER):
    """Report how and after how long a trial's episode ended.

    A trial whose policy was "not started" is voided: nothing has moved, so it has no outcome.
    """

    trial: TrialNumber
    episode: Name
    outcome: Name = Field(default="ended", description=f"One of {', '.join(OUTCOMES)}.")
    seconds: Seconds | None = None

    def decide(self, now: Now) -> Sequence[Event]:
        require_choice("outcome", self.outcome, OUTCOMES)
        trial = require_trial(now.state, self.trial)
        if trial.episode != self.episode:
            raise NotAllowed(f"trial {self.trial} has no episode {self.episode!r}")
        if not trial.running:
            return []
        ended = EpisodeEnded(
            trial=self.trial,
            episode=self.episode,
            outcome=self.outcome,
            seconds=self.seconds,
            salt=now.lots.salt("episode", self.trial),
        )
        free = trial.status == "leased" and allowed(require_voidable, now.state, self.trial)
        if self.outcome != "not started" or not free:
            return [ended]
        return [ended, Voided(trial=self.trial, reason=NOT_STARTED, redraw=True)]


def _resolved(now: Now, trial: TrialRecord) -> views.Resolved:
    name = now.state.labels(now.lots)[trial.arm]
    plan = now.state.locked_plan
    run = next(policy.run for policy in plan.policies if policy.name == name)
    return views.Resolved(trial=trial.number, policy=name, run=run)

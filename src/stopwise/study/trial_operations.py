"""Operations on a trial: take, start, score, give back; and, by the owner, correct and void.

A trial has at most one episode, which a runner starts. Whatever ends it (its own end, a command
that fails, the time limit, a runner that breaks off), it is not run again: how it went may have
been seen, and a policy that fails more often would be tried more often. So the trial is scored as
it was seen, given back, which counts as the worst score, or voided by the owner.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from stopwise.errors import NotAllowed, require
from stopwise.study import assignment, views
from stopwise.study.access import Role
from stopwise.study.event import Event
from stopwise.study.events import LAPSED, UNNEEDED, Corrected, Released, Scored, Started, Voided
from stopwise.study.limits import Name, Note, Seconds, SentAnswer, Short, TrialNumber
from stopwise.study.operation import AT_THE_ROBOT, OPERATOR, Again, Key, Now, Operation
from stopwise.study.requirements import (
    own_trial,
    require_correctable,
    require_reason,
    require_started,
    require_status,
    require_voidable,
)
from stopwise.study.rubric import DONE, plain_answer
from stopwise.study.state import StudyState, TrialRecord

Given = Annotated[Any, BeforeValidator(plain_answer, json_schema_input_type=SentAnswer)]


class NextTrial(Operation[views.StationOffer], route="POST /trials/next", roles=OPERATOR):
    """Give a station its next trial; a trial that it already holds is returned again.

    A token holds one trial at a time, and nobody else can report on it.
    """

    station: Name | None = Field(default=None, description="By default the name of the token.")
    task: Short | None = None
    after: TrialNumber | None = Field(
        default=None, description="The trial that was run last here, whose result comes later."
    )

    def decide(self, now: Now) -> Sequence[Event]:
        return [*assignment.lapsed(now.state)] or assignment.take(
            now.state,
            now.lots,
            station=now.station(self),
            task=self.task,
            after=self.after,
            holder=None if now.grant is None else now.grant.name,
        )

    def result(self, now: Now) -> views.StationOffer:
        if any(getattr(entry.event, "reason", "") == LAPSED for entry in now.entries):
            raise Again  # what lapsed is entered first, and may change what is needed
        offered = views.offer(now.state, now.station(self))
        later = offered.trial is not None and offered.trial.trial == self.after
        return replace(offered, trial=None) if later else offered


class Start(Operation[None], route="POST /trials/{trial}/start", roles=AT_THE_ROBOT, own=True):
    """Mark a trial as started or still running: its lease starts over.

    A runner can only extend the lease of a trial that its operator has started. A trial does not
    begin once its place is another's: of two that are run, the better could be sent.
    """

    trial: TrialNumber
    station: Name | None = None

    def decide(self, now: Now) -> Event:
        trial = own_trial(now.state, self.trial, now.station(self))
        require_status(trial, "leased")
        # Who knows whose trial it is could start it and have it count as the worst.
        if now.grant is not None and now.grant.role is Role.RUNNER:
            require_started(trial)
        if not trial.started and now.state.slot(trial).holder != self.trial:
            raise NotAllowed(
                f"the lease of trial {self.trial} ran out before it began, and its place was "
                "handed out again: ask for the next trial"
            )
        return Started(trial=self.trial, lease=now.state.lease)


class Release(Operation[None], route="POST /trials/{trial}/release", roles=OPERATOR, own=True):
    """Give back a trial, with a reason; one that has begun counts as the worst score.

    How it went may have been seen: with the worst score nothing is gained by giving it back.
    """

    trial: TrialNumber
    key: Key = None
    station: Name | None = None
    reason: Note

    def decide(self, now: Now) -> Event:
        state, number, reason = now.state, self.trial, self.reason.strip()
        require_reason("giving back a trial", reason)
        trial = own_trial(state, number, now.station(self))
        require_status(trial, "leased")
        if reason == LAPSED or (reason == UNNEEDED and assignment.needed(state, trial)):
            raise NotAllowed(f"trial {number} is still needed: give another reason")
        task = state.locked_plan.task(trial.task)
        if trial.started and task.judged_in_pairs and state.run_before(trial) is None:
            raise NotAllowed(
                f"trial {number} has begun: say that it is done, and the other trial of its row is "
                "compared with it; or ask the owner to void it"
            )
        score = task.score.worst if trial.started else None
        return Released(trial=number, reason=reason, score=score)

    def result(self, now: Now) -> None:
        event = now.entries[-1].event
        if not (isinstance(event, Released) and event.trial == self.trial):
            raise NotAllowed("this key was already used for another report: nothing was stored")


class Score(
    Operation[views.Recorded], route="POST /trials/{trial}/score", roles=OPERATOR, own=True
):
    """Store the result of a trial; it is durable once this is answered.

    A result is taken as long as its trial was neither scored, given back nor voided: also late,
    also when its slot was given to another station. The first result stored settles the slot.
    One that lapsed is over: with a choice when to report, scores could be tried out.
    """

    trial: TrialNumber
    key: Key = None
    answer: Given = Field(
        description="True or false, milestones, a level, a number, or a preference."
    )
    station: Name | None = None
    note: Note = ""
    tag: Short | None = None
    seconds: Seconds | None = None

    def decide(self, now: Now) -> Event:
        trial = own_trial(now.state, self.trial, now.station(self))
        if trial.lapsed:
            raise NotAllowed(
                f"the lease of trial {self.trial} ran out, so it counts as the worst score; if the "
                "cause was not the policy, ask the owner to void it"
            )
        require_status(trial, "leased")
        tags = now.state.locked_plan.tags
        require(
            self.tag is None or self.tag in tags,
            f"tag must be one of {', '.join(tags) or '(the plan has none)'}, but got {self.tag!r}",
        )
        return Scored(
            trial=self.trial,
            score=judged(now.state, trial, self.answer),
            answer=self.answer,
            note=self.note,
            tag=self.tag,
            seconds=self.seconds,
            salt=now.lots.salt("score", self.trial),
        )

    def result(self, now: Now) -> views.Recorded:
        event = now.entries[-1].event
        if not (isinstance(event, Scored) and event.trial == self.trial):
            raise NotAllowed("this key was already used for another report: nothing was stored")
        if event.answer != self.answer:
            raise NotAllowed(
                f"this key was already used for another answer to trial {self.trial}: nothing was "
                "stored"
            )
        counted = now.state.known(self.trial).counted
        return views.Recorded(
            trial=self.trial, score=event.score, counted=counted, repeated=now.repeated
        )


class Correct(Operation[None], route="POST /trials/{trial}/correct"):
    """Replace a score that was entered wrongly; after unblinding the report shows both.

    What was reported beside the score (note, tag, duration, by whom) stays as it is. A station
    cannot: it could try out which score ends the study. Nor can anyone twice: what the first time
    changes in the evidence may have shown whose trial it is.
    """

    trial: TrialNumber
    answer: Given
    reason: Note

    def decide(self, now: Now) -> Event:
        reason = self.reason.strip()
        require_reason("correcting a score", reason)
        score = judged(now.state, require_correctable(now.state, self.trial), self.answer)
        assert score is not None  # the first of two that are compared is not correctable
        return Corrected(
            trial=self.trial,
            reason=reason,
            score=score,
            answer=self.answer,
            salt=now.lots.salt("score", self.trial),
        )


class Void(Operation[None], route="POST /trials/{trial}/void"):
    """Exclude a trial for a reason unrelated to its score; it stays in the journal.

    Its place is tried again, unless it cannot be: then it stays empty.
    """

    trial: TrialNumber
    reason: Note
    redraw: bool = Field(default=True, description="Whether its place is tried again.")

    def decide(self, now: Now) -> Event:
        require_reason("voiding a trial", self.reason)
        require_voidable(now.state, self.trial)
        return Voided(trial=self.trial, reason=self.reason.strip(), redraw=self.redraw)


def judged(state: StudyState, trial: TrialRecord, answer: Any) -> float | None:
    task = state.locked_plan.task(trial.task)
    score = task.score.score(answer)
    if task.judged_in_pairs:
        _require_its_turn(state, trial, answer)
    if score is not None:
        # A score that the test does not take would stand in the way of every later verdict.
        state.board(trial).comparison.unit_score(score, f"trial {trial.number}")
    return score


def _require_its_turn(state: StudyState, trial: TrialRecord, answer: Any) -> None:
    if state.slot(trial).holder != trial.number:
        raise NotAllowed(f"the row of trial {trial.number} was handed out again: nothing is stored")
    second = state.run_before(trial) is not None
    if second and answer == DONE:
        raise NotAllowed(
            f"trial {trial.number} is the second of its row: say which was better, first, second "
            "or tie"
        )
    if not second and answer != DONE:
        raise NotAllowed(
            f"no other trial of its row was run before trial {trial.number}: say done, and run "
            "that one next"
        )

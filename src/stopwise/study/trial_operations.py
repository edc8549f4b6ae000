"""What is done to a trial: taken, started, scored, given back; and, by the owner, put right.

A trial has at most one episode, which a runner starts. Whatever ends it (its own end, a command
that fails, the time limit, a runner that breaks off), it is not run again: how it went may have
been seen, and a policy that fails more often would be tried more often. So the trial is scored as
it was seen, given back, which counts by the plan's rule, or voided by the owner.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from stopwise.errors import NotAllowed, require
from stopwise.study import assignment, views
from stopwise.study.access import Role
from stopwise.study.assignment import (
    own_trial,
    require_reason,
    require_started,
    require_status,
    require_trial,
)
from stopwise.study.event import Event
from stopwise.study.events import LAPSED, UNNEEDED, Released, Scored, Started, Undone, Voided
from stopwise.study.limits import Name, Note, Seconds, SentAnswer, Short, TrialNumber
from stopwise.study.operation import AT_THE_ROBOT, OPERATOR, Again, Keyed, Now, Operation
from stopwise.study.rubric import DONE, WON, plain_answer
from stopwise.study.state import StudyState, TrialRecord

Given = Annotated[Any, BeforeValidator(plain_answer, json_schema_input_type=SentAnswer)]


class NextTrial(Operation[views.StationOffer]):
    """Give a station its next trial; a trial that it already holds is returned again.

    A token holds one trial at a time, and nobody else can report on it.
    """

    route: ClassVar[str] = "POST /trials/next"
    roles: ClassVar[tuple[Role, ...]] = OPERATOR
    station: Name | None = Field(default=None, description="By default the name of the token.")
    task: Short | None = None
    after: TrialNumber | None = Field(
        default=None, description="The trial that was run last here, whose result comes later."
    )
    holder: str | None = Field(default=None, exclude=True)  # the name of a token

    def decide(self, now: Now) -> Sequence[Event]:
        return [*assignment.lapsed(now.state, now.clock)] or assignment.take(
            now.state,
            now.lots,
            station=now.station(self),
            clock=now.clock,
            task=self.task,
            after=self.after,
            holder=self.holder if now.grant is None else now.grant.name,
        )

    def result(self, now: Now) -> views.StationOffer:
        if any(getattr(entry.event, "reason", "") == LAPSED for entry in now.entries):
            raise Again  # what lapsed is entered first, and may change what is needed
        found = views.offer(now.state, now.station(self), now.clock)
        later = found.trial is not None and found.trial.trial == self.after
        return replace(found, trial=None) if later else found


class Start(Operation[None]):
    """Mark a trial as started or still running: its lease starts over.

    A runner can only extend the lease of a trial that its operator has started. A trial does not
    begin once its place is another's: of two that are run, the better could be sent.
    """

    route: ClassVar[str] = "POST /trials/{trial}/start"
    roles: ClassVar[tuple[Role, ...]] = AT_THE_ROBOT
    own: ClassVar[bool] = True
    trial: TrialNumber
    station: Name | None = None
    renew: bool = Field(default=False, exclude=True)

    def decide(self, now: Now) -> Event:
        trial = own_trial(now.state, self.trial, now.station(self))
        require_status(trial, "leased")
        # Who knows whose trial it is could start it and have it count as the worst.
        if self.renew or (now.grant is not None and now.grant.role is Role.RUNNER):
            require_started(trial)
        if not trial.begun and now.state.slot(trial).holder != self.trial:
            raise NotAllowed(
                f"the lease of trial {self.trial} ran out before it began, and its place was "
                "handed out again: ask for the next trial"
            )
        return Started(trial=self.trial, lease=now.state.lease)


class Release(Keyed[None]):
    """Give back a trial, with a reason; one that has begun counts as the plan says.

    How it went may have been seen: with the worst score nothing is gained by giving it back. One
    that had a score is not given back, or a score could be got rid of by undoing it.
    """

    route: ClassVar[str] = "POST /trials/{trial}/release"
    roles: ClassVar[tuple[Role, ...]] = OPERATOR
    own: ClassVar[bool] = True
    makes: ClassVar[type[Event]] = Released
    station: Name | None = None
    reason: Note

    def decide(self, now: Now) -> Event:
        state, number, reason = now.state, self.trial, self.reason.strip()
        require_reason("giving back a trial", reason)
        trial = own_trial(state, number, now.station(self))
        require_status(trial, "leased")
        if trial.withdrawn:
            raise NotAllowed(
                f"trial {number} has been run: enter its score, or ask the owner to void it"
            )
        if reason == LAPSED or (reason == UNNEEDED and assignment.needed(state, trial)):
            raise NotAllowed(f"trial {number} is still needed: give another reason")
        plan = state.locked_plan
        task, counts = plan.task(trial.task), trial.started and plan.given_back == "worst"
        if counts and task.judged_in_pairs and state.run_before(trial) is None:
            raise NotAllowed(
                f"trial {number} has begun: say that it is done, and the other trial of its row is "
                "compared with it; or ask the owner to void it"
            )
        return Released(trial=number, reason=reason, score=task.score.worst if counts else None)


class Score(Keyed[views.Recorded]):
    """Store the result of a trial; it is durable once this is answered.

    A result is taken as long as its trial was neither scored, given back nor voided: also late,
    also when its slot was given to another station. The first result stored settles the slot.
    One that lapsed is over: with a choice when to report, scores could be tried out.
    """

    route: ClassVar[str] = "POST /trials/{trial}/score"
    roles: ClassVar[tuple[Role, ...]] = OPERATOR
    own: ClassVar[bool] = True
    makes: ClassVar[type[Event]] = Scored
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
        given, score = judged(now.state, trial, self.answer)
        return Scored(
            trial=self.trial,
            score=score,
            answer=given,
            note=self.note,
            tag=self.tag,
            seconds=self.seconds,
            salt=now.lots.salt("score", self.trial),
        )

    def result(self, now: Now) -> views.Recorded:
        super().result(now)
        scored, known = now.entries[-1].event, now.state.trials[self.trial - 1]
        assert isinstance(scored, Scored)
        if now.repeated and known.status == "leased":
            raise NotAllowed("the report with this key was withdrawn: use a new key")
        if now.repeated and scored.answer != self.answer:
            raise NotAllowed(
                f"this key was already used for another answer to trial {self.trial}: nothing was "
                "stored"
            )
        return views.Recorded(
            trial=self.trial, score=scored.score, counted=known.counted, repeated=now.repeated
        )


class Undo(Keyed[None]):
    """Withdraw the score of a trial, to be entered again.

    A station cannot: it could try out which score ends the study. Nor can anyone twice: what the
    first time changes in the evidence may have shown whose trial it is.
    """

    makes: ClassVar[type[Event]] = Undone
    reason: Note

    def decide(self, now: Now) -> Undone:
        state, number = now.state, self.trial
        require_reason("withdrawing a score", self.reason)
        trial = require_trial(state, number)
        require_status(trial, "scored")
        _require_blind(state, "withdraw a score")
        _require_first(trial)
        rival = state.rival(trial)
        if rival is not None and trial.score is not None and rival.number > number:
            raise NotAllowed(
                f"trial {number} was judged together with trial {rival.number}: name that"
            )
        if trial.waiting:
            raise NotAllowed(f"trial {number} has no score yet: it waits for the other of its row")
        if not trial.counted and state.slot(trial).settled:
            raise NotAllowed(f"trial {number} was not counted: another result took its place")
        return Undone(trial=number, reason=self.reason, lease=state.lease)


class Correct(Operation[None]):
    """Replace a score that was entered wrongly; after unblinding the report shows both.

    What was reported beside the score (note, tag, duration, by whom) stays as it is.
    """

    route: ClassVar[str] = "POST /trials/{trial}/correct"
    trial: TrialNumber
    answer: Given
    reason: Note

    def decide(self, now: Now) -> Sequence[Event]:
        reason = self.reason.strip()
        require_reason("correcting a score", reason)
        undone = Undo(trial=self.trial, reason=reason).decide(now)
        given, score = judged(now.state, require_trial(now.state, self.trial), self.answer)
        salt = now.lots.salt("score", self.trial)
        return [
            undone,
            Scored(trial=self.trial, score=score, answer=given, correction=reason, salt=salt),
        ]


class Void(Operation[None]):
    """Exclude a trial for a reason unrelated to its score; it stays in the journal.

    Its place is tried again, unless it cannot be: then it stays empty.
    """

    route: ClassVar[str] = "POST /trials/{trial}/void"
    trial: TrialNumber
    reason: Note
    redraw: bool = Field(default=True, description="Whether its place is tried again.")

    def decide(self, now: Now) -> Event:
        require_reason("voiding a trial", self.reason)
        trial = require_trial(now.state, self.trial)
        if trial.status == "voided":
            raise NotAllowed(f"trial {self.trial} is already voided")
        _require_blind(now.state, "void a trial")
        for one in (trial, now.state.rival(trial)):
            if one is not None and (one.status == "scored" or one.lapsed):
                _require_first(one)
        return Voided(trial=self.trial, reason=self.reason.strip(), redraw=self.redraw)


def allowed(operation: Undo | Void, state: StudyState) -> bool:
    try:
        operation.decide(Now(state))
    except NotAllowed:
        return False
    return True


def judged(state: StudyState, trial: TrialRecord, answer: Any) -> tuple[Any, float | None]:
    answer, task = plain_answer(answer), state.locked_plan.task(trial.task)
    if task.judged_in_pairs:
        _require_its_turn(state, trial, answer)
    score = task.score.score(answer)
    if score is not None:
        # A score that the test does not take would stand in the way of every later verdict.
        state.board(trial).comparison.unit_score(score, f"trial {trial.number}")
    return answer, score


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
        require(
            answer in tuple(WON),
            f"the first of two trials is only said to be {DONE}, but got {answer!r}",
        )
        raise NotAllowed(
            f"no other trial of its row was run before trial {trial.number}: say done, and run "
            "that one next"
        )


def _require_first(trial: TrialRecord) -> None:
    if trial.withdrawn:
        raise NotAllowed(
            f"trial {trial.number} was corrected before: it can be neither corrected nor voided "
            "again, because that correction may have shown whose trial it is"
        )


def _require_blind(state: StudyState, what: str) -> None:
    if state.unblinded_at is not None:
        raise NotAllowed(f"the study is unblinded: it is too late to {what}")


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

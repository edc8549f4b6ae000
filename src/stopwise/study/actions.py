"""The operations of a study as methods, for a study here or on another machine."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from stopwise.errors import NotAllowed
from stopwise.study import views
from stopwise.study.episodes import Resolve
from stopwise.study.lifecycle import Amend, RevokeToken, Unblind
from stopwise.study.operation import Operation, Result
from stopwise.study.trial_operations import Correct, NextTrial, Release, Score, Start, Void


class Actions(ABC):
    """Operations of a study as methods.

    ``who`` is the name under which it is entered in the journal: by default the station, the owner
    or the runner. Over the network it is the name of the token.
    """

    @abstractmethod
    def do(self, operation: Operation[Result], *, who: str | None = None) -> Result:
        """Do an operation: what it decides is stored durably, or it raises and changes nothing."""

    @abstractmethod
    def offer(self, station: str) -> views.StationOffer:
        """Return a station's trial, or the reason why it has none."""

    def holding(self, station: str) -> views.Assignment | None:
        """Return the trial that a station has taken but not yet reported."""
        return self.offer(station).trial

    def checks_due(self, station: str) -> tuple[str, ...]:
        """Check list of a station before its next trial."""
        return self.offer(station).checks

    def next_trial(
        self,
        station: str,
        *,
        task: str | None = None,
        after: int | None = None,
        who: str | None = None,
    ) -> views.Assignment | None:
        """Return the trial that a station should run next, or None if there is none now.

        A station that holds a trial gets the same one again. None means that the study is finished
        (see ``finished``), or that other stations hold the remaining trials. ``after`` is a trial
        that the station has run and whose result comes later: the next is chosen as if that result
        were not known yet, and a third is refused until it came.
        """
        offered = self.do(NextTrial(station=station, task=task, after=after), who=who)
        if offered.checks:
            raise NotAllowed(f"go through the check list of station {station!r} first")
        return offered.trial

    def start(self, trial: int, *, station: str, who: str | None = None) -> None:
        """Mark a trial as started; repeat this during a long trial to extend its lease."""
        self.do(Start(trial=trial, station=station), who=who)

    def release(
        self,
        trial: int,
        *,
        station: str,
        reason: str,
        key: str | None = None,
        who: str | None = None,
    ) -> None:
        """Give back a trial, with a reason; one that was not begun is handed out again.

        One that has begun (it was started, or its code was resolved) counts as the worst score.
        Only the owner can then void it.
        """
        self.do(Release(trial=trial, station=station, reason=reason, key=key), who=who)

    def record(
        self,
        trial: int,
        answer: Any,
        *,
        station: str | None = None,
        key: str | None = None,
        note: str = "",
        tag: str | None = None,
        seconds: float | None = None,
        who: str | None = None,
    ) -> views.Recorded:
        """Store the result of a trial.

        Parameters
        ----------
        trial
            Its number, from the assignment.
        answer
            By the task's rubric: true or false, a list of milestones, a level, a number, or, of two
            trials that are judged by preference, "done" for the one that is run first, and with
            the other which was better, "first", "second" or "tie".
        station
            The station that ran it; None for the owner, who may report for any.
        key
            An idempotency key: a report sent twice with the same key is stored once. The same key
            with another answer is refused.
        note, tag, seconds
            Remarks, a failure tag of the plan, and how long the trial took.
        who
            The name in the journal.
        """
        score = Score(
            trial=trial,
            answer=answer,
            station=station,
            key=key,
            note=note,
            tag=tag,
            seconds=seconds,
        )
        return self.do(score, who=who)

    def correct(self, trial: int, answer: Any, reason: str, *, who: str | None = None) -> None:
        """Replace the score of a trial that was entered wrongly, with a reason, once.

        The rest of the report (note, tag, duration, by whom) is unchanged.
        """
        self.do(Correct(trial=trial, answer=answer, reason=reason), who=who)

    def void(self, trial: int, reason: str, *, redraw: bool = True, who: str | None = None) -> None:
        """Exclude a trial, for a stated reason that has nothing to do with its score.

        The trial stays in the journal and is run again, unless it cannot be repeated
        (``redraw=False``).
        """
        self.do(Void(trial=trial, reason=reason, redraw=redraw), who=who)

    def amend(
        self, reason: str, changes: Mapping[str, Any] | None = None, *, who: str | None = None
    ) -> None:
        """Log a remark or a change after the lock, with its reason."""
        self.do(Amend(reason=reason, changes=dict(changes or {})), who=who)

    def unblind(self, *, reason: str = "", who: str | None = None) -> dict[str, str]:
        """Reveal which policy each label stands for, permanently; return names by label."""
        return self.do(Unblind(reason=reason), who=who)

    def revoke_token(self, token: str, *, who: str | None = None) -> None:
        """Make a token void, named by its id (see ``tokens``)."""
        self.do(RevokeToken(token=token), who=who)

    def resolve(self, code: str, *, who: str | None = None) -> views.Resolved:
        """Return the policy that the code of a trial in progress stands for; for the robot only.

        With this the trial has begun, if it was not started before.
        """
        return self.do(Resolve(code=code), who=who)

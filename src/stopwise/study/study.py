"""The main class: a study that is planned, locked, run and read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed
from stopwise.study import access, assignment, lifecycle, trial_actions, trial_import, views
from stopwise.study.access import Role, owner_tokens
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.events import LAPSED, Imported, Released, Scored, Undone
from stopwise.study.limits import require_name
from stopwise.study.plan_file import parse_plan, plan_text, rewrite_plan, write_plan
from stopwise.study.robot_side import RobotSide
from stopwise.study.rubric import plain_answer
from stopwise.study.state import StudyState, TokenRecord
from stopwise.study.store import is_url, mark_locked, open_store
from stopwise.trackers import reporter_of
from stopwise.trackers.tracker import RowFunction

TOKEN_DAYS = 90.0  # a token of which nothing else is said
Report = TypeVar("Report", Released, Scored, Undone)


class Study(RobotSide):
    """A study: blinded trials at the robot, one journal, and a verdict replayed from it.

    Every method is safe to call from several threads, processes and machines at once. A call that
    changes something either stores it durably before it returns, or raises and changes nothing.

    Parameters
    ----------
    store, folder, draft, reporter
        Where the journal is kept, the folder of ``study.yaml``, a plan that is not locked yet, and
        what reports rows; ``create`` and ``open`` find them for you.

    Examples
    --------
    >>> import tempfile
    >>> import stopwise as sw
    >>> study = sw.Study.create(
    ...     tempfile.mkdtemp(), {"name": "cups", "policies": ["old", "new"], "tasks": ["stack"]}
    ... )
    >>> study.lock(who="ada")
    >>> trial = study.next_trial("arm 1")
    >>> trial.trial, trial.task, trial.rubric["kind"]
    (1, 'stack', 'binary')
    >>> study.record(trial.trial, True, station="arm 1").score
    1.0
    >>> study.verdict().sentence
    'Nothing is decided after 0 rows of trials.'
    """

    @classmethod
    def create(
        cls,
        target: str | Path,
        plan: Mapping[str, Any] | str | None = None,
        *,
        store: str | None = None,
        clock: Callable[[], float] | None = None,
        report_to: Any = None,
        on_row: RowFunction | None = None,
    ) -> "Study":
        """Create a study in a new folder, or in the database at a URL that ends in "#name".

        Parameters
        ----------
        target
            A folder, in which ``study.yaml`` and ``study.db`` are created, or a URL.
        plan
            The plan as plain values or as ``study.yaml`` text; None for the template.
        store
            The URL of a database, for a study whose plan stays in a folder.
        clock
            Seconds since 1970, for simulations.
        report_to, on_row
            As for ``open``.
        """
        text = plan_text(plan)
        if is_url(target):
            made, _ = open_store(target, create=True, clock=clock)
            return cls(made, draft=parse_plan(text), reporter=reporter_of(report_to, on_row))
        write_plan(Path(target), text, store)
        return cls.open(target, clock=clock, report_to=report_to, on_row=on_row)

    @classmethod
    def open(
        cls,
        url_or_path: str | Path,
        *,
        clock: Callable[[], float] | None = None,
        report_to: Any = None,
        on_row: RowFunction | None = None,
    ) -> "Study":
        """Open a study by its folder, its ``study.db``, or the URL of a database ("...#name").

        What is in ``report_to`` and ``on_row`` (see ``StopRule``) is told the number of trials. All
        rows and the report follow once the study is unblinded (if it is not blinded, over):
        operators may see what is reported.
        """
        reporter = reporter_of(report_to, on_row)
        return cls(*open_store(url_or_path, clock=clock), reporter=reporter)

    def redraft(self, text: str) -> None:
        """Replace the draft; raises if the new plan is invalid or the study is locked."""
        plan = parse_plan(text)
        if self.locked:
            raise NotAllowed("the study is locked: amend it instead")
        if self._draft is None and self.folder is not None:
            rewrite_plan(self.folder, text)
        else:
            self._draft = plan

    def lock(self, *, who: str = "owner") -> None:
        """Freeze and hash the plan and draw the labels; trials can be taken from now on."""
        plan = self.plan
        self._enter(lambda state: lifecycle.lock(state, self._ledger.lots(plan), plan), who)
        if self.folder is not None:
            mark_locked(self.folder, plan.digest)

    def amend(
        self, reason: str, changes: Mapping[str, Any] | None = None, *, who: str = "owner"
    ) -> None:
        """Log a remark or a change after the lock, with its reason."""
        self._enter(lambda state: lifecycle.amend(state, reason, dict(changes or {})), who)

    def unblind(self, *, reason: str = "", who: str = "owner") -> dict[str, str]:
        """Reveal which policy each label stands for, permanently; return names by label."""
        lots = self._ledger.lots(self.plan)
        self._enter(lambda state: lifecycle.unblind(state, lots, reason), who)
        with self._ledger.reading() as state:
            return state.labels(lots)

    def next_trial(
        self,
        station: str,
        *,
        task: str | None = None,
        after: int | None = None,
        who: str | None = None,
        holder: str | None = None,
    ) -> views.Assignment | None:
        """Return the trial that a station should run next, or None if there is none now.

        A station that holds a trial gets the same one again. None means that the study is finished
        (see ``finished``), or that other stations hold the remaining trials. A ``holder``, the
        name of a token, may hold one trial at a time. ``after`` is a trial that the station has run
        and whose result comes later: the next is chosen as if that result were not known yet, and
        a third is refused until it came.
        """
        require_name(station, "a station")

        def decide(state: StudyState, clock: float) -> list[Event]:
            return [*assignment.lapsed(state, clock)] or assignment.take(
                state,
                self._lots(state),
                station=station,
                clock=clock,
                task=task,
                after=after,
                holder=holder,
            )

        def found(
            state: StudyState, clock: float, entries: list[Entry]
        ) -> tuple[bool, views.Assignment | None]:
            over = any(getattr(entry.event, "reason", "") == LAPSED for entry in entries)
            trial = views.held(state, station, clock)
            return over, None if trial is None or trial.trial == after else trial

        while True:  # what lapsed is entered first, and may change what is needed
            over, trial = self._ledger.ask(decide, found, who=who or station)
            if not over:
                return trial

    def check(
        self, station: str, ticked: Collection[str], *, note: str = "", who: str | None = None
    ) -> None:
        """Say that the start-of-day check list of a station was gone through.

        What is not ticked needs a note. While a list is due, the station gets no trial.
        """
        require_name(station, "a station")
        self._enter(lambda state: assignment.check(state, station, ticked, note), who or station)

    def start(
        self, trial: int, *, station: str, renew: bool = False, who: str | None = None
    ) -> None:
        """Mark a trial as started; repeat this during a long trial to extend its lease.

        With ``renew`` that is all: one that was not started is not.
        """
        self._enter(
            lambda state: trial_actions.start(state, trial, station, renew=renew), who or station
        )

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

        One that has begun (it was started, or its code was resolved) counts as the worst score,
        unless the plan says ``given_back: again``. Only the owner can then void it.
        """
        entries = self._enter(
            lambda state: trial_actions.release(state, trial, station, reason), who or station, key
        )
        _require_same(entries, Released, trial)

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
            with another answer is refused. After an undo, use a new key.
        note, tag, seconds
            Remarks, a failure tag of the plan, and how long the trial took.
        """
        fresh: list[Event] = []

        def decide(state: StudyState, _: float) -> list[Event]:
            salt = self._lots(state).salt("score", trial)
            fresh.append(
                trial_actions.record(
                    state, trial, station, answer, salt, note=note, tag=tag, seconds=seconds
                )
            )
            return list(fresh)

        def outcome(state: StudyState, _: float, entries: list[Entry]) -> views.Recorded:
            scored = _require_same(entries, Scored, trial)
            known = state.trials[trial - 1]
            if not fresh and known.status == "leased":
                raise NotAllowed("the report with this key was withdrawn: use a new key")
            if not fresh and scored.answer != plain_answer(answer):
                raise NotAllowed(
                    f"this key was already used for another answer to trial {trial}: nothing was "
                    "stored"
                )
            return views.Recorded(
                trial=trial, score=scored.score, counted=known.counted, repeated=not fresh
            )

        return self._ledger.ask(decide, outcome, who=who or station or "owner", key=key)

    def undo(self, trial: int, *, reason: str, key: str | None = None, who: str = "owner") -> None:
        """Withdraw the score of a trial so that it can be entered again; for the owner, once."""
        entries = self._enter(lambda state: trial_actions.undo(state, trial, reason), who, key)
        _require_same(entries, Undone, trial)

    def correct(self, trial: int, answer: Any, reason: str, *, who: str = "owner") -> None:
        """Replace the score of a trial that was entered wrongly, with a reason, in one step.

        The rest of the report (note, tag, duration, by whom) is unchanged.
        """
        self._enter(
            lambda state: trial_actions.correct(
                state, trial, answer, self._lots(state).salt("score", trial), reason
            ),
            who,
        )

    def void(self, trial: int, reason: str, *, redraw: bool = True, who: str = "owner") -> None:
        """Exclude a trial, for a stated reason that has nothing to do with its score.

        The trial stays in the journal and is run again, unless it cannot be repeated
        (``redraw=False``).
        """
        self._enter(lambda state: trial_actions.void(state, trial, reason, redraw=redraw), who)

    def add_trials(
        self,
        trials: Trials,
        *,
        source: str,
        reason: str,
        again: bool = False,
        who: str = "owner",
    ) -> int:
        """Import trials that were run elsewhere under the same plan; return how many.

        They are added after the rows that are already open. The study cannot vouch for their random
        order and blinding, and the report says so. Scores that equal, or start with, those of an
        earlier import are refused unless ``again`` declares that these are different trials.
        """
        entries = self._enter(
            lambda state: trial_import.imported(
                state, self._lots(state), trials, source=source, reason=reason, again=again
            ),
            who,
        )
        return sum(entry.event.trials for entry in entries if isinstance(entry.event, Imported))

    def create_token(
        self, role: str, name: str, *, days: float | None = TOKEN_DAYS, who: str = "owner"
    ) -> str:
        """Return a new token, good for so many days (None: for ever).

        It is shown only once, and only its hash is kept.
        """
        text, now = access.new_token(), self.store.local_time()
        self._enter(
            lambda state: access.create_token(state, text, role, name, now=now, days=days), who
        )
        return text

    def owner_token(self, who: str) -> str:
        """Return the token of an owner for the servers of this study, which is the same for all.

        It is made when it is first asked for, and anew after it was revoked or has expired.
        """
        now, secret = self.store.local_time(), self.store.owners()

        def decide(state: StudyState, _: float) -> Sequence[Event]:
            text, known = newest(state)
            if known is not None:
                return ()
            made = access.create_token(state, text, Role.OWNER, who, now=now, days=TOKEN_DAYS)
            return (made,)

        def newest(state: StudyState) -> tuple[str, TokenRecord | None]:
            tried = ((text, access.find(state, text)) for text in owner_tokens(secret, who))
            return next(one for one in tried if one[1] is None or one[1].valid(now))

        return self._ledger.ask(decide, lambda state, *_: newest(state)[0], who=who)

    def revoke_token(self, token: str, *, who: str = "owner") -> None:
        """Make a token void, named by its id (see ``tokens``)."""
        self._enter(lambda state: access.revoke_token(state, token), who)


def _require_same(entries: list[Entry], kind: type[Report], trial: int) -> Report:
    """Return the last event; raise if a known key led to that of another report."""
    event = entries[-1].event
    if not isinstance(event, kind) or event.trial != trial:
        raise NotAllowed("this key was already used for another report")
    return event

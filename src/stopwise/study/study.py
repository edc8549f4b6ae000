"""The one object for everyone: a study that is planned, locked, run and read."""

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed
from stopwise.report.analysis import Analysis
from stopwise.study import access, amendment, assignment, importing, views
from stopwise.study.access import Grant
from stopwise.study.journal import Draft, Entry
from stopwise.study.ledger import Ledger, require_name
from stopwise.study.opening import (
    is_url,
    open_store,
    plan_text,
    rewrite_plan,
    write_plan,
    yaml_text,
)
from stopwise.study.plan import Plan
from stopwise.study.plan_file import FILE_NAME, parse_plan, read_plan, read_text
from stopwise.study.records import record_frame, trial_table
from stopwise.study.report import study_report
from stopwise.study.state import State, TokenRecord
from stopwise.study.store import Store
from stopwise.study.verdict import StudyVerdict, analyses, verdict
from stopwise.study.verification import Verification, verify

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Study"]


class Study:
    """A study: blinded trials at the robot, one journal, a verdict replayed from it.

    Every method may be called from several threads, processes and machines at once. What changes
    something is stored durably before the call returns, or raises and leaves nothing.

    Parameters
    ----------
    store, folder, draft
        Where its journal is kept, the folder of its ``study.yaml`` and a plan that is not locked
        yet; ``create`` and ``open`` find them.

    Examples
    --------
    >>> import tempfile
    >>> import stopwise as sw
    >>> study = sw.Study.create(
    ...     tempfile.mkdtemp(), {"name": "cups", "policies": ["old", "new"], "tasks": ["stack"]}
    ... )
    >>> study.lock(who="ada")
    >>> trial = study.next_trial("arm 1")
    >>> trial.trial, trial.task, trial.rubric
    (1, 'stack', {'kind': 'binary'})
    >>> study.record(trial.trial, True, station="arm 1").score
    1.0
    >>> study.verdict().sentence
    'nothing is decided after 0 rows of trials.'
    """

    def __init__(self, store: Store, folder: Path | None = None, draft: Plan | None = None) -> None:
        self.store, self.folder = store, folder
        self._draft = draft
        self._ledger = Ledger(store)
        self._ledger.refresh()

    @classmethod
    def create(
        cls,
        target: str | Path,
        plan: Mapping[str, Any] | str | None = None,
        *,
        store: str | None = None,
        clock: Callable[[], float] | None = None,
    ) -> "Study":
        """Make a study in a new folder, or in the database of a URL that ends in "#name".

        Parameters
        ----------
        target
            A folder, in which ``study.yaml`` and ``study.db`` are made, or a URL.
        plan
            The plan as plain values or as the text of a ``study.yaml``; None for the template.
        store
            The URL of a database, for a study whose plan is kept in a folder.
        clock
            Seconds since 1970, for simulations.
        """
        text = plan_text(plan)
        if is_url(target):
            made, _ = open_store(target, create=True, clock=clock)
            return cls(made, draft=parse_plan(text))
        write_plan(Path(target), text, store)
        return cls.open(target, clock=clock)

    @classmethod
    def open(cls, url_or_path: str | Path, *, clock: Callable[[], float] | None = None) -> "Study":
        """Open a study by its folder, its ``study.db``, or the URL of a database ("...#name")."""
        return cls(*open_store(url_or_path, clock=clock))

    def close(self) -> None:
        """Close the connections to the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def plan(self) -> Plan:
        """The plan in force: as locked and amended, or the draft."""
        state = self._ledger.refresh()
        if state.plan is not None:
            return state.plan
        if self._draft is not None:
            return self._draft
        if self.folder is None:
            raise NotAllowed("the study has no plan yet")
        return read_plan(self.folder / FILE_NAME)

    @property
    def plan_text(self) -> str:
        """The plan as the text of a ``study.yaml``; a draft just as it was written."""
        if not self.locked and self._draft is None and self.folder is not None:
            return read_text(self.folder / FILE_NAME)
        return yaml_text(self.plan.content())

    def redraft(self, text: str) -> None:
        """Replace the draft; a plan that is not valid, or was locked, is left as it is."""
        plan = parse_plan(text)
        if self.locked:
            raise NotAllowed("the study is locked: amend it instead")
        if self._draft is None and self.folder is not None:
            rewrite_plan(self.folder, text)
        else:
            self._draft = plan

    @property
    def seq(self) -> int:
        """The sequence number of the last entry in the journal."""
        return self._ledger.refresh().seq

    @property
    def locked(self) -> bool:
        """Whether the plan is frozen."""
        return self._ledger.refresh().plan is not None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return assignment.finished(self._ledger.refresh())

    @property
    def unblinded(self) -> bool:
        """Whether the names have been revealed."""
        return self._ledger.refresh().unblinded_at is not None

    def lock(self, *, who: str = "owner") -> None:
        """Freeze and hash the plan; draw the labels. From now on trials can be taken."""
        plan = self.plan
        self._ledger.commit(
            lambda state, _: [amendment.lock(state, self._ledger.lots(plan), plan)], who=who
        )

    def amend(
        self, reason: str, changes: Mapping[str, Any] | None = None, *, who: str = "owner"
    ) -> None:
        """Log a change after the lock, or a mere remark, with its reason."""
        self._ledger.commit(
            lambda state, _: [amendment.amend(state, reason, dict(changes or {}))], who=who
        )

    def unblind(self, *, reason: str = "", who: str = "owner") -> dict[str, str]:
        """Reveal which policy is behind each label, for good; return names by label."""
        plan = self.plan
        entries = self._ledger.commit(
            lambda state, _: [amendment.unblind(state, self._ledger.lots(plan), plan, reason)],
            who=who,
        )
        return dict(entries[-1].content["names"])

    def next_trial(
        self, station: str, *, task: str | None = None, who: str | None = None
    ) -> views.Assignment | None:
        """Return the trial that a station should run next, or None if there is none now.

        A station that holds a trial gets the same one again. None means that all is decided
        (see ``finished``), or that what is left is with other stations.
        """
        require_name(station, "a station")

        def decide(state: State, now: float) -> list[Draft]:
            lots = self._ledger.lots(assignment.locked_plan(state))
            return assignment.take(state, lots, station=station, now=now, task=task)

        self._ledger.commit(decide, who=who or station)
        with self._ledger.lock:
            return self._held(station, self._ledger.time)

    def holding(self, station: str) -> views.Assignment | None:
        """Return the trial that a station has taken and not yet reported."""
        with self._ledger.lock:
            self._ledger.refresh()
            return self._held(station, self.store.now())

    def last_scored(self, station: str) -> int | None:
        """Return the number of the trial that a station scored last, if any."""
        with self._ledger.lock:
            own = (
                trial.number
                for trial in reversed(self._ledger.refresh().trials)
                if trial.station == station and trial.status == "scored"
            )
            return next(own, None)

    def start(self, trial: int, *, station: str, who: str | None = None) -> None:
        """Note that a trial has begun; repeated while it runs, it keeps the trial."""
        self._ledger.commit(
            lambda state, _: [assignment.start(state, trial, station=station)], who=who or station
        )

    def release(
        self,
        trial: int,
        *,
        station: str,
        reason: str = "",
        key: str | None = None,
        who: str | None = None,
    ) -> None:
        """Give a trial back that was not run, so that it can be handed out again."""
        entries = self._ledger.commit(
            lambda state, _: [assignment.release(state, trial, station=station, reason=reason)],
            who=who or station,
            key=key,
        )
        _require_same(entries, "released", trial)

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
            By the task's rubric: true or false, a list of milestones, a level, or a number.
        station
            The station that ran it; None for the owner, who may report for any.
        key
            An idempotency key: a report that comes twice with the same key is stored once. After
            an undo, a new key is needed.
        note, tag, seconds
            Remarks, a failure tag of the plan, and how long the trial took.
        """
        fresh: list[Draft] = []

        def decide(state: State, _: float) -> list[Draft]:
            plan = assignment.locked_plan(state)
            details = assignment.details(plan, note=note, tag=tag, seconds=seconds)
            fresh.append(
                assignment.record(state, trial, station=station, answer=answer, details=details)
            )
            return list(fresh)

        entries = self._ledger.commit(decide, who=who or station or "owner", key=key)
        entry = _require_same(entries, "scored", trial)
        with self._ledger.lock:
            known = self._ledger.state.trials[trial - 1]
            if not fresh and known.status == "leased":
                raise NotAllowed("the report with this key was withdrawn: use a new key")
            return views.Recorded(
                trial=trial,
                score=entry.content["score"],
                counted=known.counted,
                repeated=not fresh,
            )

    def undo(
        self,
        trial: int,
        *,
        station: str | None = None,
        reason: str = "",
        key: str | None = None,
        who: str | None = None,
    ) -> None:
        """Withdraw the score of a trial, so that it can be entered again."""
        entries = self._ledger.commit(
            lambda state, _: [assignment.undo(state, trial, station=station, reason=reason)],
            who=who or station or "owner",
            key=key,
        )
        _require_same(entries, "undone", trial)

    def correct(self, trial: int, answer: Any, reason: str, *, who: str = "owner") -> None:
        """Replace the score of a trial that was entered wrongly, with a reason, in one step."""

        def decide(state: State, _: float) -> list[Draft]:
            return assignment.correct(state, trial, answer=answer, reason=reason)

        self._ledger.commit(decide, who=who)

    def void(self, trial: int, reason: str, *, redraw: bool = True, who: str = "owner") -> None:
        """Do not count a trial, for a stated cause that has nothing to do with its score.

        The trial is kept in the journal and its place is tried again, unless it cannot be
        repeated (``redraw=False``).
        """
        self._ledger.commit(
            lambda state, _: [assignment.void(state, trial, reason=reason, redraw=redraw)],
            who=who,
        )

    def resolve(self, code: str) -> views.Resolved:
        """Return the policy behind the code of a trial that is under way, for the robot only."""
        with self._ledger.lock:
            state = self._ledger.refresh()
            plan = assignment.locked_plan(state)
            number = state.codes.get(code.strip()) or state.codes.get(code.strip().upper())
            trial = state.trial(number or 0)
            if trial is None or trial.status != "leased":
                raise NotAllowed("there is no trial under way with this code")
            name = self._ledger.lots(plan).labels(plan)[trial.arm]
        run = next(policy.run for policy in plan.policies if policy.name == name)
        return views.Resolved(trial=trial.number, policy=name, run=run)

    def verdict(self) -> StudyVerdict:
        """Return how each pair stands, replayed from the journal."""
        with self._ledger.lock:
            return verdict(self._ledger.refresh())

    def analyses(self) -> dict[str, Analysis]:
        """Return the whole analysis of each task, with intervals, letters and figures."""
        with self._ledger.lock:
            state = self._ledger.refresh()
            return analyses(state, assignment.locked_plan(state))

    def status(self) -> views.Status:
        """Return where the study stands."""
        with self._ledger.lock:
            name = self.plan.name
            return views.status(self._ledger.refresh(), name, self.store.now())

    def trials(self) -> Trials:
        """Return the trials that count, in the order of the analysis."""
        with self._ledger.lock:
            state = self._ledger.refresh()
            return trial_table(state, assignment.locked_plan(state))

    def records(self) -> "pl.DataFrame":
        """Return one row per trial ever handed out, with all that was reported of it."""
        with self._ledger.lock:
            return record_frame(self._ledger.refresh(), self.store.entries())

    def add_trials(self, trials: Trials, *, source: str, reason: str, who: str = "owner") -> int:
        """Take in trials that were run elsewhere under the same plan; return how many.

        They come as further rows, after those already begun. The random order and the blinding are
        the word of whoever imports them: the report says so.
        """

        def decide(state: State, _: float) -> list[Draft]:
            plan = assignment.locked_plan(state)
            names = self._ledger.lots(plan).labels(plan)
            return importing.imported(state, plan, names, trials, source=source, reason=reason)

        entries = self._ledger.commit(decide, who=who)
        return sum(len(row) for entry in entries for row in entry.content["rows"])

    def overshoot(self) -> dict[tuple[str, str], int]:
        """Return the scored trials that no comparison needed, counted by task and policy."""
        with self._ledger.lock:
            state = self._ledger.refresh()
            shown = state.shown()
            return dict(
                Counter(
                    (task, shown[arm])
                    for task, board in state.boards.items()
                    for _, arm, _ in board.overshoot()
                )
            )

    def report(self) -> str:
        """Return a self-contained page: verdict, figures, and what happened on the way."""
        return study_report(self)

    def journal(self, after: int = 0) -> list[Entry]:
        """Return the entries of the journal after a sequence number, their chain verified."""
        return list(self.store.entries(after))

    def verify(self) -> Verification:
        """Replay the whole journal and check chain, random draws, assignments and saved state."""
        return verify(self.store)

    def create_token(self, role: str, name: str, *, who: str = "owner") -> str:
        """Return a new token; it is shown this once, only its hash is kept."""
        made: list[str] = []

        def decide(state: State, _: float) -> list[Draft]:
            text, draft = access.create_token(state, role, name)
            made.append(text)
            return [draft]

        self._ledger.commit(decide, who=who)
        return made[0]

    def revoke_token(self, token: str, *, who: str = "owner") -> None:
        """Make a token void, named by its id (see ``tokens``)."""
        self._ledger.commit(lambda state, _: [access.revoke_token(state, token)], who=who)

    def tokens(self) -> tuple[TokenRecord, ...]:
        """Return all tokens ever made, without the tokens themselves."""
        return tuple(self._ledger.refresh().tokens.values())

    def authenticate(self, text: str) -> Grant | None:
        """Return what a token grants, or None."""
        return access.authenticate(self._ledger.refresh(), text)

    def _held(self, station: str, now: float) -> views.Assignment | None:
        state = self._ledger.state
        trial = assignment.holding(state, station, now)
        if trial is None:
            return None
        return views.assignment(state, assignment.locked_plan(state), trial, now)


def _require_same(entries: list[Entry], kind: str, trial: int) -> Entry:
    """Return the last entry; raise if a known key led to that of another report."""
    entry = entries[-1]
    if entry.kind != kind or entry.content["trial"] != trial:
        raise NotAllowed("this key was already used for another report")
    return entry

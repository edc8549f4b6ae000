"""The one object for everyone: a study that is planned, locked, run and read."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, NotAllowed, require
from stopwise.report.analysis import Analysis
from stopwise.study import access, amendment, assignment, views
from stopwise.study.access import Grant
from stopwise.study.blinding import Lots
from stopwise.study.journal import Draft, Entry
from stopwise.study.plan import Plan
from stopwise.study.plan_file import FILE_NAME, parse_plan, read_plan, read_store, template
from stopwise.study.records import trial_table
from stopwise.study.state import State, TokenRecord
from stopwise.study.store import Store
from stopwise.study.verdict import StudyVerdict, analyses, verdict

__all__ = ["DATABASE", "Study"]

DATABASE = "study.db"
NAME = "study"  # of the one study in an SQLite file
Decide = Callable[[State, float], list[Draft]]


class Study:
    """A study: blinded trials at the robot, one journal, a verdict replayed from it.

    Every method may be called from several threads, processes and machines at once. What changes
    something is stored durably before the call returns, or raises and leaves nothing.

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

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        self.store, self.folder = store, folder
        self._draft: Plan | None = None
        self._state = State()
        self._lots: Lots | None = None
        self._lock = threading.RLock()

    # --- making, opening ---------------------------------------------------------------------

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
        text = template() if plan is None else plan
        if not isinstance(text, str):
            text = yaml.safe_dump(dict(text), sort_keys=False, allow_unicode=True)
        parsed = parse_plan(text)
        if "://" in str(target):
            study = cls(Store.open(target, create=NAME, clock=clock))
            study._draft = parsed
            return study
        folder = Path(target)
        path = folder / FILE_NAME
        if path.exists():
            raise NotAllowed(f"{path} exists: choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        if store is not None:
            text += f"\nstore: {store}\n"
        path.write_text(text, encoding="utf-8")
        return cls.open(folder, clock=clock)

    @classmethod
    def open(cls, url_or_path: str | Path, *, clock: Callable[[], float] | None = None) -> "Study":
        """Open a study by its folder, its ``study.db``, or the URL of a database ("...#name")."""
        if "://" in str(url_or_path):
            return cls._opened(Store.open(url_or_path, clock=clock), None)
        path = Path(url_or_path)
        if not path.is_dir():
            return cls._opened(Store.open(path, clock=clock), path.parent)
        plan = path / FILE_NAME
        place = read_store(plan) or str(path / DATABASE)
        require(
            plan.exists() or Path(place).exists(),
            f"there is no study in {path}: make one with `stopwise study init {path}`",
        )
        try:
            store = Store.open(place, clock=clock)
        except InvalidInput:  # a plan alone: the store is made now
            store = Store.open(place, create=NAME, clock=clock)
        return cls._opened(store, path)

    @classmethod
    def _opened(cls, store: Store, folder: Path | None) -> "Study":
        study = cls(store, folder)
        study._refresh()
        return study

    def close(self) -> None:
        """Close the connections to the store."""
        self.store.close()

    # --- the plan ----------------------------------------------------------------------------

    @property
    def plan(self) -> Plan:
        """The plan in force: as locked and amended, or the draft."""
        state = self._refresh()
        if state.plan is not None:
            return state.plan
        if self._draft is not None:
            return self._draft
        if self.folder is None:
            raise NotAllowed("the study has no plan yet")
        return read_plan(self.folder / FILE_NAME)

    @property
    def locked(self) -> bool:
        """Whether the plan is frozen."""
        return self._refresh().plan is not None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        return assignment.finished(self._refresh())

    @property
    def unblinded(self) -> bool:
        """Whether the names have been revealed."""
        return self._refresh().unblinded_at is not None

    def lock(self, *, who: str = "owner") -> None:
        """Freeze and hash the plan; draw the labels. From now on trials can be taken."""
        plan = self.plan
        self._commit(lambda state, _: [amendment.lock(state, self._draws(plan), plan)], who=who)

    def amend(
        self, reason: str, changes: Mapping[str, Any] | None = None, *, who: str = "owner"
    ) -> None:
        """Log a change after the lock, or a mere remark, with its reason."""
        self._commit(
            lambda state, _: [amendment.amend(state, reason, dict(changes or {}))], who=who
        )

    def unblind(self, *, reason: str = "", who: str = "owner") -> dict[str, str]:
        """Reveal which policy is behind each label, for good; return names by label."""
        plan = self.plan
        entries = self._commit(
            lambda state, _: [amendment.unblind(state, self._draws(plan), plan, reason)], who=who
        )
        return dict(entries[-1].content["names"])

    # --- trials ------------------------------------------------------------------------------

    def next_trial(
        self, station: str, *, task: str | None = None, who: str | None = None
    ) -> views.Assignment | None:
        """Return the trial that a station should run next, or None if there is none now.

        A station that holds a trial gets the same one again. None means that all is decided
        (see ``finished``), or that what is left is with other stations.
        """
        _require_name(station, "a station")

        def decide(state: State, now: float) -> list[Draft]:
            if assignment.holding(state, station, now):
                return []
            plan = assignment.locked_plan(state)
            draft = assignment.next_trial(
                state, self._draws(plan), station=station, now=now, task=task
            )
            return [] if draft is None else [draft]

        self._commit(decide, who=who or station)
        return self.holding(station)

    def holding(self, station: str) -> views.Assignment | None:
        """Return the trial that a station has taken and not yet reported."""
        with self._lock:
            state, now = self._refresh(), self.store.now()
            trial = assignment.holding(state, station, now)
            if trial is None:
                return None
            return views.assignment(state, assignment.locked_plan(state), trial, now)

    def start(self, trial: int, *, station: str, who: str | None = None) -> None:
        """Note that a trial has begun; repeated while it runs, it keeps the trial."""
        self._commit(
            lambda state, _: [assignment.start(state, trial, station=station)], who=who or station
        )

    def release(
        self, trial: int, *, station: str, reason: str = "", who: str | None = None
    ) -> None:
        """Give a trial back that was not run, so that it can be handed out again."""
        self._commit(
            lambda state, _: [assignment.release(state, trial, station=station, reason=reason)],
            who=who or station,
        )

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
            An idempotency key: a report that comes twice with the same key is stored once.
        note, tag, seconds
            Remarks, a failure tag of the plan, and how long the trial took.
        """
        details = assignment.details(self.plan, note=note, tag=tag, seconds=seconds)

        def decide(state: State, _: float) -> list[Draft]:
            return [
                assignment.record(state, trial, station=station, answer=answer, details=details)
            ]

        before = self._refresh().seq
        entry = self._commit(decide, who=who or station or "owner", key=key)[-1]
        same = entry.kind == "scored" and entry.content["trial"] == trial
        if not same:
            raise NotAllowed("this key was already used for another report")
        known = self._refresh().trials[trial - 1]
        return views.Recorded(
            trial=trial,
            score=entry.content["score"],
            counted=known.counted,
            repeated=entry.seq <= before,
        )

    def undo(
        self, trial: int, *, station: str | None = None, reason: str = "", who: str | None = None
    ) -> None:
        """Withdraw the score of a trial, so that it can be entered again."""
        self._commit(
            lambda state, _: [assignment.undo(state, trial, station=station, reason=reason)],
            who=who or station or "owner",
        )

    def void(self, trial: int, reason: str, *, redraw: bool = True, who: str = "owner") -> None:
        """Do not count a trial, for a stated cause that has nothing to do with its score.

        The trial is kept in the journal and its place is tried again, unless it cannot be
        repeated (``redraw=False``).
        """
        self._commit(
            lambda state, _: [assignment.void(state, trial, reason=reason, redraw=redraw)],
            who=who,
        )

    def resolve(self, code: str) -> views.Resolved:
        """Return the policy behind the code of a trial that is under way, for the robot only."""
        with self._lock:
            state = self._refresh()
            plan = assignment.locked_plan(state)
            number = state.codes.get(code.strip().upper()) or state.codes.get(code.strip())
            if number is None:
                raise NotAllowed("there is no trial with this code")
            trial = state.trials[number - 1]
            name = self._draws(plan).labels(plan)[trial.arm]
        run = next(policy.run for policy in plan.policies if policy.name == name)
        return views.Resolved(trial=number, policy=name, run=run)

    # --- reading -----------------------------------------------------------------------------

    def verdict(self) -> StudyVerdict:
        """Return how each pair stands, replayed from the journal."""
        with self._lock:
            return verdict(self._refresh())

    def analyses(self) -> dict[str, Analysis]:
        """Return the whole analysis of each task, with intervals, letters and figures."""
        with self._lock:
            state = self._refresh()
            return analyses(state, assignment.locked_plan(state))

    def status(self) -> views.Status:
        """Return where the study stands."""
        with self._lock:
            name = self.plan.name
            return views.status(self._refresh(), name, self.store.now())

    def trials(self) -> Trials:
        """Return the trials that count, in the order of the analysis."""
        with self._lock:
            state = self._refresh()
            return trial_table(state, assignment.locked_plan(state))

    def journal(self, after: int = 0) -> list[Entry]:
        """Return the entries of the journal after a sequence number, its chain verified."""
        return [entry for entry in self.store.entries() if entry.seq > after]

    # --- tokens ------------------------------------------------------------------------------

    def create_token(self, role: str, name: str, *, who: str = "owner") -> str:
        """Return a new token; it is shown this once, only its hash is kept."""
        made: list[str] = []

        def decide(state: State, _: float) -> list[Draft]:
            text, draft = access.create_token(state, role, name)
            made.append(text)
            return [draft]

        self._commit(decide, who=who)
        return made[0]

    def revoke_token(self, token: str, *, who: str = "owner") -> None:
        """Make a token void, named by its id (see ``tokens``)."""
        self._commit(lambda state, _: [access.revoke_token(state, token)], who=who)

    def tokens(self) -> tuple[TokenRecord, ...]:
        """Return all tokens ever made, without the tokens themselves."""
        return tuple(self._refresh().tokens.values())

    def authenticate(self, text: str) -> Grant | None:
        """Return what a token grants, or None."""
        return access.authenticate(self._refresh(), text)

    # --- inside ------------------------------------------------------------------------------

    def _draws(self, plan: Plan) -> Lots:
        if self._lots is None:
            self._lots = Lots(self.store.secret(), plan.seed)
        return self._lots

    def _refresh(self) -> State:
        """Take in what others have added to the journal."""
        with self._lock:
            for entry in self.store.entries(self._state.seq, self._state.hash):
                self._state.apply(entry)
            return self._state

    def _commit(self, decide: Decide, *, who: str, key: str | None = None) -> list[Entry]:
        """Let a decision be taken on the newest state and store it, alone and at once."""
        _require_name(who, "a name")
        if key is not None:
            _require_name(key, "a key")
        with self._lock:
            with self.store.writer() as writer:
                for entry in writer.entries(self._state.seq, self._state.hash):
                    self._state.apply(entry)
                known = writer.find(key) if key is not None else None
                if known is not None:
                    return [known]
                drafts = decide(self._state, writer.time)
                if drafts and self._state.seq == 0:
                    drafts.insert(0, Draft("created", {"study": self.store.study, "format": 1}))
                entries = writer.add(drafts, who=who, key=key)
            for entry in entries:
                self._state.apply(entry)
            return entries


def _require_name(text: str, what: str) -> None:
    require(
        0 < len(text) <= 200 and text.isprintable(),
        f"{what} must have 1 to 200 printable characters, but got {text[:200]!r}",
    )

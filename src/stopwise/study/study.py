"""The main class: a study that is planned, locked, run and read."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed
from stopwise.study import access, recordings
from stopwise.study.access import Grant
from stopwise.study.actions import Actions
from stopwise.study.lifecycle import TOKEN_DAYS, CreateToken, Lock, OwnerToken
from stopwise.study.operation import RUNNER, Operation, Result
from stopwise.study.plan_file import parse_plan, plan_text, rewrite_plan, write_plan
from stopwise.study.reader import StudyReader
from stopwise.study.store import is_url, mark_locked, open_store
from stopwise.study.trial_import import ImportTrials

# What completion shows.
LISTED = (
    "add_trials amend analyses backup close correct create create_token export finished lock "
    "locked next_trial open plan plan_text policies record release report resolve revoke_token "
    "start status tokens trials trials_left trials_saved unblind unblinded verdict "
    "verify void"
)


class Study(StudyReader, Actions):
    """A study: blinded trials at the robot, one journal, and a verdict replayed from it.

    Every method is safe to call from several threads, processes and machines at once. A call that
    changes something either stores it durably before it returns, or raises and changes nothing.

    Parameters
    ----------
    store, folder, draft
        Where the journal is kept, the folder of ``study.yaml``, and a plan that is not locked yet;
        ``create`` and ``open`` find them for you.

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

    def __dir__(self) -> list[str]:
        """Names for completion: what the page on studies uses, not what a server needs besides."""
        listed = set(LISTED.split())
        return [name for name in super().__dir__() if name.startswith("_") or name in listed]

    @classmethod
    def create(
        cls,
        target: str | Path,
        plan: Mapping[str, Any] | str | None = None,
        *,
        store: str | None = None,
        clock: Callable[[], float] | None = None,
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
        """
        text = plan_text(plan)
        if is_url(target):
            made, _ = open_store(target, create=True, clock=clock)
            return cls(made, draft=parse_plan(text))
        write_plan(Path(target), text, store)
        return cls.open(target, clock=clock)

    @classmethod
    def open(
        cls,
        url_or_path: str | Path,
        *,
        clock: Callable[[], float] | None = None,
    ) -> "Study":
        """Open a study by its folder, its ``study.db``, or the URL of a database ("...#name")."""
        return cls(*open_store(url_or_path, clock=clock))

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
        self.do(Lock(plan=plan), who=who)
        if self.folder is not None:
            mark_locked(self.folder, plan.digest)

    def add_trials(
        self,
        trials: Trials,
        *,
        source: str,
        reason: str,
        again: bool = False,
        who: str | None = None,
    ) -> int:
        """Import trials that were run elsewhere under the same plan; return how many.

        They are added after the rows that are already open. The study cannot vouch for their random
        order and blinding, and the report says so. Scores that equal, or start with, those of an
        earlier import are refused unless ``again`` declares that these are different trials.
        """
        wanted = ImportTrials(trials=trials, source=source, reason=reason, again=again)
        return self.do(wanted, who=who)

    def create_token(
        self, role: str, name: str, *, days: float | None = TOKEN_DAYS, who: str | None = None
    ) -> str:
        """Return a new token, good for so many days (None: for ever).

        It is shown only once, and only its hash is kept.
        """
        text = access.new_token()
        self.do(CreateToken(text=text, role=role, name=name, days=days), who=who)
        return text

    def owner_token(self, who: str) -> str:
        """Return the token of an owner for the servers of this study, which is the same for all."""
        return self.do(OwnerToken(secret=self.store.owners(), who=who), who=who)

    def add_recording(
        self, trial: int, content: str | Path | Iterable[bytes], *, who: str = "runner"
    ) -> str:
        """Keep a video or photo of a trial beside the study; return its name there.

        Parameters
        ----------
        trial
            Its number.
        content
            A file, or its bytes in parts: jpg, png, webp, mp4, mov or webm, up to 200 MiB.
        who
            The name in the journal.
        """
        with self.reading() as state:
            recordings.require_room(state, trial)
        name, digest, size = recordings.keep(self._recordings, content)
        self.do(recordings.Film(trial=trial, file=name, digest=digest, size=size), who=who)
        return name

    def do(
        self, operation: Operation[Result], *, who: str | None = None, grant: Grant | None = None
    ) -> Result:
        """Do an operation: what it decides is stored durably, or it raises and changes nothing.

        This is the only way in which a study changes. With the ``grant`` of a token, it is said by
        its holder: who may do what by their role is for the caller to check.
        """
        meant = getattr(operation, "station", None)
        default = "runner" if operation.roles == RUNNER else meant or "owner"
        name = who or (default if grant is None else grant.name)
        return self._ledger.do(operation, name, grant)

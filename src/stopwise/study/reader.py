"""Reading a study: plan, status, verdict, records, journal."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import update_wrapper
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

import polars as pl

from stopwise.data.trials import Trials
from stopwise.errors import InvalidInput, NotAllowed, StoreFailed, require
from stopwise.questions.analysis import Analysis
from stopwise.study import access, assignment, recordings, verdict, views
from stopwise.study.access import Grant
from stopwise.study.entries import Entry
from stopwise.study.ledger import Ledger, one_look
from stopwise.study.plan_file import FILE_NAME, read_plan, read_text, yaml_text
from stopwise.study.records import record_frame, trial_table
from stopwise.study.requirements import require_taken_by
from stopwise.study.selection import selection
from stopwise.study.state import StudyState, TokenRecord
from stopwise.study.store import LOCKED, Store, lost_store
from stopwise.study.study_plan import StudyPlan
from stopwise.study.study_report import beside, study_report
from stopwise.study.verification import Verification, verify

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
EDITED = (
    "study.yaml was edited after the lock, which changes nothing: the plan that was locked holds"
)


def view(
    function: Callable[Concatenate[StudyState, Asked], Answer],
) -> Callable[Concatenate["StudyReader", Asked], Answer]:
    """Turn a function of the state into a method of a study."""

    def method(self: "StudyReader", /, *given: Asked.args, **named: Asked.kwargs) -> Answer:
        with self.reading() as state:
            return function(state, *given, **named)

    update_wrapper(method, function)
    return method


class StudyReader:
    """A study as it can be read: everything that changes nothing."""

    def __init__(
        self, store: Store, folder: Path | None = None, draft: StudyPlan | None = None
    ) -> None:
        require(
            not isinstance(store, str | Path),
            f"a study is opened by its place: sw.Study.open({str(store)!r})",
        )
        self.store, self.folder = store, folder
        self._draft = draft
        self._ledger = Ledger(store)
        state = self._ledger.refresh()
        if folder is not None and state.plan is None and (folder / LOCKED).exists():
            store.close()
            raise lost_store(folder, "its store holds no locked plan")

    def close(self) -> None:
        """Close the connections to the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def reading(self) -> Iterator[StudyState]:
        """Give the newest state; nothing changes it in the block."""
        with self._ledger.lock:
            yield self._ledger.refresh()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Let all that is read in the block be of one state."""
        with one_look(), self.reading():
            yield

    @property
    def plan(self) -> StudyPlan:
        """The plan in force: as locked and amended, or the draft."""
        plan = self._ledger.refresh().plan or self._draft
        if plan is not None:
            return plan
        if self.folder is None:
            raise NotAllowed("the study has no plan yet")
        return read_plan(self.folder / FILE_NAME)

    @property
    def plan_text(self) -> str:
        """The plan as ``study.yaml`` text; a draft exactly as it was written."""
        if not self.locked and self._draft is None and self.folder is not None:
            return read_text(self.folder / FILE_NAME)
        return yaml_text(self.plan.content())

    @property
    def seq(self) -> int:
        return self._ledger.refresh().seq

    @property
    def locked(self) -> bool:
        """Whether the plan is frozen."""
        return self._ledger.refresh().plan is not None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""
        with self.reading() as state:  # a board moves on when it is asked
            return assignment.finished(state)

    @property
    def unblinded(self) -> bool:
        """Whether the names have been revealed."""
        return self._ledger.refresh().unblinded_at is not None

    @property
    def names(self) -> dict[str, str]:
        return dict(self._ledger.refresh().names or {})

    @property
    def trouble(self) -> StoreFailed | None:
        return self._ledger.trouble

    offer = view(views.offer)
    whereabouts = view(views.whereabouts)
    taken_by = view(views.taken_by)
    rubric = view(views.rubric)
    require_taken_by = view(require_taken_by)
    trial_lines = view(views.trial_lines)
    overshoot = view(views.overshoot)
    trials_saved = view(views.trials_saved)
    trials_left = view(views.trials_left)
    minutes_per_trial = view(views.minutes_per_trial)
    size = view(views.size)
    selection = view(selection)

    def verdict(self) -> verdict.StudyVerdict:
        """Return the verdict on each pair, replayed from the journal."""
        with self.reading() as state:
            return verdict.verdict(state)

    def analyses(self) -> dict[str, Analysis]:
        """Return the full analysis of each task, with intervals, letters and figures."""
        with self.reading() as state:
            return verdict.analyses(state, state.locked_plan)

    def status(self) -> views.Status:
        """Return the progress of the study."""
        with self.reading() as state:
            return views.status(state, self.plan)

    @property
    def _recordings(self) -> Path:
        if self.folder is None:
            raise NotAllowed(
                "recordings are kept in the folder of a study: open it by the folder with its "
                "study.yaml, which all machines that add or show them must share"
            )
        return self.folder / recordings.FOLDER

    def lost_recordings(self) -> list[str]:
        with self.reading() as state:
            known = [(file, digest) for _, file, digest in state.recordings]
        return [
            file
            for file, digest in known
            if not recordings.is_intact(self._recordings / file, digest)
        ]

    def recording(self, trial: int, name: str) -> Path:
        with self.reading() as state:
            if not any((number, file) == (trial, name) for number, file, _ in state.recordings):
                raise NotAllowed(f"trial {trial} has no recording of this name")
        return self._recordings / name

    def trials(self) -> Trials:
        """Return the trials that count, in the order of the analysis."""
        with self.reading() as state:
            return trial_table(state, state.locked_plan)

    def records(self) -> pl.DataFrame:
        """Return one row per trial ever handed out, with everything reported about it."""
        with self.reading() as state:
            return record_frame(state, self._ledger.entries)

    def exported(self, *, used: bool = False) -> pl.DataFrame:
        """Return the trials that may be exported now; with ``used`` only those in the verdict.

        The latter are in the order in which the verdict uses them.

        After unblinding these are all records. Before, they are the trials that count, without
        number or code: next to a label, these would allow a trial to be voided by its policy.
        """
        with self.reading() as state:
            if state.unblinded_at is None:
                return trial_table(state, state.locked_plan).frame.drop("trial")
            frame = self.records()
            if not used:
                return frame
            # In the order of the analysis: a slot may have been handed out late, or again; and of
            # policies that are level, the one that is listed first leads.
            places = {name: place for place, name in enumerate(state.shown().values())}
            listed = pl.col("policy").replace_strict(places)
            return frame.filter("used").sort("row", listed, maintain_order=True)

    def report(self, place: Callable[[int, str], str] | None = None) -> str:
        """Return the report as one page: verdict, figures, and what happened.

        Links lead to the recordings beside the study, or where ``place`` says, given the trial and
        the name of the file.
        """
        return study_report(self, place or beside)

    def journal(self, after: int = 0, *, most: int | None = None) -> list[Entry]:
        """Return the entries after a sequence number."""
        with self.reading():
            return self._ledger.entries[after:][:most]

    def backup(self, file: str | Path) -> Verification:
        """Copy a study in SQLite into a new file, also while it is in use; verify the copy."""
        self.store.backup(Path(file))
        with closing(Store.open(file)) as copy:
            return verify(copy)

    def verify(self, against: str | None = None) -> Verification:
        """Replay the journal and check hash chain, random draws and assignments.

        Whoever holds the disk can rewrite a whole journal consistently. ``against`` is the hash of
        any entry that was written down elsewhere: a journal that was rewritten, or lost what came
        up to that entry, does not hold it.
        """
        verified = verify(self.store, against)
        return replace(verified, notes=(EDITED,)) if verified.sound and self.edited else verified

    @property
    def edited(self) -> bool:
        """Whether ``study.yaml`` is neither the plan that was locked nor that with amendments."""
        file = None if self.folder is None else self.folder / FILE_NAME
        state = self._ledger.refresh()
        if file is None or not file.exists() or state.plan is None:
            return False
        try:
            return read_plan(file) not in (state.declared, state.plan)
        except InvalidInput:
            return True

    def tokens(self) -> tuple[TokenRecord, ...]:
        """Return every token ever created, without the secret text."""
        return tuple(self._ledger.refresh().tokens.values())

    def authenticate(self, text: str) -> Grant | None:
        with self.reading() as state:
            return access.authenticate(state, text, self.store.local_time())

    def admits(self, token: str) -> bool:
        with self.reading() as state:
            return state.tokens[token].valid(self.store.local_time())

    def hear(self, station: str) -> None:
        self.store.hear(station)

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies, for the program that can start each of them."""
        return self.plan.policy_names

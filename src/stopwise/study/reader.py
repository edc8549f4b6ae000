"""Reading a study: plan, status, verdict, records, journal."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Self

import polars as pl

from stopwise.data.trials import Trials
from stopwise.errors import NotAllowed, StoreFailed
from stopwise.questions.analysis import Analysis
from stopwise.study import access, assignment, recordings, views
from stopwise.study.access import Grant
from stopwise.study.entries import Entry
from stopwise.study.ledger import Ledger, one_look
from stopwise.study.plan_file import FILE_NAME, differences, read_plan, read_text, yaml_text
from stopwise.study.records import record_frame, trial_table
from stopwise.study.selection import Exits, tallies
from stopwise.study.state import TokenRecord
from stopwise.study.store import LOCKED, Store, lost_store
from stopwise.study.study_plan import StudyPlan
from stopwise.study.study_report import beside, study_report
from stopwise.study.tracking import StudyReporting
from stopwise.study.trial_operations import TrialLine, trial_line
from stopwise.study.verdict import StudyVerdict, analyses, verdict
from stopwise.study.verification import Verification, verify
from stopwise.trackers.reporter import Reporter

# The pace of a study: from how many results of late, and at least how many gaps between them.
RECENT, FEW_GAPS = 100, 4


class StudyReader:
    """A study as it can be read: everything that changes nothing."""

    def __init__(
        self,
        store: Store,
        folder: Path | None = None,
        draft: StudyPlan | None = None,
        *,
        reporter: Reporter | None = None,
    ) -> None:
        self.store, self.folder = store, folder
        self._draft = draft
        self._ledger = Ledger(store)
        self._report = StudyReporting(reporter) if reporter else None
        self._ledger.follower = self._report
        state = self._ledger.refresh()
        if folder is not None and state.plan is None and (folder / LOCKED).exists():
            store.close()
            raise lost_store(folder, "its store holds no locked plan")
        self._edited: tuple[Any, tuple[str, ...]] = (None, ())  # of a version of the file

    def close(self) -> None:
        """Close the connections to the store."""
        if self._report is not None:
            self._report.close(self)
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Let nothing change what is read in the block: all of it is of one state."""
        with one_look(), self._ledger.reading():
            yield

    @property
    def plan(self) -> StudyPlan:
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
        with self._ledger.reading() as state:  # a board moves on when it is asked
            return assignment.finished(state)

    @property
    def unblinded(self) -> bool:
        """Whether the names have been revealed."""
        return self._ledger.refresh().unblinded_at is not None

    @property
    def names(self) -> dict[str, str]:
        return dict(self._ledger.refresh().names or {})

    def offer(self, station: str) -> views.StationOffer:
        with self._ledger.reading() as state:
            return views.offer(state, station, self._ledger.clock)

    def holding(self, station: str) -> views.Assignment | None:
        return self.offer(station).trial

    def checks_due(self, station: str) -> tuple[str, ...]:
        return self.offer(station).checks

    def whereabouts(self, trial: int, *, station: str) -> views.Whereabouts:
        with self._ledger.reading() as state:
            found = assignment.own_trial(state, trial, station)
            return views.whereabouts(state, found, self._ledger.clock)

    def taken_by(self, trial: int) -> str:
        with self._ledger.reading() as state:
            return assignment.require_trial(state, trial).who

    def rubric(self, trial: int) -> dict[str, Any]:
        with self._ledger.reading() as state:
            return views.rubric(state, assignment.require_trial(state, trial))

    def verdict(self) -> StudyVerdict:
        """Return the verdict on each pair, replayed from the journal."""
        with self._ledger.reading() as state:
            return verdict(state)

    def selection(self) -> dict[str, list[Exits]]:
        with self._ledger.reading() as state:
            shown = state.names
            found = {"operator": tallies(state, lambda trial: trial.who)}
            if shown is not None:
                found["policy"] = tallies(state, lambda trial: shown[trial.arm])
            return found

    @property
    def _recordings(self) -> Path:
        if self.folder is None:
            raise NotAllowed(
                "recordings are kept in the folder of a study: open it by the folder with its "
                "study.yaml, which all machines that add or show them must share"
            )
        return self.folder / recordings.FOLDER

    def lost_recordings(self) -> list[str]:
        with self._ledger.reading() as state:
            known = [(file, digest) for _, file, digest in state.recordings]
        return [
            file
            for file, digest in known
            if not recordings.is_intact(self._recordings / file, digest)
        ]

    def analyses(self) -> dict[str, Analysis]:
        """Return the full analysis of each task, with intervals, letters and figures."""
        with self._ledger.reading() as state:
            return analyses(state, state.locked_plan)

    def status(self) -> views.Status:
        """Return the progress of the study."""
        with self._ledger.reading() as state:
            return views.status(state, self.plan, self._ledger.clock, self.edited())

    def edited(self) -> tuple[str, ...]:
        file = None if self.folder is None else self.folder / FILE_NAME
        if file is None or not self.locked or not file.exists():
            return ()
        about = file.stat()
        version = (about.st_mtime_ns, about.st_size, self.plan.digest)
        if version != self._edited[0]:
            declared = self._ledger.state.declared
            assert declared is not None
            self._edited = version, differences(file, declared, self.plan)
        return self._edited[1]

    def trials(self) -> Trials:
        """Return the trials that count, in the order of the analysis."""
        with self._ledger.reading() as state:
            state.require_edition()
            return trial_table(state, state.locked_plan)

    def records(self) -> pl.DataFrame:
        """Return one row per trial ever handed out, with everything reported about it."""
        with self._ledger.reading() as state:
            return record_frame(state, self.store.entries())

    def exported(self, *, used: bool = False) -> pl.DataFrame:
        """Return the trials that may be exported now; with ``used`` only those in the verdict.

        The latter are in the order in which the verdict uses them.

        After unblinding these are all records. Before, they are the trials that count, without
        number or code: next to a label, these would allow a trial to be voided by its policy.
        """
        with self._ledger.reading() as state:
            if used:
                state.require_edition()
            if state.unblinded_at is None:
                frame = trial_table(state, state.locked_plan).frame
                return frame.drop("trial")
            frame = self.records()
            if not used:
                return frame
            # In the order of the analysis: a slot may have been handed out late, or again; and of
            # policies that are level, the one that is listed first leads.
            places = {name: place for place, name in enumerate(state.shown().values())}
            listed = pl.col("policy").replace_strict(places)
            return frame.filter("used").sort("row", listed, maintain_order=True)

    def overshoot(self) -> dict[tuple[str, str], int]:
        with self._ledger.reading() as state:
            shown = state.shown()
            return dict(
                Counter(
                    (task, shown[arm])
                    for task, board in state.boards.items()
                    for _, arm, _ in board.overshoot()
                )
            )

    def trials_saved(self) -> dict[str, int]:
        """Return, by task, how many trials up to n_max are known to be no longer needed."""
        with self._ledger.reading() as state:
            return {task: board.saved() for task, board in state.boards.items()}

    def trials_left(self) -> dict[str, int]:
        """Return, by task, how many more trials there can be up to n_max; 0 without one."""
        with self._ledger.reading() as state:
            return {task: board.left() for task, board in state.boards.items()}

    def report(self, place: Callable[[int, str], str] | None = None) -> str:
        """Return the report as one page: verdict, figures, and what happened.

        Links lead to the recordings beside the study, or where ``place`` says, given the trial and
        the name of the file.
        """
        return study_report(self, place or beside)

    def journal(self, after: int = 0, *, most: int | None = None) -> list[Entry]:
        with self._ledger.reading() as state:
            latest = list(self._ledger.latest)
            if after >= state.seq:
                return []
            if latest and latest[0].seq <= after + 1:
                return latest[after + 1 - latest[0].seq :][:most]
        with closing(self.store.entries(after)) as entries:
            return list(islice(entries, most))

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
        found = verify(self.store, against)
        edited = self.edited() if found.sound else ()
        return replace(found, notes=(views.edited_text(edited),)) if edited else found

    def size(self) -> tuple[int, int]:
        state = self._ledger.state
        arms = len(state.arms)
        return arms * (arms - 1) // 2 * len(state.boards), len(state.trials)

    def trial_lines(self, most: int) -> list[TrialLine]:
        with self._ledger.reading() as state:
            clock = self._ledger.clock
            return [trial_line(state, one, clock) for one in state.trials[: -most - 1 : -1]]

    def minutes_per_trial(self) -> float | None:
        """Return the minutes from one result to the next while people work; None if too few came.

        It is that of the study, not of a station: two robots are twice as fast. A break is longer
        than a lease, and no person is done within a second.
        """
        with self._ledger.reading() as state:
            lease = 60.0 * state.locked_plan.lease_minutes
            times = sorted(
                trial.when for trial in state.trials if trial.code and trial.status == "scored"
            )
        gaps = [gap for one, two in pairwise(times[-RECENT:]) if (gap := two - one) <= lease]
        known = len(gaps) >= FEW_GAPS and sum(gaps) >= len(gaps)
        return sum(gaps) / len(gaps) / 60.0 if known else None

    @property
    def trouble(self) -> StoreFailed | None:
        return self._ledger.trouble

    def tokens(self) -> tuple[TokenRecord, ...]:
        """Return every token ever created, without the secret text."""
        with self._ledger.reading() as state:
            return tuple(state.tokens.values())

    def authenticate(self, text: str) -> Grant | None:
        with self._ledger.reading() as state:
            return access.authenticate(state, text, self.store.local_time())

    def admits(self, token: str) -> bool:
        with self._ledger.reading() as state:
            return state.tokens[token].valid(self.store.local_time())

    def hear(self, station: str) -> None:
        self.store.hear(station)

    def policies(self) -> tuple[str, ...]:
        """Return the names of all policies, for the program that can start each of them."""
        return self.plan.policy_names

    def recording(self, trial: int, name: str) -> Path:
        with self._ledger.reading() as state:
            if not any((number, file) == (trial, name) for number, file, _ in state.recordings):
                raise NotAllowed(f"trial {trial} has no recording of this name")
        return self._recordings / name

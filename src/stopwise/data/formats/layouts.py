"""Tables and JSON that tools write under names of their own: one row here for each."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from stopwise.data.formats.csv_table import read as read_table
from stopwise.data.formats.json_table import trials_in
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.data.reading import Bounds
from stopwise.errors import require
from stopwise.messages import Message, Notes, Setting, counted, names_listed

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """One kind of file: how it is recognised, where its trials are, what its columns mean."""

    name: str
    # A table with exactly these columns, or else JSON with these names near its beginning.
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    opening: str = "{"
    required: tuple[str, ...] = ()  # the fields that each trial must have
    roles: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    # The field that is set in records that are no trials, what is said of them, and its code.
    without: tuple[str, str, str] | None = None
    note: Message | None = None
    # A value of the score that the tool is known to write by mistake, and what is said of it.
    doubtful: tuple[float, str] | None = None

    def recognise(self, head: Head) -> bool:
        """Whether the file has the columns, or the keys near its beginning, of this layout."""
        if self.columns:
            return set(head.header) - {""} == set(self.columns)
        return head.has_keys(*self.keys, opening=self.opening)

    def read(self, head: Head) -> RawTable:
        """Return the trials with what the tool defines of them."""
        raw = self._table(head) if self.columns else self._records(head)
        notes = Notes(raw.notes)
        if self.note is not None:
            notes.append(self.note.within(f"{head.path}: "))
        if self.doubtful is not None:
            value, text = self.doubtful
            numbers = raw.frame[self.roles["score"]].cast(pl.Float64, strict=False)
            if number := int((numbers == value).sum()):
                said = f"{head.path}: {counted(number, 'score is', 'scores are')} {value}, {text}"
                notes.add(said, code="doubtful-scores")
        there = {role: name for role, name in self.roles.items() if name in raw.frame.columns}
        return replace(raw, roles=there, bounds=self.bounds, notes=notes)

    def _table(self, head: Head) -> RawTable:
        raw = read_table(head, self.columns)
        return replace(raw, frame=raw.frame.select(self.columns))

    def _records(self, head: Head) -> RawTable:
        notes, left_out = Notes(), 0
        records: list[tuple[str, Record]] = []
        trials = trials_in(head)
        several = names_listed({"/".join(placed.keys): None for placed in trials if placed.keys})
        require(not several, f"{head.path}: write a file each for {several}")
        for placed in trials:
            record = {key.removeprefix("metrics."): v for key, v in placed.record.items()}
            for key in self.required:
                text = f"{head.path}, {placed.place}: the field {key!r} is missing"
                require(key in record, text)
            if self.without is not None and record.get(self.without[0]):
                left_out += 1
                continue
            records.append((placed.place, record))
        if self.without is not None and left_out:
            _, text, code = self.without
            notes.add(f"{head.path}: {counted(left_out, text)} left out", code=code)
        return table_of_records(head.path, records, roles={}, bounds={}, notes=notes)


STARTS_ALIKE = (*("; if they do not, use ", Setting("design", "independent")),)
POLARIS = Layout(
    name="polaris",
    columns=("episode", "episode_length", "success", "progress"),
    roles={"score": "progress", "success": "success", "trial": "episode", "block": "episode"},
    bounds={"progress": UNIT, "success": UNIT},
    note=Message(
        "episodes with the same number are assumed to start from the same state, since PolaRiS "
        "numbers its initial conditions",
        *STARTS_ALIKE,
        code="episodes-start-alike",
    ),
)
OPENPI_DROID = Layout(
    name="openpi-droid",
    columns=("success", "duration", "video_filename"),
    # It is typed as 0 to 100, so it is partial credit and no column of successes.
    roles={"score": "success"},
    bounds={"success": UNIT},
    # The script divides every answer by 100, also the 1.0 that stands for the answer "y".
    doubtful=(
        0.01,
        "which openpi's script writes for the answer 'y' (100 %); if that is what happened, "
        "correct the file",
    ),
)
LBM_EVAL = Layout(
    name="lbm-eval",
    keys=("evaluations", "skill_type"),
    required=("skill_type", "scenario_index", "is_success"),
    roles={
        "task": "skill_type",
        "score": "is_success",
        "success": "is_success",
        "block": "scenario_index",
    },
    bounds={"is_success": UNIT},
    without=("is_pending", "pending evaluation", "evaluations-pending"),
)
VLA_EVALUATION_HARNESS = Layout(
    name="vla-evaluation-harness",
    keys=("tasks", "episodes", "episode_id"),
    required=("task",),
    roles={
        "task": "task",
        "trial": "episode_id",
        "block": "episode_id",
        "score": "success",
        "success": "success",
    },
    bounds={"success": UNIT},
    # The harness itself leaves such episodes out of its metrics.
    without=("failure_reason", "interrupted (not failed) episode", "interrupted-left-out"),
    note=Message(
        "episodes with the same number are assumed to start from the same state, since the "
        "harness takes state or seed from the number",
        *STARTS_ALIKE,
        code="episodes-start-alike",
    ),
)
TAU_BENCH = Layout(
    name="tau-bench",
    keys=("task_id", "reward", "traj"),
    opening="[",
    required=("task_id", "reward"),
    roles={"score": "reward", "block": "task_id", "trial": "trial"},
    bounds={"reward": UNIT},
)

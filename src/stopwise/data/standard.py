"""From the columns of one file to the columns of the trial table, with every rule applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import polars as pl

from stopwise.data.bounds import require_within
from stopwise.data.duplicates import duplicate_rows
from stopwise.data.raw import Bounds, RawTable
from stopwise.data.roles import ColumnChoice, Roles, guess_code, resolve
from stopwise.data.values import (
    is_logical,
    require_zero_or_one,
    to_names,
    to_numbers,
    to_times,
)
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Message, Setting

__all__ = ["Names", "Part", "standardise"]

DEFAULT_TASK = "task"


@dataclass(frozen=True, kw_only=True)
class Names:
    """What the rows are called: as given by the user, or taken from the file's name."""

    policy: str | None = None
    task: str | None = None
    policy_from_file: str | None = None

    def of(self, role: str) -> tuple[str | None, str | None]:
        """Return the given name and the one to fall back on."""
        if role == "task":
            return self.task, DEFAULT_TASK
        return self.policy, self.policy_from_file


@dataclass(frozen=True, kw_only=True)
class Part:
    """The trials of one file; bounds only where its format defines them."""

    raw: RawTable
    score_column: str
    rows: pl.Series
    frame: pl.DataFrame
    bounds: Bounds | None
    notes: tuple[Message, ...]

    def require_within(self, bounds: Mapping[str, Bounds]) -> None:
        """Raise, naming file and place, for the first score outside the bounds of its task."""
        scores, tasks = self.frame["score"], self.frame["task"]
        require_within(
            scores,
            tasks,
            bounds,
            lambda row, rule: self.raw.error(self.rows[row], self.score_column, rule),
        )


def standardise(
    raw: RawTable, columns: Mapping[str, ColumnChoice], names: Names, missing: str
) -> Part:
    """Return the trials of one file, or raise one line that names the place."""
    if not len(raw.frame):
        raise InvalidInput(f"{raw.source}: there are no trials in it")
    roles = resolve(raw, columns)
    notes = [*raw.notes, *roles.notes]
    (score_column,) = roles.columns["score"]
    found = {
        "task": _named(raw, roles, "task", names, notes),
        "policy": _named(raw, roles, "policy", names, notes),
        "score": to_numbers(raw.frame[score_column], partial(_complain, raw, score_column)),
    }
    for role in ("block", "evaluator", "trial"):
        if role in roles.columns:
            found[role] = _joined(raw, roles.columns[role])
    for role in ("success", "time"):
        values = _optional(raw, roles, role, notes)
        if values is not None:
            found[role] = values
    frame = pl.DataFrame([series.alias(role) for role, series in found.items()])
    keep = _scored(raw, frame, score_column, missing, notes) & ~duplicate_rows(raw, frame, notes)
    return Part(
        raw=raw,
        score_column=score_column,
        rows=keep.arg_true(),
        frame=frame.drop("trial", strict=False).filter(keep),
        bounds=_defined_bounds(raw, score_column, notes),
        notes=tuple(notes),
    )


def _complain(raw: RawTable, column: str, row: int, rule: str) -> InvalidInput:
    return raw.error(row, column, rule)


def _named(raw: RawTable, roles: Roles, role: str, names: Names, notes: list[Message]) -> pl.Series:
    """Return the name of each row's task or policy: given, else its column, else assumed."""
    given, otherwise = names.of(role)
    if role not in roles.columns:
        name = given or otherwise
        if name is None:
            raise InvalidInput(
                Message(
                    f"{raw.source}: no column looks like the {role}; name the column with ",
                    Setting("columns", {role: BLANK}),
                    f", or the {role} itself with ",
                    Setting(role),
                    code=f"no-{role}-column",
                )
            )
        if given is None:
            assumed = f"{raw.source}: no {role} column, so the {role} is called {name!r}"
            notes.append(Message(assumed, code=f"{role}-assumed"))
        return pl.Series([name]).new_from_index(0, len(raw.frame))
    found = _joined(raw, roles.columns[role])
    if found.null_count():
        row = found.is_null().arg_max() or 0
        raise raw.error(row, roles.columns[role][0], f"the name of the {role} is missing")
    if given is None:
        return found
    different = found.unique(maintain_order=True)
    if len(different) > 1:
        raise InvalidInput(
            f"{raw.source}: it was given as {role} {given!r}, but column "
            f"{roles.columns[role][0]!r} names {len(different)}: "
            f"{', '.join(map(repr, different.head(5)))}"
        )
    return pl.Series([given]).new_from_index(0, len(raw.frame))


def _joined(raw: RawTable, columns: tuple[str, ...]) -> pl.Series:
    parts = [to_names(raw.frame[column]).alias(str(i)) for i, column in enumerate(columns)]
    return pl.DataFrame(parts).select(pl.concat_str(pl.all(), separator="/"))[:, 0]


def _optional(raw: RawTable, roles: Roles, role: str, notes: list[Message]) -> pl.Series | None:
    """Return successes or times; a guessed column that does not fit is left out, with a note."""
    if role not in roles.columns:
        return None
    (column,) = roles.columns[role]
    complaint = partial(_complain, raw, column)
    try:
        if role == "time":
            return to_times(raw.frame[column], complaint)
        return require_zero_or_one(to_numbers(raw.frame[column], complaint), complaint)
    except InvalidInput:
        if role not in roles.guessed:
            raise
        notes[:] = [note for note in notes if note.code != guess_code(role)]
        ignored = f"column {column!r} does not hold the {role} of trials and was ignored"
        notes.append(Message(ignored, code=f"{role}-column-ignored"))
        return None


def _scored(
    raw: RawTable, frame: pl.DataFrame, column: str, missing: str, notes: list[Message]
) -> pl.Series:
    scored = frame["score"].is_not_null()
    dropped = frame["score"].null_count()
    if dropped and missing == "error":
        row = frame["score"].is_null().arg_max() or 0
        raise raw.error(
            row,
            column,
            Message(
                "the score is missing; ",
                Setting("missing", "drop"),
                " leaves such trials out and says how many",
                code="score-missing",
            ),
        )
    if dropped:
        without = f"{raw.source}: {dropped} trials without a score dropped"
        notes.append(Message(without, code="unscored-dropped"))
    return scored


def _defined_bounds(raw: RawTable, column: str, notes: list[Message]) -> Bounds | None:
    if column in raw.bounds:
        low, high = raw.bounds[column]
        known = f"bounds of {column!r}: [{low:g}, {high:g}], as the format defines it"
        notes.append(Message(known, code="bounds-of-format"))
        return raw.bounds[column]
    if is_logical(raw.frame[column]):
        known = f"bounds of {column!r}: [0, 1], since it holds only true and false (or yes and no)"
        notes.append(Message(known, code="bounds-of-logical"))
        return 0.0, 1.0
    return None

"""What every reader returns: the columns as they are in the file, and where each row is."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Self

import polars as pl

from stopwise.data.names import is_named, usual_name
from stopwise.data.reading import Bounds
from stopwise.data.typed_columns import to_numbers
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Message, Setting, names_listed, placed

UNIT: Bounds = (0.0, 1.0)  # of successes and partial credit
# The column of the number of the list that an entry comes from.
LIST = "list"


@dataclass(frozen=True, kw_only=True, eq=False)
class RawTable:
    """One file or frame, before anything is interpreted."""

    source: str  # the name of the file or object in messages
    frame: pl.DataFrame  # one row per trial, in the order of the file
    place: Callable[[int], str]  # says where in the file a row is, for messages ("line 7")
    # What columns mean by definition of the format; the rest is for the user or a guess.
    roles: Mapping[str, str] = field(default_factory=dict)
    # Ranges of columns that the format itself defines, such as [0, 1] of a success.
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    notes: Sequence[str] = ()  # what was assumed or left out, one plain sentence each
    preferences: str | None = None  # the column that says which of two trials was preferred
    defined: bool = False  # whether a row is a trial by definition of the format, or as was said

    def error(self, column: str, row: int, rule: str) -> InvalidInput:
        """Return the one-line error of one value, to be raised."""
        place = f"{self.source}, {self.place(row)}, column {column!r}: "
        return InvalidInput(placed(place, rule))

    def refusal(
        self, *parts: str | Setting, row: int | None = None, code: str = ""
    ) -> InvalidInput:
        """Return the error about the table, or about one of its rows, to be raised."""
        place = self.source if row is None else f"{self.source}, {self.place(row)}"
        return InvalidInput(f"{place}: ", *parts, code=code)

    @property
    def listed(self) -> str:
        """The names of the columns, for messages."""
        return names_listed(self.frame.columns)

    def numbers(self, column: str) -> pl.Series:
        """Return the numbers of a column, or raise for the first value that is none."""
        return to_numbers(self.frame[column], partial(self.error, column))

    def taking(self, kept: pl.Series, *notes: str) -> Self:
        """Return the rows that are marked."""
        if kept.all():
            return replace(self, notes=(*self.notes, *notes)) if notes else self
        return self.arranged(self.frame.filter(kept), kept.arg_true(), *notes)

    def arranged(self, frame: pl.DataFrame, rows: pl.Series, *notes: str) -> Self:
        """Return other rows, each with the number of the row here that it comes from."""
        said = (*self.notes, *notes)
        return replace(self, frame=frame, place=lambda row: self.place(int(rows[row])), notes=said)


def says(notes: Iterable[str], code: str) -> bool:
    """Whether a note of this kind is among them."""
    return any(getattr(note, "code", "") == code for note in notes)


def of_keys(source: str, roles: Mapping[str, str]) -> Message:
    """Return the note on what the names above the results are taken for."""
    meant = " and ".join(f"{key!r} the {role}" for role, key in roles.items())
    text = f"{source}: of the names under which the results stand, {meant} is assumed; choose with "
    return Message(text, Setting("columns", {"policy": BLANK}), code="keys-assumed")


def of_lists(raw: RawTable, lists: Sequence[object]) -> RawTable:
    """Return the entries of lists with what tells the lists apart: a name, else a number.

    A number asks what the lists are: steps of a trial each, trials of a run, answers to a question.
    """
    at = pl.Series(lists).rle_id() + 1
    firsts = raw.frame.filter(at.is_first_distinct())
    said = {name for role, name in raw.roles.items() if role != "score"}
    levels = ("policy", "task", "seed", "block", "step")
    keys = [n for n in firsts.columns if n in said or n.startswith("key") or is_named(n, *levels)]

    def apart(names: Sequence[str]) -> bool:
        return bool(names) and not firsts.select(names).is_duplicated().any()

    if len(firsts) < 2 or apart(keys):
        return raw
    said -= {name for name in said if firsts[name].n_unique() == 1}
    above = {role: name for role, name in raw.roles.items() if role == "score" or name in said}
    free = [role for role in ("task", "policy") if role not in above]
    free = [role for role in free if not any(is_named(name, role) for name in keys)]
    named = [n for n in firsts.columns if usual_name(n) in ("name", "label", "title")]
    named = [name for name in named if apart([*keys, name])]
    if "policy" not in free or not named:
        return replace(raw, frame=raw.frame.with_columns(at.alias(LIST)))
    roles = {free[0]: named[0]}
    return replace(raw, roles={**above, **roles}, notes=(*raw.notes, of_keys(raw.source, roles)))


def with_facts(raw: RawTable, facts: Mapping[str, object]) -> RawTable:
    """Return the table with what holds for all of its rows, unless it has a column of it."""
    new = [pl.lit(value).alias(key) for key, value in facts.items() if key not in raw.frame.columns]
    return replace(raw, frame=raw.frame.with_columns(new)) if new else raw


def table_of_records(
    source: Path,
    records: Iterable[tuple[str, Mapping[str, object]]],
    *,
    roles: Mapping[str, str],
    bounds: Mapping[str, Bounds],
    notes: Sequence[str] = (),
    preferences: str | None = None,
) -> RawTable:
    """Return the table of records, each with the place in the file where it is."""
    rows = list(records)
    return RawTable(
        source=str(source),
        frame=frame_of_records([record for _, record in rows]),
        place=lambda row: rows[row][0],
        roles=roles,
        bounds=bounds,
        notes=notes,
        preferences=preferences,
    )


def flattened(record: Mapping[str, object], above: str = "") -> dict[str, object]:
    """Return a record with the fields of objects in it: ``info.success``; ``x.name`` is ``x``."""
    fields: dict[str, object] = {}
    for key, value in record.items():
        if isinstance(value, dict) and above.count(".") < 2:
            fields |= flattened(value, f"{above}{key}.")
        else:
            fields[above[:-1] if above and key == "name" else above + key] = value
    return fields


def frame_of_records(records: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Return records as a frame; values of mixed kinds become text, to be judged later."""
    names = dict.fromkeys(name for record in records for name in record)
    columns = [column_of_values(name, [record.get(name) for record in records]) for name in names]
    return pl.DataFrame(columns)


def column_of_values(name: str, values: list[object]) -> pl.Series:
    """Return values of one kind as they are, and of mixed kinds as text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    whole = [value for value in values if isinstance(value, int)]
    if kinds == {int} and min(whole) >= -(2**63) and max(whole) < 2**63:
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    texts = [json.dumps(v) if isinstance(v, dict | list) else v for v in values]
    return pl.Series(name, [v if v is None else str(v) for v in texts], dtype=pl.String)


def common_kind(columns: Iterable[pl.Series]) -> pl.DataType:
    """Return the kind in which all columns of scores can stand below one another."""
    kinds = {column.dtype for column in columns}
    if len(kinds) == 1:
        return kinds.pop()
    numeric = all(kind.is_numeric() or kind == pl.Boolean for kind in kinds)
    return pl.Float64() if numeric else pl.String()

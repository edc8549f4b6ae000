"""What every reader returns: the columns as they are in the file, and where each row is."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from stopwise.errors import InvalidInput
from stopwise.messages import placed

__all__ = ["Bounds", "RawTable", "column_of_values", "frame_of_records"]

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class RawTable:
    """One file or frame, before anything is interpreted.

    Parameters
    ----------
    source
        The name of the file or object in messages.
    frame
        One row per trial, in the order of the file.
    place
        Says where in the file a row is, for messages ("line 7").
    roles
        What columns mean by definition of the format; the rest is for the user or a guess.
    bounds
        Ranges of columns that the format itself defines, such as [0, 1] of a success.
    notes
        What was assumed or left out, one plain sentence each.
    """

    source: str
    frame: pl.DataFrame
    place: Callable[[int], str]
    roles: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def error(self, column: str, row: int, rule: str) -> InvalidInput:
        """Return the one-line error of one value, to be raised."""
        place = f"{self.source}, {self.place(row)}, column {column!r}: "
        return InvalidInput(placed(place, rule))


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
    if kinds == {int} and all(value is None or _fits(value) for value in values):
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds <= {int, float}:
        return pl.Series(name, values, dtype=pl.Float64, strict=False)
    return pl.Series(name, [_text(value) for value in values], dtype=pl.String)


def _fits(value: object) -> bool:
    return isinstance(value, int) and -(2**63) <= value < 2**63


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, dict | list) else str(value)

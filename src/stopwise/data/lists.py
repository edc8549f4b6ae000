"""Tables with the outcomes of many trials in one cell: [1, 0, 1]."""

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.data.roles import ColumnChoice, names_scores, usual_name
from stopwise.data.summaries import TRIALS
from stopwise.data.typed_columns import all_match
from stopwise.messages import Message

LIST = r"^\s*\[.*\]\s*$"


def unlisted(raw: RawTable, chosen: Mapping[str, ColumnChoice]) -> RawTable:
    """Return one row per entry of the column whose cells are lists of scores, if there is one.

    It is the one that was chosen, or has the name of a score, or is as long as a column of counts
    says: other lists, such as bins of a histogram, are no trials.
    """
    lists = [name for name in raw.frame.columns if _is_lists(raw.frame[name])]
    column = next((name for name in lists if _is_scores(raw, name, chosen)), None)
    if raw.roles.get("score") or column is None:
        return raw
    split = raw.frame[column].str.strip_chars(" []").str.replace_all(r"[,\s]+", ",").str.split(",")
    rows = pl.int_range(pl.len()).alias("_row")
    place_in = pl.int_ranges(pl.col(column).list.len()).alias("_entry")
    frame = (
        raw.frame.with_columns(split.alias(column))
        .with_columns(rows, place_in)
        .explode(column, "_entry")
    )
    places = list(zip(frame["_row"].to_list(), frame["_entry"].to_list(), strict=True))
    note = Message(
        f"{raw.source}: each entry of the lists in {column!r} is read as a trial, in order",
        code="lists-unfolded",
    )
    return replace(
        raw,
        frame=frame.drop("_row", "_entry"),
        place=lambda row: f"{raw.place(places[row][0])}, entry {places[row][1]}",
        roles={**raw.roles, "score": column},
        notes=(*raw.notes, note),
    )


def _is_lists(column: pl.Series) -> bool:
    return column.dtype == pl.String and not column.has_nulls() and all_match(column, LIST)


def _is_scores(raw: RawTable, name: str, chosen: Mapping[str, ColumnChoice]) -> bool:
    if "score" in chosen:
        return chosen["score"] == name
    if names_scores(name):
        return True
    lengths = raw.frame[name].str.strip_chars(" []").str.count_matches(r"[^,\s]+")
    counts = [c for c in raw.frame.columns if TRIALS.fullmatch(usual_name(c))]
    return any(
        bool((raw.frame[c].cast(pl.Float64, strict=False) == lengths).fill_null(False).all())
        for c in counts
    )

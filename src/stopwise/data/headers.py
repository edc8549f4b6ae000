"""Rows of a table that are no records: headers, lines about all of it, sums and means."""

import polars as pl

from stopwise.data.names import ALL_NAMES, is_named, is_score_name, usual_name
from stopwise.data.raw import RawTable
from stopwise.data.reading import Reading
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Message, Setting, counted, names_listed

# Names of columns that number the rows, as people and pandas call them.
NUMBERING = frozenset({"", "#", "id", "index", "n", "no", "nr", "number", "pair", "row", "run"})
# A column that is filled in so many of the rows is one of all trials.
MOSTLY_FILLED = 0.8
# Of fewer rows nobody can tell what most of them are.
LEAST_ROWS = 5
HEAD = 200  # rows that show how a column is written
# What a row is called that sums up the others.
SUMMARY = [
    written + end
    for word in (
        *("mean", "average", "avg", "total", "overall", "sum", "all", "median", "std"),
        *("summary", "aggregate", "aggregated"),
    )
    for written in (word, word.title(), word.upper())
    for end in ("", ":")
]


def only_records(raw: RawTable) -> RawTable:
    """Return the rows without headers and lines about all of them, or raise for a second header."""
    raw = _of_one_kind(_without_headers(raw))
    _refuse_second_header(raw)
    return raw


def _without_headers(raw: RawTable) -> RawTable:
    """Return the rows without those that repeat the header, as in files put together."""
    if raw.frame.width < 2 or not all(kind == pl.String for kind in raw.frame.dtypes):
        return raw
    first, *others = raw.frame.columns
    repeated = (raw.frame[first] == first).fill_null(False)
    if not repeated.any():
        return raw
    for name in others:
        repeated &= (raw.frame[name].str.strip_chars() == name.strip()).fill_null(False)
    if not repeated.any():
        return raw
    number = counted(int(repeated.sum()), "line repeats", "lines repeat")
    text = f"{raw.source}: {number} the header: left out"
    return raw.taking(~repeated, Message(text, code="headers-left-out"))


def _of_one_kind(raw: RawTable) -> RawTable:
    """Return the rows without a first or last one that shares no filled column with the others."""
    if len(raw.frame) < LEAST_ROWS or raw.roles:
        return raw
    filled = raw.frame.select(pl.all().is_not_null())
    usual = [name for name in filled.columns if filled[name].sum() >= MOSTLY_FILLED * len(filled)]
    if not usual:
        return raw
    other = ~filled.select(pl.any_horizontal(usual))[:, 0]
    other |= (filled.select(pl.sum_horizontal(pl.all()))[:, 0] == 1) & (len(usual) > 2)
    if not 0 < other.sum() <= 2:
        return raw
    places = ", ".join(map(raw.place, other.arg_true()))
    text = f"{raw.source}: {places}: no trial, but something about them; left out"
    return raw.taking(~other, Message(text, code="headers-left-out"))


def _refuse_second_header(raw: RawTable) -> None:
    """Raise if the first row holds the names of columns: the header has two lines."""
    cells = {name: str(raw.frame[name][0]) for name in raw.frame.columns if len(raw.frame)}
    row = {name: cell for name, cell in cells.items() if cell not in ("", "None")}
    names = [
        cell
        for name, cell in row.items()
        if (usual_name(cell) in ALL_NAMES or is_score_name(cell))
        and cell not in raw.frame[name][1:].cast(pl.String)
    ]
    if len(names) >= 2 and 2 * len(names) >= len(row):
        raise InvalidInput(
            f"{raw.source}, {raw.place(0)}: {names_listed(dict.fromkeys(names))} look like a "
            "second line of headers: make it one line, with a name such as 'ACT success' for each",
            code="two-headers",
        )


def refuse_summary_rows(raw: RawTable, reading: Reading) -> None:
    """Raise if a row is called a mean or a total: it is no trial."""
    keys = [
        name
        for name, kind in raw.frame.schema.items()
        if kind == pl.String
        and (is_named(name, "policy", "task", "trial") or usual_name(name) in NUMBERING | {"type"})
    ]
    for name in keys:
        if reading.columns and name in (reading.names("policy") or ()):
            continue
        found = raw.frame[name].is_in(SUMMARY).fill_null(False)
        others = [key for key in keys if key != name]
        per = raw.frame.filter(found).select([*others, name])
        if found.any() and not found.all() and not per.is_duplicated().any():
            row = int(found.arg_max() or 0)
            raise InvalidInput(
                f"{raw.source}, {raw.place(row)}: {raw.frame[name][row]!r} in column {name!r} "
                "seems to sum up other rows, and is no trial: delete the row, or say which column "
                "names the policies with ",
                Setting("columns", {"policy": BLANK}),
                code="summary-row",
            )
        _refuse_text_among_numbers(raw, name)


def _refuse_text_among_numbers(raw: RawTable, name: str) -> None:
    """Raise if a column numbers the rows, but for a word, or for a last row without a number."""
    head = raw.frame[name].head(HEAD)
    if head.str.strip_chars().cast(pl.Float64, strict=False).null_count() > len(head) / 2:
        return
    values = raw.frame[name].str.strip_chars().replace("", None)
    numbers = values.cast(pl.Float64, strict=False).is_not_null()
    if numbers.sum() < max(LEAST_ROWS, MOSTLY_FILLED * len(values)):
        return
    odd = ~numbers & (~values.str.contains(r"\d")).fill_null(False)
    if values.null_count() == 1 and values[-1] is None:
        odd = values.is_null()
    if odd.any():
        row = int(odd.arg_max() or 0)
        shown = "nothing" if values[row] is None else repr(values[row])
        raise InvalidInput(
            f"{raw.source}, {raw.place(row)}: {shown} stands in column {name!r}, which numbers the "
            "other rows: delete the row if it sums up others, or give it a number",
            code="summary-row",
        )

"""Delimited text, shared by all formats that are CSV inside."""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import encoding, head, torn, whole_lines
from stopwise.data.growing import growing
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

DELIMITERS = ("\t", ";", ",")
COMMENT = "#"
NUMBER = re.compile(r"\s*[-+]?[\d.]+([eE][-+]?\d+)?\s*")
# Where fields are not divided by commas: a number that has one in place of a point, unless all
# that have one could be thousands.
DECIMAL, THOUSANDS = r"^\s*[-+]?\d+(,\d+)?\s*%?\s*$", r"^\s*[-+]?[1-9]\d{0,2},\d{3}\s*$"
# So many lines are looked at to find the header below comments and a title.
MOST_ABOVE = 40


def header(path: Path) -> list[str]:
    """Return the column names of a text file, in its first line below comments and titles."""
    lines = head(path).splitlines()
    above = lines_above(path)
    return _fields(lines[above]) if above < len(lines) else []


def lines_above(path: Path) -> int:
    """Return the number of lines before the header: blank ones, comments and titles.

    A title fills its first field alone, above a line of several words that is as long as the next.
    """
    lines = head(path).splitlines()[:MOST_ABOVE]
    filled = [index for index, line in enumerate(lines) if line.strip(" \t,;")]
    for at, index in enumerate(filled):
        own, *below = (_fields(lines[i]) for i in filled[at : at + 3])
        if lines[index].startswith(COMMENT) and not (below and len(own) == len(below[0]) > 1):
            continue
        is_title = (
            len(below) == 2
            and own[0].strip() != ""
            and not any(own[1:])
            and 1 < len(below[0]) == len(below[1])
            and not any(map(NUMBER.fullmatch, below[0]))
        )
        if not is_title:
            return index
    return 0


def read_delimited(
    path: Path, columns: Iterable[str] = (), comment_lines: int | None = None
) -> RawTable:
    """Return all columns as text, so that a bad value can be named; these must be there.

    Blank lines are no rows, nor are those that begin with # and have fewer fields.
    """
    above = lines_above(path) if comment_lines is None else comment_lines
    lines, notes, watched = _lines(path), Notes(), growing() is not None
    first = next((line for index, line in enumerate(lines) if index == above), "")
    require(first.strip() != "", f"{path}, line {above + 1}: there is no header line")
    plain = not watched and encoding(path) == "utf-8-sig" and "\n" in head(path)
    source = path if plain else io.BytesIO(whole_lines(path, notes).encode())
    try:
        frame = pl.read_csv(
            source, separator=_delimiter(first), skip_lines=above, infer_schema=False
        )
    except pl.exceptions.PolarsError as error:
        _require_equal_fields(path, above)
        reason = str(error).splitlines()[0]
        raise InvalidInput(f"{path}: not a regular table: {reason}") from error
    # A line that was cut off has empty last columns; only then is the slow look worth it.
    if frame[:, -1].null_count():
        rows = _require_equal_fields(path, above)
        frame = frame.filter(~pl.all_horizontal(pl.all().fill_null("") == ""))
        if len(frame) > rows:
            comment = pl.first().str.starts_with(COMMENT) & pl.last().is_null()
            frame = frame.filter(~comment)
            require(len(frame) == rows, f"{path}: a row must not begin with {COMMENT}")
    for column in columns:
        missing = f"{path}, line {above + 1}: the column {column!r} is missing"
        require(column in frame.columns, missing)
    place = partial(_line_of_row, path, above)
    commas = [] if _delimiter(first) == "," else list(filter(_has_decimal_commas, frame))
    if commas:
        frame = frame.with_columns(own.str.replace(",", ".", literal=True) for own in commas)
        named = ", ".join(repr(own.name) for own in commas)
        notes.add(f"{path}: commas in {named} are decimal points", code="decimal-commas")
    if not watched:
        _note_cut_off(path, frame, notes)
    return RawTable(source=str(path), frame=frame, place=place, notes=notes)


def _has_decimal_commas(column: pl.Series) -> bool:
    known = column.drop_nulls()
    commas = known.filter(known.str.contains(",", literal=True))
    return (
        len(commas) > 0
        and bool(known.str.contains(DECIMAL).all())
        and not bool(commas.str.contains(THOUSANDS).all())
    )


def _note_cut_off(path: Path, frame: pl.DataFrame, notes: Notes) -> None:
    """Say if the file ends within a number: no line end, and a point or fewer digits than above."""
    if not len(frame) or not _ends_open(path):
        return
    *above, last = frame[:, -1].tail(50).to_list()
    lengths = [len(value) for value in above if value is not None]
    if not last or not NUMBER.fullmatch(last) or not lengths:
        return
    shorter = " is shorter than the numbers above it" if len(last) < min(lengths) else ""
    if shorter or last.endswith("."):
        notes.add(
            f"{path}: the last line ends without a line break, and its {last}"
            f"{shorter or ' with a point'}: it may be cut off",
            code="last-line-cut",
        )


def _ends_open(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-min(2, path.stat().st_size), io.SEEK_END)
        return not set(file.read()) & set(b"\r\n")


def _line_of_row(path: Path, above: int, row: int) -> str:
    """Return the line at which a row ends; read again, since quoted text may span lines."""
    for index, (line, _) in enumerate(_rows(path, above)):
        if index == row + 1:
            return f"line {line}"
    return "the last line"


def _require_equal_fields(path: Path, above: int) -> int:
    """Return the number of rows, or raise for the first that is not as long as the header."""
    rows, number = _rows(path, above), 0
    try:
        _, names = next(rows)
        for line, fields in rows:
            number += 1
            if len(fields) != len(names):
                raise InvalidInput(
                    f"{path}, line {line}: {len(fields)} fields where the header has {len(names)}; "
                    "the line may be cut off"
                )
    except csv.Error as error:
        raise InvalidInput(f"{path}: not a regular table: {error}") from error
    return number


def _rows(path: Path, above: int) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of the header and of each row, blanks and comments left out."""
    lines = _lines(path)
    for _ in range(above):
        next(lines)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=_delimiter(first), strict=True)
    columns = 0
    for fields in reader:
        comment = columns > len(fields) and fields[:1] and fields[0].startswith(COMMENT)
        columns = columns or len(fields)
        if any(fields) and not comment:
            yield above + reader.line_num, fields


def _lines(path: Path) -> Iterator[str]:
    found = torn(path)
    if found is not None:
        yield from io.StringIO(found[0])
        return
    with path.open(encoding=encoding(path), newline="") as file:
        yield from file


def _fields(line: str) -> list[str]:
    return next(csv.reader([line], delimiter=_delimiter(line)), [])


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=lambda delimiter: (line.count(delimiter), delimiter == ","))

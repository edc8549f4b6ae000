"""Delimited text, shared by all formats that are CSV inside."""

import csv
import io
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

import polars as pl

from stopwise.data.formats.text_file import first_line
from stopwise.data.growing import growing
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

DELIMITERS = ("\t", ";", ",")


def header(path: Path) -> list[str]:
    """Return the column names in the first line of a text file."""
    line = first_line(path)
    return next(csv.reader([line], delimiter=_delimiter(line)), [])


def read_delimited(path: Path, columns: Iterable[str] = (), comment_lines: int = 0) -> RawTable:
    """Return all columns as text, so that a bad value can be named; these must be there.

    Blank lines are no rows.
    """
    with _opened(path) as file:
        lines = [file.readline() for _ in range(comment_lines + 1)]
    header_line, torn = comment_lines + 1, _torn(path)
    require(lines[-1].strip() != "", f"{path}, line {header_line}: there is no header line")
    try:
        frame = pl.read_csv(
            path if torn is None else io.BytesIO(torn[0]),
            separator=_delimiter(lines[-1]),
            skip_lines=comment_lines,
            infer_schema=False,
        )
    except pl.exceptions.PolarsError as error:
        _require_equal_fields(path, comment_lines)
        reason = str(error).splitlines()[0]
        raise InvalidInput(f"{path}: not a regular table: {reason}") from error
    # A line that was cut off has empty last columns; only then is the slow look worth it.
    if frame[:, -1].null_count():
        _require_equal_fields(path, comment_lines)
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    for column in columns:
        missing = f"{path}, line {header_line}: the column {column!r} is missing"
        require(column in frame.columns, missing)
    place = partial(_line_of_row, path, comment_lines)
    notes = Notes()
    if torn is not None and torn[1].strip():
        text = f"{path}: the last line has no end yet, and waits for it"
        notes.add(text, code="line-unfinished")
    return RawTable(source=str(path), frame=frame, place=place, notes=notes)


def _torn(path: Path) -> tuple[bytes, bytes] | None:
    """Return the whole lines of a file that is being written, and the rest; None of any other.

    A number that is cut off is another number: ``1`` of ``1000``.
    """
    if growing() is None:
        return None
    whole, end, rest = path.read_bytes().rpartition(b"\n")
    return whole + end, rest


def _opened(path: Path) -> IO[str]:
    """Open the text of a file, as far as it is there in whole lines if it is being written."""
    torn = _torn(path)
    if torn is None:
        return path.open(encoding="utf-8-sig", newline="")
    return io.TextIOWrapper(io.BytesIO(torn[0]), encoding="utf-8-sig", newline="")


def _line_of_row(path: Path, comment_lines: int, row: int) -> str:
    """Return the line at which a row ends; read again, since quoted text may span lines."""
    for index, (line, _) in enumerate(_rows(path, comment_lines)):
        if index == row + 1:
            return f"line {line}"
    return "the last line"


def _require_equal_fields(path: Path, comment_lines: int) -> None:
    rows = _rows(path, comment_lines)
    try:
        _, names = next(rows)
        for line, fields in rows:
            if len(fields) != len(names):
                raise InvalidInput(
                    f"{path}, line {line}: {len(fields)} fields where the header has {len(names)}; "
                    "the line may be cut off"
                )
    except csv.Error as error:
        raise InvalidInput(f"{path}: not a regular table: {error}") from error


def _rows(path: Path, comment_lines: int) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of the header and of each row that is not blank."""
    with _opened(path) as file:
        for _ in range(comment_lines):
            file.readline()
        start = file.tell()
        delimiter = _delimiter(file.readline())
        file.seek(start)
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        for fields in reader:
            if any(fields):
                yield comment_lines + reader.line_num, fields


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=lambda delimiter: (line.count(delimiter), delimiter == ","))

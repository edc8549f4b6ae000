"""CSV, TSV and semicolon-separated tables with a header line, for all formats that are so."""

import csv
import io
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain

import polars as pl

from stopwise.data.formats.text_file import Head, delimiter
from stopwise.data.growing import growing
from stopwise.data.names import is_score_name
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

name = "csv"
# Where fields are not divided by commas: a number that has one in place of a point, unless all
# that have one could be thousands.
DECIMAL, THOUSANDS = r"^\s*[-+]?\d+(,\d+)?\s*%?\s*$", r"^\s*[-+]?[1-9]\d{0,2},\d{3}\s*$"


def recognise(head: Head) -> bool:
    """Whether the first line is a header: by the file's ending, or a column that is a score."""
    suffix = head.suffix in (".csv", ".tsv")
    return bool(head.header) and (suffix or any(map(is_score_name, head.header)))


def read(head: Head, columns: Iterable[str] = (), comment_lines: int | None = None) -> RawTable:
    """Return all columns as text, so that a bad value can be named; these must be there."""
    path, above = head.path, head.above if comment_lines is None else comment_lines
    notes = Notes()
    first = next((line for index, line in enumerate(_lines(head)) if index == above), "")
    require(first.strip() != "", f"{path}, line {above + 1}: there is no header line")
    plain = (
        not (growing() or head.is_packed) and head.encoding == "utf-8-sig" and b"\n" in head.start
    )
    source = path if plain else io.BytesIO(head.whole_lines(notes).encode())
    try:
        frame = pl.read_csv(
            source, separator=delimiter(first), skip_lines=above, infer_schema=False
        )
    except pl.exceptions.PolarsError as error:
        _require_equal_fields(head, above)
        reason = str(error).splitlines()[0]
        raise InvalidInput(f"{path}: not a regular table: {reason}") from error
    # A line that was cut off has empty last columns; only then is the slow look worth it.
    if frame[:, -1].null_count():
        _require_equal_fields(head, above)
        frame = frame.filter(~pl.all_horizontal(pl.all().fill_null("") == ""))
    for column in columns:
        missing = f"{path}, line {above + 1}: the column {column!r} is missing"
        require(column in frame.columns, missing)
    place = partial(_line_of_row, head, above)
    commas = [] if delimiter(first) == "," else list(filter(_has_decimal_commas, frame))
    if commas:
        frame = frame.with_columns(text.str.replace(",", ".", literal=True) for text in commas)
        named = ", ".join(repr(text.name) for text in commas)
        notes.add(f"{path}: commas in {named} are decimal points", code="decimal-commas")
    return RawTable(source=str(path), frame=frame, place=place, notes=notes)


def _has_decimal_commas(column: pl.Series) -> bool:
    known = column.drop_nulls()
    commas = known.filter(known.str.contains(",", literal=True))
    return (
        len(commas) > 0
        and bool(known.str.contains(DECIMAL).all())
        and not bool(commas.str.contains(THOUSANDS).all())
    )


def _line_of_row(head: Head, above: int, row: int) -> str:
    """Return the line at which a row ends; read again, since quoted text may span lines."""
    for index, (line, _) in enumerate(_rows(head, above)):
        if index == row + 1:
            return f"line {line}"
    return "the last line"


def _require_equal_fields(head: Head, above: int) -> None:
    """Raise for the first row that is not as long as the header."""
    path, rows = head.path, _rows(head, above)
    try:
        _, names = next(rows)
        for line, fields in rows:
            text = f"{path}, line {line}: {len(fields)} fields where the header has {len(names)}; "
            require(len(fields) == len(names), f"{text}the line may be cut off")
    except csv.Error as error:
        raise InvalidInput(f"{path}: not a regular table: {error}") from error


def _rows(head: Head, above: int) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of the header and of each row, blanks left out."""
    lines = _lines(head)
    for _ in range(above):
        next(lines)
    first = next(lines, "")
    reader = csv.reader(chain([first], lines), delimiter=delimiter(first), strict=True)
    for fields in reader:
        if any(fields):
            yield above + reader.line_num, fields


def _lines(head: Head) -> Iterator[str]:
    parts = head.torn()
    if parts is not None:
        yield from io.StringIO(parts[0])
        return
    with io.TextIOWrapper(head.open(), encoding=head.encoding, newline="") as file:
        yield from file

"""JSON Lines: one object per line."""

import io
import json
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import first_line, text_of, torn, whole_lines
from stopwise.data.raw import RawTable, frame_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "jsonl"


def recognise(path: Path) -> bool:
    """Whether the first line is a whole JSON object."""
    return _is_object(first_line(path))


def read(path: Path) -> RawTable:
    """Return all fields; blank lines are no rows.

    The last line of a file that is being watched counts once it is a whole object.
    """
    notes, text = Notes(), None
    if (found := torn(path)) is not None:
        text = "".join(found) if _is_object(found[1]) else whole_lines(path, notes)
    frame = _read_at_once(path if text is None else io.BytesIO(text.encode()))
    if frame is None:
        text = text_of(path) if text is None else text
        frame = frame_of_records([_record(path, *line) for line in _lines(text)])
    return RawTable(source=str(path), frame=frame, place=partial(_line_of_row, path), notes=notes)


def _is_object(line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except json.JSONDecodeError:
        return False


def _read_at_once(source: Path | io.BytesIO) -> pl.DataFrame | None:
    """Return a regular file fast; None where only reading line by line tells what is there."""
    try:
        frame = pl.read_ndjson(source, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return None if any(kind.is_nested() for kind in frame.dtypes) else frame


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if line.strip():
            yield number, line


def _line_of_row(path: Path, row: int) -> str:
    number, _ = next(islice(_lines(text_of(path)), row, None))
    return f"line {number}"


def _record(path: Path, number: int, line: str) -> dict[str, object]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path}, line {number}: not valid JSON ({error.msg}); the line may be cut off"
        ) from error
    if not isinstance(record, dict):
        raise InvalidInput(f"{path}, line {number}: must be an object, but got {line.strip()[:40]}")
    return record

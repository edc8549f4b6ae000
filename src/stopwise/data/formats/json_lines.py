"""JSON Lines: one object per line."""

import io
import json
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import Head, is_object
from stopwise.data.raw import RawTable, flattened, frame_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "jsonl"


def recognise(head: Head) -> bool:
    """Whether the first line is a whole JSON object; a single one is no table of results."""
    if not is_object(head.first_line):
        return False
    fields = json.loads(head.first_line).values()
    flat = head.suffix != ".json" and not any(isinstance(value, dict | list) for value in fields)
    return flat or sum(1 for line in head.lines if line.strip()) > 1


def read(head: Head) -> RawTable:
    """Return all fields; a watched file's last line counts once it is a whole object."""
    path, notes = head.path, Notes()
    text = head.text() if head.is_packed else None
    if (parts := head.torn()) is not None:
        text = "".join(parts) if is_object(parts[1]) else head.whole_lines(notes)
    frame = _read_at_once(path if text is None else io.BytesIO(text.encode()))
    if frame is None:
        text = head.text() if text is None else text
        frame = frame_of_records([flattened(_record(path, *line)) for line in _lines(text)])
    return RawTable(source=str(path), frame=frame, place=partial(_line_of_row, head), notes=notes)


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


def _line_of_row(head: Head, row: int) -> str:
    number, _ = next(islice(_lines(head.text()), row, None))
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

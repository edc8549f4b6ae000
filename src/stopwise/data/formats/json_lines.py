"""JSON Lines: one object per line."""

import json
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import encoding, first_line
from stopwise.data.raw import RawTable, frame_of_records
from stopwise.errors import InvalidInput

name = "jsonl"


def recognise(path: Path) -> bool:
    """Whether the first line is a whole JSON object."""
    line = first_line(path)
    if not line.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except json.JSONDecodeError:
        return False


def read(path: Path) -> RawTable:
    """Return all fields; blank lines are no rows."""
    frame = _read_at_once(path)
    if frame is None:
        frame = frame_of_records([_record(path, *line) for line in _lines(path)])
    return RawTable(source=str(path), frame=frame, place=partial(_line_of_row, path))


def _read_at_once(path: Path) -> pl.DataFrame | None:
    """Return a regular file fast; None where only reading line by line tells what is there."""
    try:
        frame = pl.read_ndjson(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError):
        return None
    return None if any(kind.is_nested() for kind in frame.dtypes) else frame


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(encoding=encoding(path)) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line


def _line_of_row(path: Path, row: int) -> str:
    number, _ = next(islice(_lines(path), row, None))
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

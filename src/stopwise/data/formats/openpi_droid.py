"""CSV of openpi's DROID evaluation: success, duration, video_filename."""

from functools import partial
from pathlib import Path

import polars as pl

from stopwise.data.formats.delimited_file import header, line_of_row, read_delimited
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput
from stopwise.messages import Message

__all__ = ["name", "read", "recognise"]

name = "openpi-droid"
COLUMNS = {"success", "duration", "video_filename"}


def recognise(path: Path) -> bool:
    """Whether the header has the three columns and no policy."""
    return set(header(path)) - {""} == COLUMNS


def read(path: Path) -> RawTable:
    """Return success (the score, partial credit in [0, 1]), duration and video_filename."""
    frame = read_delimited(path)
    for column in sorted(COLUMNS - set(frame.columns)):
        raise InvalidInput(f"{path}, line 1: the column {column!r} is missing")
    # The script divides every answer by 100, also the 1.0 that stands for the answer "y".
    doubtful = int((frame["success"].cast(pl.Float64, strict=False) == 0.01).sum() or 0)
    warning = Message(
        f"{path}: {doubtful} scores are 0.01, which openpi's script writes for the answer 'y' "
        "(100 %); if that is what happened, correct them",
        code="doubtful-scores",
    )
    return RawTable(
        source=str(path),
        frame=frame.select(sorted(COLUMNS)),
        place=partial(line_of_row, path),
        # It is typed as 0 to 100, so it is partial credit and no column of successes.
        roles={"score": "success"},
        bounds={"success": (0.0, 1.0)},
        notes=(warning,) if doubtful else (),
    )

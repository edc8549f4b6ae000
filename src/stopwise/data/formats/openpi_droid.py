"""CSV of openpi's DROID evaluation: success, duration, video_filename."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from stopwise.data.formats.delimited_file import header, read_delimited
from stopwise.data.raw import UNIT, RawTable
from stopwise.messages import Notes, counted

name = "openpi-droid"
COLUMNS = {"success", "duration", "video_filename"}


def recognise(path: Path) -> bool:
    """Whether the header has the three columns and no policy."""
    return set(header(path)) - {""} == COLUMNS


def read(path: Path) -> RawTable:
    """Return success (the score, partial credit in [0, 1]), duration and video_filename."""
    raw = read_delimited(path, sorted(COLUMNS))
    notes = Notes(raw.notes)
    # The script divides every answer by 100, also the 1.0 that stands for the answer "y".
    doubtful = int((raw.frame["success"].cast(pl.Float64, strict=False) == 0.01).sum())
    if doubtful:
        notes.add(
            f"{path}: {counted(doubtful, 'score is', 'scores are')} 0.01, which openpi's "
            "script writes for the answer 'y' (100 %); if that is what happened, correct the file",
            code="doubtful-scores",
        )
    # It is typed as 0 to 100, so it is partial credit and no column of successes.
    frame = raw.frame.select(sorted(COLUMNS))
    return replace(
        raw, frame=frame, roles={"score": "success"}, bounds={"success": UNIT}, notes=notes
    )

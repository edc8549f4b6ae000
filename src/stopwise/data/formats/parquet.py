"""Parquet tables."""

from pathlib import Path

import polars as pl

from stopwise.data.formats.text_file import first_bytes
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput

name = "parquet"
MAGIC = b"PAR1"


def recognise(path: Path) -> bool:
    """Whether the file begins as Parquet files do."""
    return first_bytes(path, len(MAGIC)) == MAGIC


def read(path: Path) -> RawTable:
    """Return all columns."""
    try:
        frame = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise InvalidInput(
            f"{path}: not a whole Parquet file ({reason}); it may be cut off"
        ) from error
    return RawTable(source=str(path), frame=frame, place=lambda row: f"row {row}")

"""Parquet tables."""

import polars as pl

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput

name = "parquet"
MAGIC = b"PAR1"


def recognise(head: Head) -> bool:
    return head.start.startswith(MAGIC)


def read(head: Head) -> RawTable:
    path = head.path
    try:
        frame = pl.read_parquet(path)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise InvalidInput(
            f"{path}: not a whole Parquet file ({reason}); it may be cut off"
        ) from error
    return RawTable(source=str(path), frame=frame, place=lambda row: f"row {row}")

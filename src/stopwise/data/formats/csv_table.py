"""CSV, TSV and semicolon-separated tables with a header line."""

from pathlib import Path

from stopwise.data.formats.delimited_file import header, read_delimited
from stopwise.data.raw import RawTable
from stopwise.data.roles import SCORE_NAMES, usual_name

name = "csv"
SUFFIXES = (".csv", ".tsv")


def recognise(path: Path) -> bool:
    """Whether the first line is a header: by the file's ending, or a column that is a score."""
    names = list(map(usual_name, header(path)))
    return bool(names) and (path.suffix.lower() in SUFFIXES or any(n in SCORE_NAMES for n in names))


def read(path: Path) -> RawTable:
    """Return all columns."""
    return read_delimited(path)

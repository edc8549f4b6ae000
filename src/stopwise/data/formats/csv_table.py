"""CSV, TSV and semicolon-separated tables with a header line."""

from stopwise.data.formats.delimited_file import read_delimited
from stopwise.data.formats.text_file import Head
from stopwise.data.names import is_score_name
from stopwise.data.raw import RawTable

name = "csv"
SUFFIXES = (".csv", ".tsv")


def recognise(head: Head) -> bool:
    """Whether the first line is a header: by the file's ending, or a column that is a score."""
    suffix = head.suffix in SUFFIXES
    return bool(head.header) and (suffix or any(map(is_score_name, head.header)))


def read(head: Head) -> RawTable:
    return read_delimited(head)

"""The formats that can be read; the first that recognises the beginning of a file reads it."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from stopwise.data.formats import (
    csv_table,
    inspect_log,
    json_lines,
    json_table,
    layouts,
    lerobot,
    numpy_arrays,
    parquet,
    race_journal,
    roboarena,
    sb3_evaluations,
    sb3_monitor,
    spreadsheet,
    text_logs,
    vla_eval_recording,
)
from stopwise.data.formats.text_file import Head
from stopwise.data.growing import unless_changed
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require, require_choice

__all__ = ["TABLE", "Format", "Opened", "names", "opened"]


class Format(Protocol):
    """One kind of file, as each in the registry is; its name is for ``format=``."""

    @property
    def name(self) -> str: ...

    def recognise(self, head: Head) -> bool:
        """Whether the beginning looks like this format; never an error."""

    def read(self, head: Head) -> RawTable:
        """Return the columns as they are in the file, or raise one line naming file and place."""


# Special formats first: a monitor file is a CSV too.
FORMATS: tuple[Format, ...] = (
    lerobot,
    layouts.VLA_EVALUATION_HARNESS,
    layouts.LBM_EVAL,
    layouts.TAU_BENCH,
    inspect_log,
    vla_eval_recording,
    roboarena,
    sb3_evaluations,
    sb3_monitor,
    layouts.OPENPI_DROID,
    layouts.POLARIS,
    parquet,
    spreadsheet,
    numpy_arrays,
    race_journal,
    json_lines,
    json_table,
    text_logs,
    csv_table,
)


# What can always be done about a file of another kind.
TABLE = "a CSV file with a row per trial and the columns policy and score is always read"


def names() -> tuple[str, ...]:
    return tuple(known.name for known in FORMATS)


@dataclass(frozen=True, eq=False)
class Opened:
    """A file that a format has recognised, and its table once that is asked for."""

    head: Head
    format: Format

    @cached_property
    def table(self) -> RawTable:
        """The columns; errors of the file system become one line too."""
        path = self.head.path
        try:
            return self.format.read(self.head)
        except OSError as error:
            raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            text = f"{path}, byte {error.start}: the text is not valid UTF-8"
            raise InvalidInput(text) from error

    def sheet(self, name: str | None) -> RawTable:
        """Return the table, or that of one sheet of a workbook."""
        if name is None:
            return self.table
        text = f"{self.head.path}: only workbooks have sheets, and this is {self.format.name}"
        require(self.format is spreadsheet, text, parameter="sheet")
        return spreadsheet.read(self.head, name)


def opened(path: Path, name: str | None = None) -> Opened | None:
    """Return a file with the format of that name, or else the first that recognises it."""
    if name is None:
        return unless_changed(_recognised, path)
    require_choice("format", name, names())
    head, named = Head(path), FORMATS[names().index(name)]
    return Opened(head, named) if path.is_file() or named.recognise(head) else None


def _recognised(path: Path) -> Opened | None:
    head = Head(path)
    matching = next((known for known in FORMATS if known.recognise(head)), None)
    return None if matching is None else Opened(head, matching)

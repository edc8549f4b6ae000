"""The formats that can be read, one module each; the first that recognises a file reads it."""

from pathlib import Path
from typing import Protocol

from stopwise.data.formats import (
    csv_table,
    json_lines,
    json_table,
    lbm_eval,
    lerobot,
    markdown,
    mlflow,
    numpy_arrays,
    openpi_droid,
    openvla_libero,
    parquet,
    polaris,
    race_journal,
    roboarena,
    sb3_evaluations,
    sb3_monitor,
    spreadsheet,
    vla_evaluation_harness,
    wandb,
)
from stopwise.data.growing import unless_changed
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require_choice

__all__ = ["Format", "find", "names", "read", "recognise"]


class Format(Protocol):
    """One kind of file; each module of this folder that is in the registry follows it."""

    @property
    def name(self) -> str:
        """What the user writes in ``format=``."""

    def recognise(self, path: Path) -> bool:
        """Whether the content looks like this format; cheap, and never an error."""

    def read(self, path: Path) -> RawTable:
        """Return the columns as they are in the file, or raise one line naming file and place."""


# Special formats first: a monitor file is a CSV too.
FORMATS: tuple[Format, ...] = (
    lerobot,
    vla_evaluation_harness,
    lbm_eval,
    roboarena,
    sb3_evaluations,
    sb3_monitor,
    openpi_droid,
    polaris,
    openvla_libero,
    wandb,
    mlflow,
    parquet,
    spreadsheet,
    numpy_arrays,
    race_journal,
    json_table,
    json_lines,
    markdown,
    csv_table,
)


def names() -> tuple[str, ...]:
    """Return the names of all formats."""
    return tuple(known.name for known in FORMATS)


def find(name: str) -> Format:
    """Return the format of that name, or raise."""
    require_choice("format", name, names())
    return FORMATS[names().index(name)]


def recognise(path: Path) -> Format | None:
    """Return the first format that the content looks like, or None."""
    return unless_changed(_recognised, path)


def _recognised(path: Path) -> Format | None:
    return next((known for known in FORMATS if known.recognise(path)), None)


def read(reader: Format, path: Path) -> RawTable:
    """Return what a format reads; errors of the file system become one line too."""
    try:
        return unless_changed(reader.read, path)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path}, byte {error.start}: the text is not valid UTF-8") from error

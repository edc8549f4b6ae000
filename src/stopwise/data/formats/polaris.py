"""PolaRiS eval_results.csv: episode, episode_length, success, progress."""

from functools import partial
from pathlib import Path

from stopwise.data.formats.delimited_file import header, line_of_row, read_delimited
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput
from stopwise.messages import Message, Setting

__all__ = ["name", "read", "recognise"]

name = "polaris"
COLUMNS = ("episode", "episode_length", "success", "progress")


def recognise(path: Path) -> bool:
    """Whether the header has exactly these columns."""
    return set(header(path)) - {""} == set(COLUMNS)


def read(path: Path) -> RawTable:
    """Return progress (the default score) and success of each episode.

    PolaRiS takes the initial conditions of an episode from a list by its number.
    """
    frame = read_delimited(path)
    for column in COLUMNS:
        if column not in frame.columns:
            raise InvalidInput(f"{path}, line 1: the column {column!r} is missing")
    return RawTable(
        source=str(path),
        frame=frame,
        place=partial(line_of_row, path),
        roles={"score": "progress", "success": "success", "trial": "episode", "block": "episode"},
        bounds={"progress": (0.0, 1.0), "success": (0.0, 1.0)},
        notes=(
            Message(
                f"{path}: episodes of the same number are taken to start alike, since PolaRiS "
                "numbers its initial conditions; if they do not, use ",
                Setting("design", "independent"),
                code="episodes-start-alike",
            ),
        ),
    )

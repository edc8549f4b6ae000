"""PolaRiS eval_results.csv: episode, episode_length, success, progress."""

from dataclasses import replace
from pathlib import Path

from stopwise.data.formats.delimited_file import header, read_delimited
from stopwise.data.raw import UNIT, RawTable
from stopwise.messages import Notes, Setting

name = "polaris"
COLUMNS = ("episode", "episode_length", "success", "progress")


def recognise(path: Path) -> bool:
    """Whether the header has exactly these columns."""
    return set(header(path)) - {""} == set(COLUMNS)


def read(path: Path) -> RawTable:
    """Return progress (the default score) and success of each episode.

    PolaRiS takes the initial conditions of an episode from a list by its number.
    """
    notes = Notes()
    notes.add(
        f"{path}: episodes with the same number are assumed to start from the same state, since "
        "PolaRiS numbers its initial conditions; if they do not, use ",
        Setting("design", "independent"),
        code="episodes-start-alike",
    )
    return replace(
        read_delimited(path, COLUMNS),
        roles={"score": "progress", "success": "success", "trial": "episode", "block": "episode"},
        bounds={"progress": UNIT, "success": UNIT},
        notes=notes,
    )

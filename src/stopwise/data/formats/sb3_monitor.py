"""stable-baselines3 monitor files: a comment with JSON, then r, l, t per episode."""

import json
from dataclasses import replace
from functools import partial

import polars as pl

from stopwise.data.formats.csv_table import read as read_table
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import RawTable
from stopwise.data.typed_columns import to_numbers
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "sb3-monitor"


def recognise(head: Head) -> bool:
    """Whether the first line is the comment that the Monitor wrapper writes."""
    line = head.first_line
    return line.startswith("#") and '"t_start"' in line


def read(head: Head) -> RawTable:
    """Return the return r (the default score), length l and finishing time of each episode."""
    path, about = head.path, _comment(head)
    raw = read_table(head, ("r", "l", "t"), comment_lines=1)
    # Seconds since the start of the process say nothing across files.
    seconds = to_numbers(raw.frame["t"], partial(raw.error, "t"))
    columns = [(seconds + about["t_start"]).alias("finished")]
    roles = {"score": "r", "time": "finished"}
    if about["env_id"]:
        columns.append(pl.Series("env_id", [about["env_id"]]).new_from_index(0, len(raw.frame)))
        roles["task"] = "env_id"
    notes = Notes(raw.notes)
    notes.add(
        f"{path}: a monitor file of a training run is no evaluation: its episodes are of a policy "
        "that changes, with its exploration",
        code="training-log",
    )
    return replace(raw, frame=raw.frame.with_columns(columns), roles=roles, notes=notes)


def _comment(head: Head) -> dict[str, object]:
    try:
        about = json.loads(head.first_line.lstrip("#"))
        return {"t_start": float(about["t_start"]), "env_id": about.get("env_id")}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f'{head.path}, line 1: must be #{{"t_start": number, "env_id": name}}, '
            f"but got {head.first_line[:40]!r}"
        ) from error

"""Text logs of the LIBERO evaluation of openvla, openvla-oft and their descendants."""

import re
from collections.abc import Iterator
from pathlib import Path

from stopwise.data.formats.text_file import head, whole_lines
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes

name = "openvla-libero"
# A logger may put its own words before them: "INFO:root:Success: True".
PREFIX = r"^(?:\S.*[\s:\]])?"
TASK = re.compile(PREFIX + r"Task: (?P<task>.*\S)")
SUCCESS = re.compile(PREFIX + r"Success:(?P<success>.*)")


def recognise(path: Path) -> bool:
    """Whether the beginning has lines of both kinds."""
    lines = head(path).splitlines()
    return any(map(TASK.match, lines)) and any(map(SUCCESS.match, lines))


def read(path: Path) -> RawTable:
    """Return the success (the score) of each episode."""
    roles = {"task": "task", "score": "success", "success": "success"}
    notes = Notes()
    episodes = _episodes(path, whole_lines(path, notes))
    return table_of_records(path, episodes, roles=roles, bounds={"success": UNIT}, notes=notes)


def _episodes(path: Path, text: str) -> Iterator[tuple[str, dict[str, object]]]:
    task: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if found := TASK.match(line):
            task = found["task"]
        elif found := SUCCESS.match(line):
            if task is None:
                raise InvalidInput(f"{path}, line {number}: a success before any 'Task:' line")
            success = _success(path, number, found["success"])
            yield f"line {number}", {"task": task, "success": success}


def _success(path: Path, number: int, words: str) -> bool:
    word = next(iter(words.split()), "")
    if word not in ("True", "False"):
        raise InvalidInput(
            f"{path}, line {number}: 'Success:' must be followed by True or False, "
            f"but got {words.strip()!r}"
        )
    return word == "True"

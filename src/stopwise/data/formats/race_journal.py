"""The journal of a race: what it is in the first line, then one episode per line."""

import json
from pathlib import Path
from typing import Any

from stopwise.core.rule_checks import OF_GOALS
from stopwise.core.rules import Rules
from stopwise.data.formats.text_file import first_line
from stopwise.data.raw import RawTable, table_of_records
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes, Setting, counted

name = "race"
EPISODE = ("policy", "row", "score")


def recognise(path: Path) -> bool:
    """Whether the first line says that it is the journal of a race."""
    return first_line(path).startswith('{"kind": "stopwise race"')


def read(path: Path) -> RawTable:
    """Return the episodes by their rows; in a paired race the row is the block.

    Also those that came in when the verdict was reached: the analysis of the same rules does not
    need them. A failed episode counts as the race last said; of a place that was run anew, the
    last counts.
    """
    notes = Notes()
    whole, _, torn = path.read_text(encoding="utf-8").rpartition("\n")
    if torn:
        notes.add(f"{path}: the last line was cut off, and is left out", code="journal-cut")
    lines = [_object(path, *line) for line in enumerate(whole.splitlines(), start=1)]
    require(bool(lines) and isinstance(lines[0].get("race"), dict), f"{path}: no race is described")
    race, on_error = lines[0]["race"], lines[0].get("on_error")
    places: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {}
    joined: dict[str, int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if "joined" in line:
            joined[line["joined"]] = line.get("row", 0)
            continue
        if "resumed" in line:
            on_error = line.get("on_error")
            continue
        known: dict[str, Any] = {key: line[key] for key in EPISODE if key in line}
        require(
            isinstance(known.get("row"), int) and len(known) == len(EPISODE),
            f"{path}, line {number}: this is no episode of a race",
        )
        task = {"task": line["task"]} if "task" in line else {}
        places[known["policy"], known["row"]] = f"line {number}", {**known, **task}
    by_row = sorted(places, key=lambda place: place[1])
    kept = [(places[place][0], _counted(places[place][1], on_error)) for place in by_row]
    scored = [(place, known) for place, known in kept if known["score"] is not None]
    if failed := len(kept) - len(scored):
        text = f"{path}: {counted(failed, 'failed episode')} left out"
        notes.add(text, code="failed-left-out")
    _note_allocation(race, notes)
    if joined:
        text = f"policies joined this race: to repeat its verdict, analyse it with joined={joined}"
        notes.add(text, code="race-joined")
    roles = {"policy": "policy", "score": "score", "trial": "row"}
    if any("task" in known for _, known in scored):
        roles["task"] = "task"
        notes.add(
            "this race drew the task of each row at random: to repeat its verdict, ask for the "
            "mean with ",
            Setting("tasks", "mean"),
            " and ",
            Setting("task_order", "random"),
            code="race-tasks",
        )
    if race.get("design") == "paired":
        roles["block"] = "row"
    bounds = race.get("bounds")
    ranges = {"score": (float(bounds[0]), float(bounds[1]))} if isinstance(bounds, list) else {}
    return table_of_records(path, scored, roles=roles, bounds=ranges, notes=notes)


def _note_allocation(race: dict[str, Any], notes: Notes) -> None:
    """Say how to repeat the verdict of a race that did not try all policies alike."""
    goal = race.get("goal", Rules.goal)
    if "allocation" in OF_GOALS.get(goal, ()) and "allocation" not in race:  # the leader, as usual
        notes.add(
            "this race tried the leading policy more often: to repeat its verdict, ask for the "
            "best with ",
            Setting("allocation", "leader"),
            code="race-allocation",
        )


def _counted(episode: dict[str, Any], on_error: object) -> dict[str, Any]:
    """Return an episode with the score that counts, None for none."""
    kind, _, score = str(on_error).partition(":")
    if episode["score"] is None and kind == "score":
        return {**episode, "score": float(score)}
    return episode


def _object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise InvalidInput(f"{path}, line {number}: the journal is damaged here") from error
    require(isinstance(found, dict), f"{path}, line {number}: the journal is damaged here")
    return dict(found)

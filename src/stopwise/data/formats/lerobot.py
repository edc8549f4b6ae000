"""LeRobot's eval_info.json, of version 0.4 and later (per_task) and up to 0.3.3 (per_episode)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stopwise.data.formats.json_file import field, has_keys, load_json
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes, Setting

name = "lerobot"
# Names of the measures in the newer and in the older files.
MEASURES = {"success": "successes", "sum_rewards": "sum_rewards", "max_rewards": "max_rewards"}
OLDER = {"success": "success", "sum_rewards": "sum_reward", "max_rewards": "max_reward"}


def recognise(path: Path) -> bool:
    """Whether the JSON has the fields of either generation."""
    return has_keys(path, "per_task", "metrics") or has_keys(path, "per_episode", "episode_ix")


def read(path: Path) -> RawTable:
    """Return success (the default score), sum_rewards and max_rewards of each episode."""
    content = _unwrapped(load_json(path))
    older = isinstance(content, dict) and "per_task" not in content
    found = _older(path, content) if older else _newer(path, content)
    roles, notes = {"score": "success", "success": "success", "trial": "episode"}, Notes()
    if older:
        roles["block"] = "seed"
    else:
        roles["task"] = "task"
        notes.add(
            "lerobot files of this version hold no seeds: if the runs used the same seed, "
            "episodes with the same number start from the same state; say so with ",
            Setting("columns", {"block": "episode"}),
            code="no-seeds",
        )
    return table_of_records(path, found, roles=roles, bounds={"success": UNIT}, notes=notes)


def _unwrapped(content: object) -> object:
    """Return the results within what other tools put around them, such as {"eval_info": ...}."""
    while isinstance(content, dict) and not {"per_task", "per_episode"} & content.keys():
        inner = [value for value in content.values() if isinstance(value, dict)]
        found = [value for value in inner if '"per_' in json.dumps(value)]
        if len(found) != 1:
            break
        (content,) = found
    return content


def _newer(path: Path, content: object) -> Iterator[tuple[str, dict[str, object]]]:
    for index, entry in enumerate(field(path, "", content, "per_task", list)):
        place = f"per_task[{index}]"
        task = f"{field(path, place, entry, 'task_group', object)}/{entry.get('task_id', index)}"
        columns = _measures(path, place, field(path, place, entry, "metrics", dict))
        for episode, values in enumerate(zip(*columns.values(), strict=True)):
            measures = dict(zip(columns, values, strict=True))
            yield f"{place}, episode {episode}", {"task": task, "episode": episode, **measures}


def _measures(path: Path, place: str, metrics: dict[str, Any]) -> dict[str, list[object]]:
    place = f"{place}.metrics"
    columns = {
        ours: field(path, place, metrics, theirs, list)
        for ours, theirs in MEASURES.items()
        if theirs in metrics or ours == "success"
    }
    lengths = {MEASURES[ours]: len(values) for ours, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"{path}, {place}: lists must be equally long, but got {lengths}")
    return columns


def _older(path: Path, content: object) -> Iterator[tuple[str, dict[str, object]]]:
    for index, entry in enumerate(field(path, "", content, "per_episode", list)):
        place = f"per_episode[{index}]"
        field(path, place, entry, "success", object)
        measures = {ours: entry.get(theirs) for ours, theirs in OLDER.items()}
        episode = entry.get("episode_ix", index)
        yield place, {"episode": episode, "seed": entry.get("seed"), **measures}

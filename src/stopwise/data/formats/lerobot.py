"""LeRobot's eval_info.json, of version 0.4 and later (per_task) and up to 0.3.3 (per_episode)."""

from pathlib import Path
from typing import Any

from stopwise.data.formats.json_file import field, load_json
from stopwise.data.formats.text_file import head
from stopwise.data.raw import RawTable, frame_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Message, Setting

__all__ = ["name", "read", "recognise"]

name = "lerobot"
# Names of the measures in the newer and in the older files.
MEASURES = {"success": "successes", "sum_rewards": "sum_rewards", "max_rewards": "max_rewards"}
OLDER = {"success": "success", "sum_rewards": "sum_reward", "max_rewards": "max_reward"}


def recognise(path: Path) -> bool:
    """Whether the JSON has the fields of either generation."""
    beginning = head(path)
    if not beginning.lstrip().startswith("{"):
        return False
    newer = '"per_task"' in beginning and '"metrics"' in beginning
    return newer or ('"per_episode"' in beginning and '"episode_ix"' in beginning)


def read(path: Path) -> RawTable:
    """Return success (the default score), sum_rewards and max_rewards of each episode."""
    content = load_json(path)
    older = isinstance(content, dict) and "per_task" not in content
    records, places = _older(path, content) if older else _newer(path, content)
    roles = {"score": "success", "success": "success", "trial": "episode"}
    notes: tuple[Message, ...] = ()
    if older:
        roles["block"] = "seed"
    else:
        roles["task"] = "task"
        notes = (
            Message(
                "lerobot files of this version hold no seeds: if the runs used the same seed, "
                "episodes of the same number start alike; say so with ",
                Setting("columns", {"block": "episode"}),
                code="no-seeds",
            ),
        )
    return RawTable(
        source=str(path),
        frame=frame_of_records(records),
        place=places.__getitem__,
        roles=roles,
        bounds={"success": (0.0, 1.0)},
        notes=notes,
    )


def _newer(path: Path, content: object) -> tuple[list[dict[str, object]], list[str]]:
    records: list[dict[str, object]] = []
    places: list[str] = []
    for index, entry in enumerate(field(path, "", content, "per_task", list)):
        place = f"per_task[{index}]"
        task = f"{field(path, place, entry, 'task_group', object)}/{entry.get('task_id', index)}"
        columns = _measures(path, place, field(path, place, entry, "metrics", dict))
        for episode, values in enumerate(zip(*columns.values(), strict=True)):
            records.append(
                {"task": task, "episode": episode, **dict(zip(columns, values, strict=True))}
            )
            places.append(f"{place}, episode {episode}")
    return records, places


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


def _older(path: Path, content: object) -> tuple[list[dict[str, object]], list[str]]:
    records: list[dict[str, object]] = []
    places: list[str] = []
    for index, entry in enumerate(field(path, "", content, "per_episode", list)):
        place = f"per_episode[{index}]"
        field(path, place, entry, "success", object)
        measures = {ours: entry.get(theirs) for ours, theirs in OLDER.items()}
        episode = entry.get("episode_ix", index)
        records.append({"episode": episode, "seed": entry.get("seed"), **measures})
        places.append(place)
    return records, places

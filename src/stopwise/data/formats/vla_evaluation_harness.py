"""Results of vla-evaluation-harness: tasks with episodes, each with its metrics."""

from pathlib import Path

from stopwise.data.formats.json_file import field, load_json
from stopwise.data.formats.text_file import head
from stopwise.data.raw import RawTable, frame_of_records

__all__ = ["name", "read", "recognise"]

name = "vla-evaluation-harness"


def recognise(path: Path) -> bool:
    """Whether the JSON has tasks with episodes."""
    beginning = head(path)
    return beginning.lstrip().startswith("{") and all(
        f'"{key}"' in beginning for key in ("tasks", "episodes", "episode_id")
    )


def read(path: Path) -> RawTable:
    """Return every metric of each episode; success is the default score."""
    records: list[dict[str, object]] = []
    places: list[str] = []
    for index, task in enumerate(field(path, "", load_json(path), "tasks", list)):
        task_place = f"tasks[{index}]"
        task_name = field(path, task_place, task, "task", str)
        for number, episode in enumerate(field(path, task_place, task, "episodes", list)):
            place = f"{task_place}.episodes[{number}]"
            metrics = field(path, place, episode, "metrics", dict)
            field(path, f"{place}.metrics", metrics, "success", object)
            facts = {key: value for key, value in episode.items() if key != "metrics"}
            records.append({**facts, **metrics, "task": task_name})
            places.append(place)
    failed = sum(record.get("failure_reason") not in (None, "") for record in records)
    note = f"{path}: {failed} episodes state a failure_reason and count as they were scored"
    return RawTable(
        source=str(path),
        frame=frame_of_records(records),
        place=places.__getitem__,
        roles={"task": "task", "score": "success", "success": "success", "trial": "episode_id"},
        bounds={"success": (0.0, 1.0)},
        notes=(note,) if failed else (),
    )

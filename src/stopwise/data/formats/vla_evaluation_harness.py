"""Results of vla-evaluation-harness: tasks with episodes, each with its metrics."""

from pathlib import Path

from stopwise.data.formats.json_file import field, load_json
from stopwise.data.formats.text_file import head
from stopwise.data.raw import RawTable, frame_of_records
from stopwise.messages import Message, Setting

__all__ = ["name", "read", "recognise"]

name = "vla-evaluation-harness"


def recognise(path: Path) -> bool:
    """Whether the JSON has tasks with episodes."""
    beginning = head(path)
    return beginning.lstrip().startswith("{") and all(
        f'"{key}"' in beginning for key in ("tasks", "episodes", "episode_id")
    )


def read(path: Path) -> RawTable:
    """Return every metric of each episode; success is the default score where there is one.

    An episode with a failure_reason ended by a lost connection or the like; the harness itself
    leaves it out of its metrics, and so does this.
    """
    records: list[dict[str, object]] = []
    places: list[str] = []
    broken = 0
    for index, task in enumerate(field(path, "", load_json(path), "tasks", list)):
        task_place = f"tasks[{index}]"
        task_name = field(path, task_place, task, "task", str)
        for number, episode in enumerate(field(path, task_place, task, "episodes", list)):
            place = f"{task_place}.episodes[{number}]"
            metrics = field(path, place, episode, "metrics", dict)
            if episode.get("failure_reason"):
                broken += 1
                continue
            facts = {key: value for key, value in episode.items() if key != "metrics"}
            records.append({**facts, **metrics, "task": task_name})
            places.append(place)
    frame = frame_of_records(records)
    roles = {"task": "task", "trial": "episode_id", "block": "episode_id"}
    if "success" in frame.columns:
        roles |= {"score": "success", "success": "success"}
    notes = [
        Message(
            f"{path}: episodes of the same number are taken to start alike, since the harness "
            "starts them from the same state or seed; if they do not, use ",
            Setting("design", "independent"),
            code="episodes-start-alike",
        )
    ]
    if broken:
        text = f"{path}: {broken} episodes with a failure_reason (interrupted, not failed) left out"
        notes.append(Message(text, code="interrupted-left-out"))
    return RawTable(
        source=str(path),
        frame=frame,
        place=places.__getitem__,
        roles=roles,
        bounds={"success": (0.0, 1.0)},
        notes=tuple(notes),
    )

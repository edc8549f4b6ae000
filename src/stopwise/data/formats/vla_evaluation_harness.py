"""Results of vla-evaluation-harness: tasks with episodes, each with its metrics."""

from pathlib import Path

from stopwise.data.formats.json_file import field, has_keys, load_json
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.messages import Notes, Setting, counted

name = "vla-evaluation-harness"


def recognise(path: Path) -> bool:
    """Whether the JSON has tasks with episodes."""
    return has_keys(path, "tasks", "episodes", "episode_id")


def read(path: Path) -> RawTable:
    """Return every metric of each episode; success is the default score where there is one.

    An episode with a failure_reason ended by a lost connection or the like; the harness itself
    leaves it out of its metrics, and so does this.
    """
    found: list[tuple[str, dict[str, object]]] = []
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
            found.append((place, {**facts, **metrics, "task": task_name}))
    roles = {"task": "task", "trial": "episode_id", "block": "episode_id"}
    if any("success" in record for _, record in found):
        roles |= {"score": "success", "success": "success"}
    notes = Notes()
    notes.add(
        f"{path}: episodes with the same number are assumed to start from the same state, since "
        "the harness takes state or seed from the number; if they do not, use ",
        Setting("design", "independent"),
        code="episodes-start-alike",
    )
    if broken:
        interrupted = (
            f"{counted(broken, 'episode')} with a failure_reason (interrupted, not failed)"
        )
        notes.add(f"{path}: {interrupted} left out", code="interrupted-left-out")
    return table_of_records(path, found, roles=roles, bounds={"success": UNIT}, notes=notes)

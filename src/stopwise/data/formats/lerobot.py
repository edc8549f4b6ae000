"""LeRobot's eval_info.json: lists per task, or records per episode, however deep they stand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stopwise.data.formats.json_file import field, load_json
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes, Setting

name = "lerobot"
# Names of the measures in lists per task and in records per episode.
MEASURES = {"success": "successes", "sum_rewards": "sum_rewards", "max_rewards": "max_rewards"}
OF_EPISODE = {"success": "success", "sum_rewards": "sum_reward", "max_rewards": "max_reward"}
SUMS = frozenset({"per_group", "overall", "aggregated"})

Found = tuple[str, dict[str, object]]


def recognise(head: Head) -> bool:
    """Whether the JSON has lists per task or records per episode."""
    return (
        head.has_keys("per_task", "metrics")
        or head.has_keys("per_task", "successes")
        or head.has_keys("per_episode", "episode_ix")
    )


def read(head: Head) -> RawTable:
    """Return success (the default score), sum_rewards and max_rewards of each episode."""
    path = head.path
    content = load_json(head)
    if isinstance(content, dict) and "per_task" in content:
        field(path, "", content, "per_task", list)
    elif not isinstance(content, dict):
        raise InvalidInput(f"{path}: must be an object, but got a list")
    episodes = list(_episodes(path, content, "", None))
    seeds = any(record.get("seed") is not None for _, record in episodes)
    roles, notes = {"score": "success", "success": "success", "trial": "episode"}, Notes()
    if any("task" in record for _, record in episodes):
        roles["task"] = "task"
    if seeds:
        roles["block"] = "seed"
    else:
        notes.add(
            "lerobot files of this version hold no seeds: if the runs used the same seed, "
            "episodes with the same number start from the same state; say so with ",
            Setting("columns", {"block": "episode"}),
            code="no-seeds",
        )
    return table_of_records(path, episodes, roles=roles, bounds={"success": UNIT}, notes=notes)


def _episodes(path: Path, node: Any, place: str, task: str | None) -> Iterator[Found]:
    """Yield the episodes of everything below a node, with the task above them."""
    if isinstance(node, list):
        for index, inner in enumerate(node):
            where = f"{place}[{index}]"
            if place.endswith("per_task"):
                group = field(path, where, inner, "task_group", object)
                yield from _episodes(path, inner, where, f"{group}/{inner.get('task_id', index)}")
            elif isinstance(inner, dict):
                yield from _episodes(path, inner, where, task)
        return
    if "successes" in node:
        yield from _of_lists(path, place, node, task)
        return
    if place.endswith(".metrics") and "per_episode" not in node:
        field(path, place, node, "successes", list)
    if "per_episode" in node:
        yield from _of_records(path, place, field(path, place, node, "per_episode", list), task)
        return
    for key, inner in node.items():
        if isinstance(inner, dict | list) and key not in SUMS:
            yield from _episodes(path, inner, f"{place}.{key}".lstrip("."), task)


def _of_lists(path: Path, place: str, node: dict[str, Any], task: str | None) -> Iterator[Found]:
    columns = {
        ours: field(path, place, node, theirs, list)
        for ours, theirs in MEASURES.items()
        if theirs in node
    }
    lengths = {MEASURES[ours]: len(values) for ours, values in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(f"{path}, {place}: lists must be equally long, but got {lengths}")
    about: dict[str, object] = {} if task is None else {"task": task}
    for episode, values in enumerate(zip(*columns.values(), strict=True)):
        measures = dict(zip(columns, values, strict=True))
        # Of a loop that runs batches of all policies with the same seeds.
        batch = {"batch_episode": f"{path.parent.name} {episode}"}
        where = f"{place.removesuffix('.metrics')}, episode {episode}"
        yield where, {**about, "episode": episode, **batch, **measures}


def _of_records(path: Path, place: str, entries: list[Any], task: str | None) -> Iterator[Found]:
    about: dict[str, object] = {} if task is None else {"task": task}
    for index, entry in enumerate(entries):
        where = f"{place}.per_episode[{index}]".lstrip(".")
        field(path, where, entry, "success", object)
        measures = {ours: entry.get(theirs) for ours, theirs in OF_EPISODE.items()}
        episode = entry.get("episode_ix", index)
        yield where, {**about, "episode": episode, "seed": entry.get("seed"), **measures}

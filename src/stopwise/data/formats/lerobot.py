"""LeRobot's eval_info.json: lists per task, or records per episode, however deep they stand."""

import re
from typing import Any

from stopwise.data.formats.json_table import trials_in
from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import require
from stopwise.messages import Notes, Setting

name = "lerobot"
KEYS = ("per_task", "metrics"), ("per_task", "successes"), ("per_episode", "episode_ix")
# Names of the measures in lists per task and in records per episode.
MEASURES = {
    "success": ("success", "successes"),
    "sum_rewards": ("sum_reward", "sum_rewards"),
    "max_rewards": ("max_reward", "max_rewards"),
}
IN_LIST = re.compile(r"(?P<place>.*?)(\.metrics)?\.(?P<name>\w+)\[(?P<episode>\d+)\]")


def recognise(head: Head) -> bool:
    """Whether the JSON has lists per task or records per episode."""
    return any(head.has_keys(*keys) for keys in KEYS)


def read(head: Head) -> RawTable:
    """Return success (the default score), sum_rewards and max_rewards of each episode."""
    path = head.path
    episodes: list[tuple[str, dict[str, Any]]] = []
    for placed in trials_in(head):
        record, place = {**placed.record}, placed.place
        known: dict[str, Any] = {}
        if "task_group" in record:
            known["task"] = f"{record['task_group']}/{record.get('task_id', 0)}"
        listed = IN_LIST.fullmatch(place) if "score" in record else None
        if listed is not None:
            place, episode = (
                f"{listed['place']}, episode {listed['episode']}",
                int(listed["episode"]),
            )
            record[listed["name"]] = record["score"]
            # Of a loop that runs batches of all policies with the same seeds.
            known |= {"episode": episode, "batch_episode": f"{path.parent.name} {episode}"}
        else:
            known |= {
                "episode": record.get("episode_ix", len(episodes)),
                "seed": record.get("seed"),
            }
        measures = {
            ours: record[theirs]
            for ours, both in MEASURES.items()
            for theirs in both
            if theirs in record
        }
        require("success" in measures, f"{path}, {place}: the success of the episode is missing")
        episodes.append((place, {**known, **measures}))
    roles, notes = {"score": "success", "success": "success", "trial": "episode"}, Notes()
    if any("task" in record for _, record in episodes):
        roles["task"] = "task"
    if any(record.get("seed") is not None for _, record in episodes):
        roles["block"] = "seed"
    else:
        notes.add(
            "lerobot files of this version hold no seeds: if the runs used the same seed, "
            "episodes with the same number start from the same state; say so with ",
            Setting("columns", {"block": "episode"}),
            code="no-seeds",
        )
    return table_of_records(path, episodes, roles=roles, bounds={"success": UNIT}, notes=notes)

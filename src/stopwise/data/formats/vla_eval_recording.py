"""The recording-*.sqlite that vla-evaluation-harness writes while it runs."""

import json
import sqlite3
from contextlib import closing

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput
from stopwise.messages import Notes, counted

name = "vla-eval-recording"
MAGIC = b"SQLite format 3\0"
EPISODES = (
    "SELECT eval_id, task_name, episode_id, status, metrics, steps, elapsed_sec, failure_reason "
    "FROM episode_results ORDER BY rowid"
)


def recognise(head: Head) -> bool:
    """Whether it is a database with a table of episodes."""
    return head.start.startswith(MAGIC) and b"episode_results" in head.start


def read(head: Head) -> RawTable:
    """Return every metric of each finished episode; those that ended by an error are left out."""
    path, notes, broken = head.path, Notes(), 0
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            rows = database.execute(EPISODES).fetchall()
    except sqlite3.Error as error:
        raise InvalidInput(f"{path}: cannot be read as a recording: {error}") from error
    records: list[tuple[str, dict[str, object]]] = []
    for run, task, episode, status, metrics, steps, seconds, reason in rows:
        if reason or status == "error":
            broken += 1
            continue
        facts = {"eval_id": run, "task": task, "episode_id": episode, "steps": steps}
        place = f"task {task!r}, episode {episode}"
        try:
            measured = json.loads(metrics or "{}")
        except json.JSONDecodeError as error:
            raise InvalidInput(f"{path}, {place}: the metrics are not valid JSON") from error
        success = measured.pop("success", status == "success")
        record = {**facts, "elapsed_sec": seconds, "success": success, **measured}
        records.append((place, record))
    if broken:
        text = f"{counted(broken, 'episode')} with an error (interrupted, not failed) left out"
        notes.add(f"{path}: {text}", code="interrupted-left-out")
    roles = {"task": "task", "trial": "episode_id", "block": "episode_id"}
    roles |= {"score": "success", "success": "success"}
    return table_of_records(path, records, roles=roles, bounds={"success": UNIT}, notes=notes)

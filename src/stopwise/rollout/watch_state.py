"""What a watch has looked at, as a file: so that the next one sees whether the past has changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.editions import other_format
from stopwise.errors import InvalidState
from stopwise.files import replace_file

KIND, VERSION = "stopwise watch", 1


@dataclass(frozen=True, kw_only=True)
class WatchedTask:
    """What was looked at of a task."""

    rules: Mapping[str, Any]  # what was declared
    rows: Floats  # trials by their number and policy; NaN where none was looked at
    # Rows that were seen when policies joined, in the order in which they did.
    joined: Mapping[str, int] = field(default_factory=dict)


def read_watch_state(path: Path) -> dict[str, WatchedTask]:
    """Trials looked at, by task; empty if there is no file yet."""
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_bytes())
        known, version = document["kind"] == KIND, document["version"]
        tasks = (
            {task: _watched(**watched) for task, watched in document["tasks"].items()}
            if known
            else {}
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidState(f"{path}: this is not a watch state, or it is damaged") from error
    if not known:
        raise InvalidState(f"{path}: this is not a watch state")
    refusal = other_format(f"{path}: this watch state was written", version, VERSION)
    if refusal is not None:
        raise InvalidState(refusal)
    return tasks


def write_watch_state(path: Path, tasks: Mapping[str, WatchedTask]) -> None:
    """Replace the file in one step: a crash leaves the old one or the new one."""
    content = {
        task: {
            "rules": dict(watched.rules),
            "rows": watched.rows.tolist(),
            "joined": dict(watched.joined),
        }
        for task, watched in tasks.items()
    }
    replace_file(
        path, (json.dumps({"kind": KIND, "version": VERSION, "tasks": content}) + "\n").encode()
    )


def _watched(rules: dict[str, Any], rows: list[list[float]], joined: dict[str, int]) -> WatchedTask:
    return WatchedTask(
        rules=rules,
        rows=np.array(rows, dtype=float).reshape(len(rows), len(rules["policies"])),
        joined={str(name): int(row) for name, row in joined.items()},
    )

"""What a watch has looked at, as a file: so that the next one sees whether the past has changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.snapshot import other_format
from stopwise.errors import InvalidState
from stopwise.files import replace_file

KIND, VERSION = "stopwise watch", 1


@dataclass(kw_only=True)
class Past:
    """What was looked at of a task."""

    rules: Mapping[str, Any]  # what was declared
    rows: Floats  # trials by their number and policy; NaN where none was looked at
    # Rows that were seen when policies joined, in the order in which they did.
    joined: dict[str, int] = field(default_factory=dict)

    @property
    def policies_at_first(self) -> list[str]:
        """The policies that were in the files at the first look."""
        rules = self.rules
        # A reference is written down among the policies, but no file has it.
        others = {*rules.get("later", ()), rules["baseline"] if "reference" in rules else None}
        others.update(rules.get("stored", ()))
        return [name for name in rules["policies"] if name not in others]


def read_watch_state(path: Path) -> dict[str, Past]:
    """Trials looked at, by task; empty if there is no file yet."""
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_bytes())
        if document["kind"] != KIND:
            raise ValueError
        refusal = other_format(
            f"{path}: this watch state was written", document["version"], VERSION
        )
        tasks = (
            {}
            if refusal
            else {task: _past(**watched) for task, watched in document["tasks"].items()}
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidState(f"{path}: this is not a watch state, or it is damaged") from error
    if refusal is not None:
        raise InvalidState(refusal)
    return tasks


def write_watch_state(path: Path, tasks: Mapping[str, Past]) -> None:
    """Replace the file in one step: a crash leaves the old one or the new one."""
    content = {
        task: {"rules": dict(past.rules), "rows": past.rows.tolist(), "joined": past.joined}
        for task, past in tasks.items()
    }
    document = {"kind": KIND, "version": VERSION, "tasks": content}
    replace_file(path, (json.dumps(document) + "\n").encode())


def _past(rules: dict[str, Any], rows: list[list[float]], joined: dict[str, int]) -> Past:
    return Past(
        rules=rules,
        rows=np.array(rows, dtype=float).reshape(len(rows), len(rules["policies"])),
        joined={str(name): int(row) for name, row in joined.items()},
    )

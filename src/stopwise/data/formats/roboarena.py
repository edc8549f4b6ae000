"""RoboArena dumps: one folder per session, each with a metadata.yaml."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from stopwise.data.formats.text_file import Head
from stopwise.data.preferences import share_preferred
from stopwise.data.raw import UNIT, RawTable, table_of_records
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes, counted

name = "roboarena"
SESSIONS = "evaluation_sessions"
METADATA = "metadata.yaml"
JUDGED = ("A", "B")


def recognise(head: Head) -> bool:
    """Whether it is a dump, its folder of sessions, or the metadata of one session."""
    if head.path.name == METADATA:
        return "policies:" in head.beginning
    return head.path.is_dir() and next(_files(head.path), None) is not None


def read(head: Head) -> RawTable:
    """Return the measures of each trial; the evaluator prefers one of A and B, or neither."""
    path = head.path
    files = [path] if path.is_file() else sorted(_files(path))
    trials: list[tuple[str, dict[str, object]]] = []
    notes, empty = Notes(), 0
    for file in files:
        content = _content(file)
        _require(file, "the session", content, "policies")
        policies = content["policies"]
        plain = {k: v for k, v in content.items() if isinstance(v, str | int | float | date)}
        preferred = str(plain.pop("preference", ""))
        within = file.relative_to(path) if path.is_dir() else file.name
        for letter, trial in policies.items():
            if trial is None:
                empty += 1
                continue
            place = f"policies.{letter}"
            _require(file, place, trial, "policy_name")
            _require(file, place, trial, "partial_success")
            facts = {**plain, **trial, "task": name, "session": file.parent.name}
            if letter in JUDGED:
                other = JUDGED[letter == JUDGED[0]]
                facts["preference"] = share_preferred(preferred, other, letter)
            trials.append((f"{within}, {place}", facts))
    sessions = f"{path}: {counted(len(files), 'session')}, sorted by the names of their folders"
    notes.add(sessions, code="sessions-sorted")
    if empty:
        without = f"{path}: {counted(empty, 'policy')} without a trial in a session skipped"
        notes.add(without, code="empty-policies")
    success = {"score": "partial_success", "success": "binary_success"}
    return table_of_records(
        path,
        trials,
        roles={"task": "task", "policy": "policy_name", **success, "block": "session"},
        bounds=dict.fromkeys(("partial_success", "binary_success", "preference"), UNIT),
        notes=notes,
        preferences="preference",
    )


def _files(folder: Path) -> Iterator[Path]:
    inner = folder / SESSIONS
    return (inner if inner.is_dir() else folder).glob(f"*/{METADATA}")


def _require(file: Path, place: str, record: object, key: str) -> None:
    has_it = isinstance(record, dict) and key in record
    require(has_it, f"{file}, {place}: the field {key!r} is missing")


def _content(file: Path) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the fast one needs a C library
    try:
        return yaml.load(file.read_text(encoding="utf-8"), Loader=loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "unreadable"
        text = f"{file}{line}: not valid YAML ({problem}); it may be cut off"
        raise InvalidInput(text) from error

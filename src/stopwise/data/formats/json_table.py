"""Plain JSON: an array of records, or scores and records by task and policy."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from stopwise.data.formats.json_file import load_json
from stopwise.data.formats.text_file import head
from stopwise.data.frames import raw_of_array, raw_of_arrays
from stopwise.data.raw import RawTable, table_of_records
from stopwise.data.roles import ROLE_NAMES, names_scores, usual_name, usual_role
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Notes, Setting

name = "json"
# Names of lists that hold the results, and say neither task nor policy.
WRAPPERS = frozenset(
    {"data", "episodes", "evaluations", "records", "results", "rollouts", "trials"}
)
KEY = "key{}"

Record = dict[str, object]


def recognise(path: Path) -> bool:
    """Whether it begins as JSON does, and is not one object per line."""
    lines = [line for line in head(path).splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith(("[", "{")):
        return False
    try:
        first = json.loads(lines[0])
    except json.JSONDecodeError:
        return True
    nested = isinstance(first, dict) and any(isinstance(v, dict | list) for v in first.values())
    return isinstance(first, list) or (nested and len(lines) == 1)


def read(path: Path) -> RawTable:
    """Return all fields of all records; names under which records stand become columns."""
    content = load_json(path)
    if _is_scores(content):
        return raw_of_array(np.asarray(content), str(path))
    if isinstance(content, list) and content and all(_is_scores(row) for row in content):
        return raw_of_array(_array(path, content), str(path))
    inner = _unwrapped(content)
    if isinstance(inner, dict) and inner and _is_columns(inner):
        return raw_of_arrays(inner, {}, str(path))
    found = list(_records(content, (), {}, ""))
    if not found:
        raise InvalidInput(f"{path}: there are no records or lists of scores in it")
    records = [record for _, _, record in found]
    depth = max(len(keys) for keys, _, _ in found)
    roles, notes = _roles(path, records, depth)
    named = [
        (place, {**{KEY.format(i + 1): key for i, key in enumerate(keys)}, **record})
        for keys, place, record in found
    ]
    return table_of_records(path, named, roles=roles, bounds={}, notes=notes)


def _unwrapped(content: Any) -> Any:
    """Return what stands under "results" or the like, if nothing beside it is said of it."""
    if not isinstance(content, dict):
        return content
    held = [key for key, value in content.items() if _holds_results(value)]
    beside = any(usual_name(key) in ROLE_NAMES for key in content if key not in held)
    if len(held) == 1 and held[0].lower() in WRAPPERS and not beside:
        return content[held[0]]
    return content


def _is_scores(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(item, bool | int | float) for item in value)
    )


def _is_columns(content: dict[str, Any]) -> bool:
    """Whether the object holds lists of scores only, or the columns of a table."""
    if all(map(_is_scores, content.values())):
        return True
    plain = all(
        isinstance(value, list) and not any(isinstance(item, dict | list) for item in value)
        for value in content.values()
    )
    return plain and any(usual_name(key) in ROLE_NAMES for key in content)


def _array(path: Path, rows: list[Any]) -> "np.ndarray[Any, Any]":
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise InvalidInput(f"{path}: rows of scores must be equally long, but got {lengths}")
    return np.asarray(rows)


def _records(
    node: Any, keys: tuple[str, ...], shared: Record, place: str
) -> Iterator[tuple[tuple[str, ...], str, Record]]:
    """Yield every record with the keys above it; plain values beside a list hold for all of it."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            where = f"{place}[{index}]"
            if isinstance(item, dict):
                yield from _records(item, keys, shared, where)
            else:
                yield keys, where, {**shared, "score": item}
        return
    if not isinstance(node, dict):
        return
    scores = next((key for key in node if _is_scores(node[key]) and names_scores(key)), None)
    if scores is not None:
        n = len(node[scores])
        lists = {k: v for k, v in node.items() if isinstance(v, list) and len(v) == n}
        plain = {k: v for k, v in node.items() if not isinstance(v, list)}
        for index in range(n):
            entries = {key: values[index] for key, values in lists.items() if key != scores}
            record = {**shared, **plain, **entries, "score": node[scores][index]}
            yield keys, f"{place}.{scores}[{index}]".lstrip("."), record
        return
    inner = {key: value for key, value in node.items() if _holds_results(value)}
    own = {**shared, **{key: value for key, value in node.items() if key not in inner}}
    if not inner:
        yield keys, place or "the object", own
    for key, value in inner.items():
        deeper = keys if key.lower() in WRAPPERS else (*keys, key)
        yield from _records(value, deeper, own, f"{place}.{key}" if place else key)


def _holds_results(value: Any) -> bool:
    """Whether a value is a list of records or of scores, or an object of such."""
    if isinstance(value, dict):
        return any(isinstance(inner, dict | list) for inner in value.values())
    return _is_scores(value) or (
        isinstance(value, list) and len(value) > 0 and all(isinstance(v, dict) for v in value)
    )


def _roles(path: Path, records: list[Record], depth: int) -> tuple[dict[str, str], Notes]:
    """Return what the keys above the records mean: tasks, and below them policies."""
    known = {usual_name(field) for record in records for field in record} & ROLE_NAMES
    free = [role for role in ("task", "policy") if not any(usual_role(n, role) for n in known)]
    if depth == 0 or not free:
        return {}, Notes()
    roles = {role: KEY.format(i + 1) for i, role in enumerate(free[:depth])}
    meant = " and ".join(f"{key!r} the {role}" for role, key in roles.items())
    notes = Notes()
    notes.add(
        f"{path}: of the names under which the results stand, {meant} is assumed; choose with ",
        Setting("columns", {"policy": BLANK}),
        code="keys-assumed",
    )
    return roles, notes

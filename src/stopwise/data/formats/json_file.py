"""JSON files: loading, and taking fields out with one clear error."""

import json
from pathlib import Path
from typing import Any, TypeVar

from stopwise.data.formats.text_file import Head
from stopwise.errors import InvalidInput, require
from stopwise.messages import shortened

Value = TypeVar("Value")
JSON_TYPES: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


def load_json(head: Head) -> Any:
    """Return the content; bare NaN, which some tools write, is accepted."""
    try:
        return json.loads(head.text())
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{head.path}, line {error.lineno}, column {error.colno}: not valid JSON "
            f"({error.msg}); the file may be cut off"
        ) from error


def field(path: Path, place: str, record: object, key: str, kind: type[Value]) -> Value:
    """Return one field of a JSON object, or raise, naming its place."""
    where = f"{path}, {place}" if place else str(path)
    if not isinstance(record, dict):
        raise InvalidInput(f"{where}: must be an object, but got {shortened(record)}")
    require(key in record, f"{where}: the field {key!r} is missing")
    value = record[key]
    if not isinstance(value, kind):
        raise InvalidInput(
            f"{where}, field {key!r}: must be {JSON_TYPES.get(kind, kind.__name__)}, "
            f"but got {shortened(value)}"
        )
    return value

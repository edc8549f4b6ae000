"""JSON files: loading, and taking fields out with one clear error."""

import json
from pathlib import Path
from typing import Any, TypeVar

from stopwise.data.formats.text_file import head, text_of
from stopwise.errors import InvalidInput, require

Value = TypeVar("Value")
KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text"}


def has_keys(path: Path, *keys: str) -> bool:
    """Whether the file begins as a JSON object does, and all keys appear near its beginning."""
    beginning = head(path)
    return beginning.lstrip().startswith("{") and all(f'"{key}"' in beginning for key in keys)


def load_json(path: Path) -> Any:
    """Return the content; bare NaN, which some tools write, is accepted."""
    try:
        return json.loads(text_of(path))
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{path}, line {error.lineno}, column {error.colno}: not valid JSON ({error.msg}); "
            "the file may be cut off"
        ) from error


def field(path: Path, place: str, record: object, key: str, kind: type[Value]) -> Value:
    """Return one field of a JSON object, or raise, naming its place."""
    where = f"{path}, {place}" if place else str(path)
    if not isinstance(record, dict):
        raise InvalidInput(f"{where}: must be an object, but got {_shown(record)}")
    require(key in record, f"{where}: the field {key!r} is missing")
    value = record[key]
    if not isinstance(value, kind):
        raise InvalidInput(
            f"{where}, field {key!r}: must be {KINDS.get(kind, kind.__name__)}, "
            f"but got {_shown(value)}"
        )
    return value


def _shown(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."

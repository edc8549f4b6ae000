"""Exact text snapshots of states: JSON with a version and a digest."""

import hashlib
import json
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.errors import InvalidState

__all__ = ["dump", "encode_state", "load", "restore_state"]

Arrays = TypeVar("Arrays", bound=tuple[NDArray[Any], ...])


def dump(kind: str, version: int, content: dict[str, Any]) -> str:
    """Return the content as JSON text that names its kind and version and carries a digest."""
    return json.dumps(
        {"kind": kind, "version": version, "digest": _digest(content), "content": content}
    )


def load(kind: str, version: int, text: str) -> dict[str, Any]:
    """Return the content of a dumped text, or raise ``InvalidState`` naming what is wrong."""
    try:
        document = json.loads(text)
        found, found_version = document["kind"], document["version"]
        digest, content = document["digest"], document["content"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise InvalidState(f"this is not a saved {kind}: {error!r}") from error
    if found != kind:
        raise InvalidState(f"this is not a saved {kind}: it says {found!r}")
    if not isinstance(found_version, int) or found_version > version:
        raise InvalidState(
            f"this {kind} was saved in format {found_version!r}, but this stopwise reads formats "
            f"up to {version}: install a newer one"
        )
    if not isinstance(content, dict) or digest != _digest(content):
        raise InvalidState(f"this saved {kind} is damaged: its content does not match its digest")
    return content


def encode_state(state: tuple[NDArray[Any], ...]) -> list[Any]:
    """Return the arrays of a state as nested lists; floats survive exactly."""
    return [array.tolist() for array in state]


def restore_state(encoded: list[Any], template: Arrays) -> Arrays:
    """Return a state of the template's type and array types."""
    arrays = (
        np.array(values, dtype=like.dtype) for values, like in zip(encoded, template, strict=True)
    )
    return type(template)(*arrays)


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

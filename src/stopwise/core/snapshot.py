"""Exact text snapshots of states: JSON with a version and a digest."""

import hashlib
import json
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stopwise.errors import InvalidState

__all__ = ["dump", "encode_state", "load", "restore_array", "restore_state"]

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
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidState(f"this is not a saved {kind}: {error!r}") from error
    if found != kind:
        raise InvalidState(f"this is not a saved {kind}: it says {found!r}")
    if type(found_version) is not int or found_version < 1:
        raise InvalidState(f"this is not a saved {kind}: it has the format {found_version!r}")
    if found_version > version:
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


def restore_array(values: Any, like: NDArray[Any], *, free_last_axis: bool = False) -> NDArray[Any]:
    """Return an array of the same type and shape as the template, or raise ``ValueError``."""
    array = np.array(values, dtype=like.dtype)
    axes = slice(None, -1 if free_last_axis else None)
    fits = array.ndim == like.ndim and array.shape[axes] == like.shape[axes]
    if not fits or not np.isfinite(array).all():
        raise ValueError(f"an array of shape {array.shape} does not fit {like.shape}")
    return array


def restore_state(encoded: list[Any], template: Arrays, *, free_last_axis: bool = False) -> Arrays:
    """Return a state of the template's type, array types and shapes, or raise ``ValueError``."""
    pairs = zip(encoded, template, strict=True)
    return type(template)(
        *(restore_array(values, like, free_last_axis=free_last_axis) for values, like in pairs)
    )


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

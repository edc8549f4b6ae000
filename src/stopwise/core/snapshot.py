"""Text from which something goes on exactly: JSON with a version and a digest.

What was saved in another format, or with another edition of its method, is refused in one line.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

from stopwise.core.registry import edition_of
from stopwise.errors import InvalidState


class Resumable(ABC):
    """Something that is saved as text, and goes on from it identically."""

    _kind: ClassVar[str]
    _version: ClassVar[int] = 1

    def to_json(self) -> str:
        """Return settings and state as JSON text, from which it goes on exactly."""
        return dump(self._kind, self._version, self._content())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Restore from ``to_json``; it continues identically.

        Raises
        ------
        InvalidState
            If the text is damaged, is something else, or was saved in another format or with
            another edition of its method.
        """
        content = load(cls._kind, cls._version, text)
        try:
            return cls._resumed(content)
        except InvalidState:
            raise
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise InvalidState(f"this saved {cls._kind} does not fit together: {error}") from error

    @abstractmethod
    def _content(self) -> dict[str, Any]: ...

    @classmethod
    @abstractmethod
    def _resumed(cls, content: dict[str, Any]) -> Self: ...

    @classmethod
    def _require_edition(cls, method: str, content: dict[str, Any]) -> None:
        refusal = other_edition(method, content["edition"], f"this {cls._kind} was saved")
        if refusal is not None:
            raise InvalidState(refusal)


def dump(kind: str, version: int, content: dict[str, Any]) -> str:
    """Return the content as JSON text that names its kind and version and carries a digest."""
    return json.dumps(
        {"kind": kind, "version": version, "digest": _digest(content), "content": content}
    )


def load(kind: str, version: int, text: str) -> dict[str, Any]:
    """Return the content of a dumped text, or raise ``InvalidState`` naming what is wrong."""
    try:
        document = json.loads(text)
        kind_saved, found_version = document["kind"], document["version"]
        digest, content = document["digest"], document["content"]
    except KeyError as error:
        raise InvalidState(f"this is not a saved {kind}: it has no {error}") from error
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidState(f"this is not a saved {kind}: {error!r}") from error
    if kind_saved != kind:
        raise InvalidState(f"this is not a saved {kind}: it says {kind_saved!r}")
    refusal = other_format(f"this {kind} was saved", found_version, version)
    if refusal is not None:
        raise InvalidState(refusal)
    if not isinstance(content, dict) or digest != _digest(content):
        raise InvalidState(f"this saved {kind} is damaged: its content does not match its digest")
    return content


def kind_of(text: str) -> str | None:
    """Return the kind that a dumped text names, or None if it is something else."""
    try:
        return str(json.loads(text)["kind"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def other_format(begun: str, number: object, ours: int) -> str | None:
    """Why data of this format cannot be used, or None if it can."""
    if number == ours and type(number) is int:
        return None
    return _refusal(f"{begun} in format {number!r}", f"reads format {ours}", "continue")


def other_edition(
    method: str, edition: object, begun: str, *, version: str = "", go_on: str = "continue"
) -> str | None:
    """Why data of this edition cannot be used, or None if it can."""
    ours = edition_of(method)
    if edition == ours:
        return None
    return _refusal(
        f"{begun} with edition {edition} of {method}{version}", f"has edition {ours}", go_on
    )


def _refusal(begun: str, ours: str, go_on: str) -> str:
    return (
        f"{begun}, but this stopwise {ours}: {go_on} with the stopwise version it was started with"
    )

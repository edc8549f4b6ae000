"""The journal: facts in order, each bound to the one before by a hash.

An entry is stored as the exact text that was hashed. It begins with the hash of the entry before,
so that a changed, missing, added or moved entry shows. Order is by sequence number; the time is
only a remark, because clocks go backwards.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from stopwise.errors import InvalidState

__all__ = ["ORIGIN", "Draft", "Entry", "decode", "encode", "verified"]

ORIGIN = "0" * 64  # what stands before the first entry


@dataclass(frozen=True)
class Draft:
    """A fact that is to be entered: its kind and its content, plain JSON values."""

    kind: str
    content: dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A fact that was entered.

    Attributes
    ----------
    seq
        Its place, from 1 without gaps.
    time
        Seconds since 1970 by the store's clock, a remark only.
    who
        The name under which it was reported.
    key
        The reporter's idempotency key, or None: a report with a known key is not stored again.
    previous, hash
        SHA-256 of the text of the entry before, and of this one.
    """

    seq: int
    time: float
    who: str
    kind: str
    content: dict[str, Any]
    key: str | None
    previous: str
    hash: str


def encode(
    draft: Draft, *, study: str, seq: int, time: float, who: str, key: str | None, previous: str
) -> tuple[str, str]:
    """Return the text of an entry and its hash."""
    body = json.dumps(
        {
            "previous": previous,
            "study": study,
            "seq": seq,
            "time": time,
            "who": who,
            "key": key,
            "kind": draft.kind,
            "content": draft.content,
        },
        separators=(",", ":"),
        allow_nan=False,
    )
    return body, _hash(body)


def decode(body: str, digest: str) -> Entry:
    """Return the entry of a stored text."""
    try:
        found = json.loads(body)
        return Entry(
            seq=found["seq"],
            time=found["time"],
            who=found["who"],
            kind=found["kind"],
            content=found["content"],
            key=found["key"],
            previous=found["previous"],
            hash=digest,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidState(f"the journal is damaged: an entry cannot be read: {error!r}") from error


def verified(
    rows: Iterable[tuple[int, str, str]], *, seq: int = 0, previous: str = ORIGIN
) -> Iterator[tuple[int, str, str]]:
    """Pass on rows (seq, body, hash) after the given entry; raise at the first that does not fit.

    What is wrong is named with its sequence number; nothing is ever mended.
    """
    for number, body, digest in rows:
        seq += 1
        if number != seq:
            raise InvalidState(f"the journal is damaged: entry {seq} is missing")
        if _hash(body) != digest:
            raise InvalidState(f"the journal is damaged: entry {seq} was changed after it was made")
        if not body.startswith(f'{{"previous":"{previous}",'):
            raise InvalidState(
                f"the journal is damaged: entry {seq} does not follow entry {seq - 1}"
            )
        previous = digest
        yield number, body, digest


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()

"""The journal: events in order, each bound to the one before by a hash.

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
from stopwise.study.clock import Moment
from stopwise.study.event import ORIGIN, Event, read_event


@dataclass(frozen=True)
class Entry:
    seq: int  # its place, from 1 without gaps
    time: float  # seconds since 1970 by the store's clock, a remark only
    who: str  # the name under which it was reported
    event: Event
    key: str | None  # the reporter's: a report with a known key is not stored again
    previous: str  # SHA-256 of the text of the entry before
    hash: str  # and of this one
    boot: str = ""  # the machine that made it, and its uptime in seconds (see clock.py)
    uptime: float = 0.0

    @property
    def moment(self) -> Moment:
        return Moment(self.time, self.boot, self.uptime)

    @property
    def kind(self) -> str:
        return self.event.kind

    @property
    def content(self) -> dict[str, Any]:
        return self.event.stored()


def encode(
    event: Event, *, study: str, seq: int, moment: Moment, who: str, key: str | None, previous: str
) -> tuple[str, str]:
    body = json.dumps(
        {
            "previous": previous,
            "study": study,
            "seq": seq,
            "time": moment.time,
            **({"up": [moment.boot, moment.uptime]} if moment.boot else {}),
            "who": who,
            "key": key,
            "kind": event.kind,
            "content": event.stored(),
        },
        separators=(",", ":"),
        allow_nan=False,
    )
    return body, _hash(body)


def decode(body: str, digest: str) -> Entry:
    try:
        content = json.loads(body)
        boot, uptime = content.get("up", ("", 0.0))
        return Entry(
            seq=content["seq"],
            time=content["time"],
            who=content["who"],
            event=read_event(content["kind"], content["content"], f"entry {content['seq']}"),
            key=content["key"],
            previous=content["previous"],
            hash=digest,
            boot=boot,
            uptime=uptime,
        )
    except InvalidState:
        raise
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidState(f"the journal is damaged: an entry cannot be read: {error!r}") from error


def verified(
    rows: Iterable[tuple[int, str, str]], *, seq: int = 0, previous: str = ORIGIN
) -> Iterator[tuple[int, str, str]]:
    """Yield rows (seq, body, hash) after the given entry; raise at the first that does not fit.

    What is wrong is named with its sequence number; nothing is ever mended.
    """
    for number, body, digest in rows:
        seq += 1
        if number != seq:
            raise InvalidState(f"the journal is damaged: entry {seq} is missing")
        if _hash(body) != digest:
            raise InvalidState(
                f"the journal is damaged: entry {seq} was changed after it was written"
            )
        if not body.startswith(f'{{"previous":"{previous}",'):
            raise InvalidState(
                f"the journal is damaged: entry {seq} does not follow entry {seq - 1}"
            )
        previous = digest
        yield number, body, digest


def _hash(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()

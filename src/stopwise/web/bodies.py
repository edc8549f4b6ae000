"""Request and response bodies of the API that the study itself does not define."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from stopwise.study.access import Role
from stopwise.study.entries import Entry
from stopwise.study.lifecycle import TOKEN_DAYS
from stopwise.study.limits import NAME, Days, Name


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Failure(_Body):
    """The answer to every failed request."""

    error: str = Field(description="A code for programs.")
    detail: str = Field(description="What went wrong, for people.")


class Done(_Body):
    """The change is stored."""

    done: bool = True


class PlanStored(Done):
    """The plan is stored; ``notes`` say why no result could decide anything by n_max, if so."""

    notes: tuple[str, ...] = ()


class Health(_Body):
    """The server is up; ``ok`` says whether it can read and write the study, ``detail`` why not."""

    ok: bool
    version: str
    detail: str = ""


class Me(_Body):
    """Whose token this is."""

    role: str
    name: str


class JoinView(_Body):
    """Where to go after joining."""

    role: str
    page: str


class RecordingView(_Body):
    """The name of a recording that was stored."""

    recording: str


class PlanView(_Body):
    """The plan as text, its size and method in words (empty if it is invalid), and its hash."""

    text: str
    size: str
    method: str
    locked: bool
    digest: str | None


class NewTokenView(_Body):
    """A new token, shown only once, with its link and a QR code (an image source)."""

    token: str
    link: str
    qr: str


class EntryView(_Body):
    """One journal entry; whatever would reveal a trial's label is hidden until unblinding."""

    seq: int
    time: float
    who: str
    kind: str
    text: str
    content: dict[str, Any]
    hash: str

    @classmethod
    def of(cls, entry: Entry, *, blinded: bool) -> "EntryView":
        """Return an entry as its owner may see it."""
        event = entry.event
        same = {name: getattr(entry, name) for name in ("seq", "time", "who", "kind", "hash")}
        return cls(text=event.text(blinded=blinded), content=event.shown(blinded=blinded), **same)


class JournalView(_Body):
    """Part of the journal; ``more`` says whether further entries follow."""

    entries: list[EntryView]
    more: bool


class JoinRequest(_Body):
    """A token to exchange for a session cookie."""

    token: str = Field(min_length=1, max_length=NAME)


class PlanRequest(_Body):
    """The text of a ``study.yaml``."""

    text: str = Field(max_length=100_000)


class TokenRequest(_Body):
    """Who the token is for."""

    role: Role
    name: Name
    days: Days = TOKEN_DAYS

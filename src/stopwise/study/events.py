"""Everything that can happen in a study, one class per kind of entry in the journal.

Which label a trial has is blind, so that nobody voids a trial by its policy. So is how it went: the
evidence tells the scores of each label row by row, and beside them a score would tell the label.
A ``salt`` keeps the hash of an entry from being searched for what is blind in it.
"""

from typing import Any

from stopwise.errors import InvalidState
from stopwise.messages import counted
from stopwise.study.event import EVENT_KINDS, Blind, Event, Never, Open


class Created(Event, kind="created", says="study created"):
    study: Open[str]


class Locked(Event, kind="locked", says="plan locked, SHA-256 {digest:.16}…"):
    edition: Open[int]  # of the method
    stopwise: Open[str]  # its version
    plan: Blind[dict[str, Any]]
    digest: Open[str]  # SHA-256 of the plan
    commitment: Open[str]  # SHA-256 of the secret behind all random draws
    arms: Blind[tuple[str, ...]]  # the labels
    baseline: Blind[str | None]
    # Of policies that were tried before the study, by label: how many trials.
    stored_trials: Blind[dict[str, int] | None] = None


class Assigned(
    Event,
    kind="assigned",
    says="trial {trial} (code {code}) given to {station}",
):
    """A trial was handed out."""

    trial: Open[int]
    task: Open[str]
    row: Open[int]  # from 0
    arm: Blind[str]  # the label of its policy
    code: Open[str]
    condition: Open[str | None]
    station: Open[str]
    asked: Open[str | None] = None  # the task that the station asked for
    lease: Open[float]  # seconds until it may be handed out again
    salt: Blind[str | None] = None
    opens: Blind[tuple[str, ...] | None] = None  # the labels of the row, if this is its first trial


class Started(Event, kind="started", says="trial {trial} started"):
    trial: Open[int]
    lease: Open[float]


# The reasons by which a trial goes back that nobody gave back.
UNNEEDED = "no longer needed"
LAPSED = "its lease ran out"


class Released(Event, kind="released", says="trial {trial} given back"):
    trial: Open[int]
    reason: Open[str]
    score: Blind[float | None] = None


class Scored(Event, kind="scored"):
    trial: Open[int]
    score: Blind[float | None]
    answer: Blind[Any]
    note: Open[str] = ""
    tag: Blind[str | None] = None
    seconds: Blind[float | None] = None
    correction: Open[str | None] = None
    salt: Blind[str | None] = None

    def text(self, *, blinded: bool) -> str:
        words = [f"trial {self.trial} {'scored' if self.correction is None else 'rescored'}"]
        if self.score is None:
            words = [f"trial {self.trial} run"]
        elif not blinded:
            words.append(f"{self.score:.3g}")
        if not blinded:
            words += [] if self.seconds is None else [f"after {self.seconds:.0f} s"]
            words += [f"[{self.tag}]"] if self.tag else []
        return " ".join([*words, f"“{self.note}”"] if self.note else words)


class Undone(Event, kind="undone", says="score of trial {trial} withdrawn"):
    trial: Open[int]
    reason: Open[str]
    lease: Open[float]


class Voided(Event, kind="voided", says="trial {trial} voided"):
    trial: Open[int]
    reason: Open[str]
    redraw: Open[bool]


class Imported(Event, kind="imported"):
    task: Open[str]
    rows: Blind[tuple[dict[str, float], ...]]  # scores by label
    source: Open[str]
    reason: Open[str]
    again: Open[bool] = False  # other trials than those imported before, whatever their scores

    @property
    def trials(self) -> int:
        """How many trials these are."""
        return sum(map(len, self.rows))

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        return f"{counted(len(self.rows), 'row')} imported for {self.task}"


class Amended(Event, kind="amended"):
    reason: Open[str]
    changes: Open[dict[str, Any]]

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        changes = ", ".join(f"{name} = {value}" for name, value in self.changes.items())
        return f"{f'amended {changes}' if changes else 'remark'}: {self.reason}"


class Unblinded(Event, kind="unblinded", says="unblinded"):
    names: Blind[dict[str, str]]
    secret: Blind[str]
    reason: Open[str]


class TokenCreated(Event, kind="token created", says="token created for {name} ({role})"):
    token: Open[str]  # its id
    role: Open[str]
    name: Open[str]
    digest: Never[str]  # SHA-256 of the token itself
    expires: Open[float | None] = None  # the time after which it is void


class TokenRevoked(Event, kind="token revoked", says="token {token} revoked"):
    token: Open[str]


_UNKNOWN = "which this version of stopwise does not know: upgrade stopwise"


def read_event(kind: str, content: dict[str, Any], place: str) -> Event:
    cls = EVENT_KINDS.get(kind)
    if cls is None:
        raise InvalidState(f"{place} is of kind {kind!r}, {_UNKNOWN}")
    unknown = [name for name in content if name not in cls.visibility]
    if unknown:
        raise InvalidState(f"{place} ({kind}) has the field {unknown[0]!r}, {_UNKNOWN}")
    if len(content) < len(cls.types):
        raise InvalidState(f"the journal is damaged: {place} ({kind}) is incomplete")
    values = {}
    for name, value in content.items():
        types = cls.types[name]
        if not isinstance(value, types):
            raise InvalidState(f"the journal is damaged: {place} ({kind}) has {name} = {value!r}")
        values[name] = tuple(value) if isinstance(value, list) and tuple in types else value
    return cls(**values)

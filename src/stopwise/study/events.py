"""Everything that can happen in a study, one class per kind of entry in the journal.

Which label a trial has is blind, so that nobody voids a trial by its policy. So is how it went: the
evidence tells the scores of each label row by row, and beside them a score would tell the label.
"""

from dataclasses import dataclass
from typing import Any

from stopwise.study.event import Blind, Event, Never, Open, read_event

__all__ = [
    "Amended",
    "Assigned",
    "Created",
    "Event",
    "Imported",
    "Locked",
    "Released",
    "Scored",
    "Started",
    "TokenCreated",
    "TokenRevoked",
    "Unblinded",
    "Undone",
    "Voided",
    "read_event",
]


@dataclass(frozen=True, kw_only=True)
class Created(Event, kind="created"):
    """The study was made; ``format`` is that of its journal."""

    study: Open[str]
    format: Open[int]

    def _sentence(self) -> str:
        return "study created"


@dataclass(frozen=True, kw_only=True)
class Locked(Event, kind="locked", left_out=("edition", "stopwise")):
    """The plan was frozen, and the labels were drawn.

    Attributes
    ----------
    edition, stopwise
        The edition of the method, and the version of stopwise; None before they were written down.
    digest
        SHA-256 of the plan.
    commitment
        SHA-256 of the secret behind all random draws.
    arms, baseline
        The labels, and that of the baseline.
    """

    edition: Open[int | None] = None
    stopwise: Open[str | None] = None
    plan: Blind[dict[str, Any]]
    digest: Open[str]
    commitment: Open[str]
    arms: Blind[tuple[str, ...]]
    baseline: Blind[str | None]

    @property
    def locked_with(self) -> dict[str, int | str]:
        """The edition and the version, as far as they were written down."""
        found = {"edition": self.edition, "stopwise": self.stopwise}
        return {name: value for name, value in found.items() if value is not None}

    def _sentence(self) -> str:
        return f"plan locked, SHA-256 {self.digest[:16]}…"


@dataclass(frozen=True, kw_only=True)
class Assigned(Event, kind="assigned", left_out=("salt", "opens")):
    """A trial was handed out.

    Attributes
    ----------
    row
        From 0.
    arm
        The label of its policy.
    asked
        The task that the station asked for, or None.
    lease
        Seconds until it may be handed out again.
    salt
        Keeps the hash of the entry from being searched for the label.
    opens
        The labels of the row, if this is its first trial.
    """

    trial: Open[int]
    task: Open[str]
    row: Open[int]
    arm: Blind[str]
    code: Open[str]
    condition: Open[str | None]
    station: Open[str]
    asked: Open[str | None] = None
    lease: Open[float]
    salt: Blind[str | None] = None
    opens: Blind[tuple[str, ...] | None] = None

    def _sentence(self) -> str:
        return f"trial {self.trial} (code {self.code}) given to {self.station}"


@dataclass(frozen=True, kw_only=True)
class Started(Event, kind="started"):
    """A trial began, or still runs: its lease begins anew."""

    trial: Open[int]
    lease: Open[float]

    def _sentence(self) -> str:
        return f"trial {self.trial} started"


@dataclass(frozen=True, kw_only=True)
class Released(Event, kind="released"):
    """A trial was given back without a score."""

    trial: Open[int]
    reason: Open[str]

    def _sentence(self) -> str:
        return _because(f"trial {self.trial} given back", self.reason)


@dataclass(frozen=True, kw_only=True)
class Scored(Event, kind="scored", left_out=("correction", "salt")):
    """A trial was scored; with a ``correction``, its reason, all but the score stays as reported.

    ``salt`` keeps the hash of the entry from being searched for the score.
    """

    trial: Open[int]
    score: Blind[float]
    answer: Blind[Any]
    note: Open[str] = ""
    tag: Blind[str | None] = None
    seconds: Blind[float | None] = None
    correction: Open[str | None] = None
    salt: Blind[str | None] = None

    def _sentence(self) -> str:
        return self._worded()

    def _sentence_unblinded(self) -> str:
        seconds = [] if self.seconds is None else [f"after {self.seconds:.0f} s"]
        tag = [f"[{self.tag}]"] if self.tag else []
        return self._worded(f"{self.score:.3g}", *seconds, *tag)

    def _worded(self, *outcome: str) -> str:
        what = f"trial {self.trial} {'scored' if self.correction is None else 'rescored'}"
        note = [f"“{self.note}”"] if self.note else []
        return " ".join([what, *outcome, *note])

    def _is_left_out(self, name: str) -> bool:
        if name in ("note", "tag", "seconds"):
            return self.correction is not None
        return super()._is_left_out(name)


@dataclass(frozen=True, kw_only=True)
class Undone(Event, kind="undone"):
    """A score was withdrawn, to be entered again within the lease."""

    trial: Open[int]
    reason: Open[str]
    lease: Open[float]

    def _sentence(self) -> str:
        return _because(f"score of trial {self.trial} withdrawn", self.reason)


@dataclass(frozen=True, kw_only=True)
class Voided(Event, kind="voided"):
    """A trial does not count; its place is tried again (``redraw``) or stays empty."""

    trial: Open[int]
    reason: Open[str]
    redraw: Open[bool]

    def _sentence(self) -> str:
        return _because(f"trial {self.trial} voided", self.reason)


@dataclass(frozen=True, kw_only=True)
class Imported(Event, kind="imported", left_out=("again",)):
    """Trials of one task that were run elsewhere; ``rows`` are scores by label.

    ``again`` says that they are other trials than those imported before, whatever their scores.
    """

    task: Open[str]
    rows: Blind[tuple[dict[str, float], ...]]
    source: Open[str]
    reason: Open[str]
    again: Open[bool] = False

    @property
    def trials(self) -> int:
        """How many trials these are."""
        return sum(map(len, self.rows))

    def _sentence(self) -> str:
        return f"{len(self.rows)} row{'' if len(self.rows) == 1 else 's'} imported for {self.task}"


@dataclass(frozen=True, kw_only=True)
class Amended(Event, kind="amended"):
    """Something was changed, or only remarked, after the lock."""

    reason: Open[str]
    changes: Open[dict[str, Any]]

    def _sentence(self) -> str:
        changes = ", ".join(f"{name} = {value}" for name, value in self.changes.items())
        return _because(f"amended {changes}" if changes else "remark", self.reason)


@dataclass(frozen=True, kw_only=True)
class Unblinded(Event, kind="unblinded"):
    """The policies' names by label were revealed, with the secret behind all random draws."""

    names: Blind[dict[str, str]]
    secret: Blind[str]
    reason: Open[str]

    def _sentence(self) -> str:
        return _because("unblinded", self.reason)


@dataclass(frozen=True, kw_only=True)
class TokenCreated(Event, kind="token created"):
    """A token was made; ``token`` is its id, ``digest`` the SHA-256 of the token itself."""

    token: Open[str]
    role: Open[str]
    name: Open[str]
    digest: Never[str]

    def _sentence(self) -> str:
        return f"token created for {self.name} ({self.role})"


@dataclass(frozen=True, kw_only=True)
class TokenRevoked(Event, kind="token revoked"):
    """A token, named by its id, is void."""

    token: Open[str]

    def _sentence(self) -> str:
        return f"token {self.token} revoked"


def _because(text: str, reason: str) -> str:
    return f"{text}: {reason}" if reason else text

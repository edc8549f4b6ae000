"""What the API answers besides a study's own trials, status and verdict."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field

from stopwise.questions import QUESTIONS
from stopwise.questions.analysis import Analysis
from stopwise.study.entries import Entry


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @classmethod
    def showing(cls, source: object, **other: Any) -> Self:
        """Return the attributes of the source that have the names of fields, and other values."""
        same = {name: getattr(source, name) for name in cls.model_fields if name not in other}
        return cls(**same, **other)


class Failure(_Answer):
    """The answer to every failed request."""

    error: str = Field(description="A code for programs.")
    detail: str = Field(description="What went wrong, for people.")


class Done(_Answer):
    """The change is stored."""

    done: bool = True


class PlanStored(Done):
    """The plan is stored; ``notes`` say why no result could decide anything by n_max, if so."""

    notes: tuple[str, ...] = ()


class Health(_Answer):
    """The server is up; ``ok`` says whether it can read and write the study, ``detail`` why not."""

    ok: bool
    version: str
    detail: str = ""


class Me(_Answer):
    """Whose token this is."""

    role: str
    name: str


class JoinView(_Answer):
    """Where to go after joining."""

    role: str
    page: str


class RecordingView(_Answer):
    """The name of a recording that was stored."""

    recording: str


class CurveView(_Answer):
    """A pair's running p-value against the number of pairs of trials."""

    label: str
    n: list[int]
    p_value: list[float]


class PairView(_Answer):
    """One pair: which is better, the p-value, and the interval for mean 1 - mean 0."""

    policy0: str
    policy1: str
    better: str | None
    implied: bool
    n: int
    p_value: float
    log_e: float | None
    low: float
    high: float
    interval_level: float
    chance: float | None = None
    futile: bool = False
    finding: str | None = None
    curve: CurveView


class PolicyView(_Answer):
    """One policy (a label before unblinding), best mean first."""

    policy: str
    letters: str
    n: int
    mean: float
    low: float
    high: float


class CandidateView(_Answer):
    """One policy (a label before unblinding) in the search for the best.

    It is a candidate up to row ``last``. ``dropped`` says that it was then shown not to be the
    best; ``set_aside`` that it needs no more trials, since it is at most the indifference better
    than the leader.
    """

    policy: str
    last: int
    dropped: bool
    leader: str | None
    set_aside: bool


class TaskView(_Answer):
    """One task."""

    task: str
    alpha: float
    rows: int
    n_max: int | None
    decided: bool
    futile: bool = False
    needed: list[str]
    sentence: str | None
    headline: str | None
    order: str | None
    trials_used: int
    trials_saved: int
    policies: list[PolicyView]
    pairs: list[PairView]
    interval_note: str | None
    goal: str
    by: str = "means"
    best: str | None
    candidates: list[CandidateView]

    @property
    def answer(self) -> type[Analysis]:
        """The type of the answer, which knows its words and its part of the page."""
        return QUESTIONS[self.goal].answer


class EvidenceView(_Answer):
    """All evidence so far, by label until the study is unblinded."""

    blinded: bool
    finished: bool
    sentence: str
    seq: int
    doubts: tuple[str, ...]
    tasks: list[TaskView]


class PlanView(_Answer):
    """The plan as text, its size and method in words (empty if it is invalid), and its hash."""

    text: str
    size: str
    method: str
    locked: bool
    digest: str | None


class TokenView(_Answer):
    """A token as the journal knows it."""

    id: str
    role: str
    name: str
    revoked: bool
    expires: float | None = None


class NewTokenView(_Answer):
    """A new token, shown only once, with its link and a QR code (an image source)."""

    token: str
    link: str
    qr: str


class EntryView(_Answer):
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
        return cls.showing(
            entry, text=event.text(blinded=blinded), content=event.shown(blinded=blinded)
        )


class JournalView(_Answer):
    """Part of the journal; ``more`` says whether further entries follow."""

    entries: list[EntryView]
    more: bool

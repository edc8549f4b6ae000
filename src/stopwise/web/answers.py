"""What the API answers, as the OpenAPI documents it; trials and status are those of a study."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from stopwise.study.views import Assignment

__all__ = [
    "CurveView",
    "Done",
    "EntryView",
    "EvidenceView",
    "Failure",
    "Health",
    "JoinView",
    "JournalView",
    "Me",
    "NewTokenView",
    "NextView",
    "PairView",
    "PlanView",
    "PolicyView",
    "StandingView",
    "TaskVerdictView",
    "TaskView",
    "TokenView",
    "UnblindView",
    "VerdictView",
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Failure(_Model):
    """What every failed request answers."""

    error: str = Field(description="One word for programs.")
    detail: str = Field(description="The rule that was broken, for people.")


class Done(_Model):
    """The change is stored."""

    done: bool = True


class Health(_Model):
    """The server answers."""

    ok: bool
    version: str


class Me(_Model):
    """Whose token this is."""

    role: str
    name: str


class JoinView(_Model):
    """Where to go after joining."""

    role: str
    page: str


class NextView(_Model):
    """The trial of a station, or none: because all is done, or the rest is with others."""

    trial: Assignment | None
    finished: bool


class CurveView(_Model):
    """The running p-value of a pair against its number of pairs of trials."""

    label: str
    n: list[int]
    p_value: list[float]


class PairView(_Model):
    """One pair: who is better, the p-value, the interval of mean 1 - mean 0."""

    policy0: str
    policy1: str
    better: str | None
    implied: bool
    n: int
    p_value: float
    log_e: float | None
    low: float
    high: float
    curve: CurveView


class PolicyView(_Model):
    """One policy (a label before unblinding), best mean first."""

    policy: str
    letters: str
    n: int
    mean: float
    low: float
    high: float


class TaskView(_Model):
    """One task."""

    task: str
    alpha: float
    rows: int
    n_max: int | None
    decided: bool
    needed: list[str]
    sentence: str | None
    order: str | None
    trials_used: int
    trials_saved: int
    policies: list[PolicyView]
    pairs: list[PairView]
    p_value_name: str


class EvidenceView(_Model):
    """All that is known, by label until the study is unblinded."""

    blinded: bool
    finished: bool
    sentence: str
    seq: int
    tasks: list[TaskView]


class StandingView(_Model):
    """One pair in the verdict."""

    policy0: str
    policy1: str
    decision: str
    better: str | None
    implied: bool
    n: int
    p_value: float
    log_e: float | None


class TaskVerdictView(_Model):
    """One task in the verdict."""

    task: str
    alpha: float
    rows: int
    n_max: int | None
    needed: list[str]
    decided: bool
    pairs: list[StandingView]


class VerdictView(_Model):
    """The verdict, replayed from the journal."""

    tasks: list[TaskVerdictView]
    finished: bool
    blinded: bool
    sentence: str
    seq: int
    hash: str


class PlanView(_Model):
    """The plan as text, and whether it is frozen."""

    text: str
    locked: bool
    digest: str | None


class UnblindView(_Model):
    """Names by label."""

    names: dict[str, str]


class TokenView(_Model):
    """A token as the journal knows it."""

    id: str
    role: str
    name: str
    revoked: bool


class NewTokenView(_Model):
    """A new token, shown this once, with a link and its QR code (an image source)."""

    token: str
    link: str
    qr: str


class EntryView(_Model):
    """One entry of the journal; what would tell labels of trials waits for unblinding."""

    seq: int
    time: float
    who: str
    kind: str
    text: str
    content: dict[str, Any]
    hash: str


class JournalView(_Model):
    """Part of the journal; ``more`` tells that entries follow."""

    entries: list[EntryView]
    more: bool

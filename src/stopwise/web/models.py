"""What goes in and out of the API, as the OpenAPI documents it."""

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictStr,
)

__all__ = [
    "AmendmentRequest",
    "AssignmentView",
    "CurveView",
    "Done",
    "EntryView",
    "EvidenceView",
    "Failure",
    "Health",
    "JoinRequest",
    "JoinView",
    "JournalView",
    "Me",
    "NewTokenView",
    "NextRequest",
    "NextView",
    "PairView",
    "PlanRequest",
    "PlanView",
    "PolicyView",
    "RecordedView",
    "ReleaseRequest",
    "ResolvedView",
    "ScoreRequest",
    "StartRequest",
    "StationView",
    "StatusView",
    "TaskView",
    "TokenRequest",
    "TokenView",
    "UnblindRequest",
    "UnblindView",
    "UndoRequest",
    "VerdictView",
    "VoidRequest",
]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must have printable characters only")
    return text


Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_printable)]
Key = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Reason = Annotated[str, Field(max_length=2000)]
Answer = (
    StrictBool
    | Annotated[StrictFloat, Field(ge=-1e15, le=1e15)]
    | Annotated[StrictStr, Field(max_length=200)]
    | Annotated[list[Annotated[StrictStr, Field(max_length=200)]], Field(max_length=1000)]
)


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


class JoinRequest(_Model):
    """A token, to be exchanged for a cookie."""

    token: str = Field(min_length=1, max_length=200)


class JoinView(_Model):
    """Where to go after joining."""

    role: str
    page: str


class NextRequest(_Model):
    """A station asks for a trial; by default the station is called as the token's holder."""

    station: Name | None = None
    task: Annotated[str, Field(max_length=200)] | None = None


class StartRequest(_Model):
    """A trial begins, or still runs: its time is counted anew."""

    station: Name | None = None


class ReleaseRequest(StartRequest):
    """A trial is given back."""

    reason: Reason = ""
    key: Key | None = None


class UndoRequest(ReleaseRequest):
    """A score is withdrawn."""


class ScoreRequest(_Model):
    """The result of a trial: true or false, milestones, a level, or a number."""

    answer: Answer
    station: Name | None = None
    key: Key | None = Field(
        default=None, description="A report sent twice with the same key is stored once."
    )
    note: Annotated[str, Field(max_length=2000)] = ""
    tag: Annotated[str, Field(max_length=200)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e6)] | None = None


class VoidRequest(_Model):
    """A trial shall not count, for a cause that is not its score."""

    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    redraw: bool = True


class AssignmentView(_Model):
    """A trial as its operator sees it."""

    trial: int
    code: str
    task: str
    instructions: str
    condition: str | None
    rubric: dict[str, Any]
    tags: list[str]
    station: str
    started: bool
    seconds_left: float
    needed: bool


class NextView(_Model):
    """The trial of a station, or none: because all is done, or the rest is with others."""

    trial: AssignmentView | None
    finished: bool


class RecordedView(_Model):
    """What became of a report."""

    trial: int
    score: float
    counted: bool
    repeated: bool


class ResolvedView(_Model):
    """The policy behind a code."""

    trial: int
    policy: str
    run: str | None


class StationView(_Model):
    """One station, and the trial it holds."""

    station: str
    trial: int | None
    code: str | None
    started: bool
    scored: int


class StatusView(_Model):
    """Where the study stands."""

    study: str
    name: str
    phase: str
    unblinded: bool
    plan_digest: str | None
    seq: int
    hash: str
    assigned: int
    scored: int
    counted: int
    voided: int
    duplicates: int
    in_flight: int
    amendments: int
    stations: list[StationView]


class CurveView(_Model):
    """The running p-value of a pair against its number of pairs of trials."""

    label: str
    n: list[int]
    p_value: list[float]


class PairView(_Model):
    """One pair: who is better, the anytime p-value, the interval of mean 1 - mean 0."""

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


class PlanRequest(_Model):
    """The text of a ``study.yaml``."""

    text: str = Field(max_length=100_000)


class AmendmentRequest(_Model):
    """A change after the lock, or a remark."""

    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    changes: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)


class UnblindRequest(_Model):
    """Why the names are revealed."""

    reason: Reason = ""


class UnblindView(_Model):
    """Names by label."""

    names: dict[str, str]


class TokenRequest(_Model):
    """For whom a token is made."""

    role: Annotated[str, Field(max_length=20)]
    name: Name


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

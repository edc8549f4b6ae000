"""What is sent to the API, as the OpenAPI documents it."""

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

from stopwise.study.limits import NAME, NOTE, SECONDS
from stopwise.study.study import TOKEN_DAYS


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("must contain only printable characters")
    return text


Name = Annotated[str, Field(min_length=1, max_length=NAME), AfterValidator(_printable)]
Short = Annotated[str, Field(max_length=NAME)]
Note = Annotated[str, Field(max_length=NOTE)]
StatedReason = Annotated[str, Field(min_length=1, max_length=NOTE)]
Answer = (
    StrictBool
    | Annotated[StrictFloat, Field(ge=-1e15, le=1e15)]
    | Annotated[StrictStr, Field(max_length=NAME)]
    | Annotated[list[Annotated[StrictStr, Field(max_length=NAME)]], Field(max_length=1000)]
)


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JoinRequest(_Body):
    """A token to exchange for a session cookie."""

    token: str = Field(min_length=1, max_length=NAME)


class NextRequest(_Body):
    """A station asks for a trial; the station defaults to the name of the token."""

    station: Name | None = None
    task: Short | None = None
    after: Annotated[int, Field(ge=1, le=10**9)] | None = Field(
        default=None,
        description="The trial that was run last here, whose result the phone still holds.",
    )


class StartRequest(_Body):
    """A trial starts or is still running: its lease starts over."""

    station: Name | None = None


class ReleaseRequest(StartRequest):
    """A trial is given back."""

    reason: StatedReason
    key: Name | None = None


class ScoreRequest(_Body):
    """The result of a trial: true or false, milestones, a level, a number, or a preference."""

    answer: Answer
    station: Name | None = None
    key: Name | None = Field(
        default=None,
        description="A report sent again with its key is stored once; another answer is refused.",
    )
    note: Note = ""
    tag: Short | None = None
    seconds: Annotated[float, Field(ge=0, le=SECONDS)] | None = None


class AttendRequest(_Body):
    """A runner comes to a station or leaves it; its time limit, in seconds."""

    station: Name
    present: bool = True
    limit: Annotated[float, Field(gt=0, le=SECONDS)] | None = None


class EpisodeRequest(_Body):
    """The policy of a trial is started, under a name for this episode."""

    episode: Name


class EpisodeEndRequest(EpisodeRequest):
    """It ended: "ended", "failed", "timed out", "stopped" or "lost", after so many seconds."""

    outcome: Annotated[str, Field(max_length=20)] = "ended"
    seconds: Annotated[float, Field(ge=0, le=SECONDS)] | None = None


class CheckRequest(_Body):
    """The start-of-day check list of a station: what is ticked, and why the rest is not."""

    station: Name | None = None
    ticked: Annotated[list[Short], Field(max_length=50)]
    note: Note = ""


class CorrectionRequest(_Body):
    """The correct result of a trial: true or false, milestones, a level, a number, a preference."""

    answer: Answer
    reason: StatedReason


class VoidRequest(_Body):
    """A trial is excluded for a reason unrelated to its score."""

    reason: StatedReason
    redraw: bool = True


class PlanRequest(_Body):
    """The text of a ``study.yaml``."""

    text: str = Field(max_length=100_000)


class AmendmentRequest(_Body):
    """A change after the lock, or a remark."""

    reason: StatedReason
    changes: Annotated[dict[str, Any], Field(max_length=20)] = Field(default_factory=dict)


class UnblindRequest(_Body):
    """Why the names are revealed."""

    reason: Note = ""


class TokenRequest(_Body):
    """Who the token is for."""

    role: Annotated[str, Field(max_length=20)]
    name: Name
    days: Annotated[float, Field(gt=0, le=3660)] = TOKEN_DAYS

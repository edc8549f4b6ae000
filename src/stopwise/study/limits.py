"""Limits on texts and numbers, wherever they are entered."""

from typing import Annotated

from pydantic import AfterValidator, Field, StrictBool, StrictFloat

from stopwise.errors import require

NAME = 200  # characters of a name, a code, a key or an answer
NOTE = 2000  # of a note or a reason
TEXT = 10_000  # of a description or of instructions
SECONDS = 1e6  # a trial's length, or a time limit
DAYS = 3660  # that a token is good for


def printable(text: str) -> str:
    require(
        0 < len(text) <= NAME and text.isprintable(),
        f"must have 1 to {NAME} printable characters, but got {text[:NAME]!r}",
    )
    return text


# What is sent or said: the same limits in Python, in the API and in its description.
Name = Annotated[
    str, AfterValidator(printable), Field(json_schema_extra={"minLength": 1, "maxLength": NAME})
]
Short = Annotated[str, Field(max_length=NAME)]
Note = Annotated[str, Field(max_length=NOTE)]
Seconds = Annotated[float, Field(ge=0, le=SECONDS)]
Days = Annotated[float, Field(gt=0, le=DAYS)]
TrialNumber = Annotated[int, Field(ge=1, le=10**9, description="The number of the trial.")]
# How long what is sent may be, for the description of the API; its rubric says what it may be.
SentAnswer = StrictBool | StrictFloat | Short | Annotated[list[Short], Field(max_length=1000)]

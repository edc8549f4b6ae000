"""What is sent to the API beside the operations of a study, as the OpenAPI documents it."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from stopwise.study.lifecycle import TOKEN_DAYS
from stopwise.study.limits import DAYS, NAME, Name


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JoinRequest(_Body):
    """A token to exchange for a session cookie."""

    token: str = Field(min_length=1, max_length=NAME)


class PlanRequest(_Body):
    """The text of a ``study.yaml``."""

    text: str = Field(max_length=100_000)


class TokenRequest(_Body):
    """Who the token is for."""

    role: Annotated[str, Field(max_length=20)]
    name: Name
    days: Annotated[float, Field(gt=0, le=DAYS)] = TOKEN_DAYS

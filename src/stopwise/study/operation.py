"""What an operation is: a request to a study, who may make it, and its consequences.

Each is one class. Routes, request models and the reference of the API are made from the table in
``operations``, and ``Study`` and ``StudyClient`` do the same ones.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stopwise.errors import InvalidInput
from stopwise.study.access import Grant, Role
from stopwise.study.blinding import Draws
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.limits import Name
from stopwise.study.plan_file import faults
from stopwise.study.state import StudyState

Result = TypeVar("Result")

OWNER = (Role.OWNER,)
# Takes and scores trials; never the runner, which knows whose trial it is.
OPERATOR = (Role.OWNER, Role.OPERATOR)
AT_THE_ROBOT = (*OPERATOR, Role.RUNNER)
# Resolves codes: not even the owner, unless by a token that the journal names.
RUNNER = (Role.RUNNER,)
Key = Annotated[
    Name | None,
    Field(description="Sent again with its key, it is stored once; another answer is refused."),
]


@dataclass(frozen=True)
class Now:
    """What an operation is decided on: the newest state, and who says it.

    ``secret`` is what everything random is drawn from, ``time`` in seconds since 1970, ``grant``
    that of whoever says it over the API. Afterwards, ``entries`` are those that were stored; if it
    was ``repeated``, the one of the first time.
    """

    state: StudyState
    secret: str = ""
    time: float = 0.0
    grant: Grant | None = None
    entries: Sequence[Entry] = ()
    repeated: bool = False

    @property
    def lots(self) -> Draws:
        return Draws(self.secret, self.state.locked_plan.seed)

    def station(self, said: Any) -> Any:
        token_name = None if self.grant is None else self.grant.name
        return token_name if said.station is None else said.station


class Operation(BaseModel, Generic[Result]):
    """A request to a study; its fields are the request's."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    route: ClassVar[str]  # method and path of the API; empty if it is not offered there
    roles: ClassVar[tuple[Role, ...]]  # who may do it there
    own: ClassVar[bool]  # whether only with the token by which the trial was taken
    of_trials: ClassVar[bool]  # whether it needs the evidence of all trials so far

    def __init_subclass__(
        cls,
        *,
        route: str = "",
        roles: tuple[Role, ...] = OWNER,
        own: bool = False,
        of_trials: bool = True,
    ) -> None:
        super().__init_subclass__()
        cls.route, cls.roles, cls.own, cls.of_trials = route, roles, own, of_trials

    def __init__(self, **said: Any) -> None:
        try:
            super().__init__(**said)
        except ValidationError as error:
            place, fault = faults(error)[0]
            raise InvalidInput(f"{place[0] if place else 'it'} {fault}") from error

    @classmethod
    def returns(cls) -> Any:
        given = (getattr(base, "__pydantic_generic_metadata__", {}) for base in cls.__mro__)
        result = next(one["args"][0] for one in given if one.get("args"))
        return NoneType if result is None else result

    @abstractmethod
    def decide(self, now: Now) -> Event | Sequence[Event]:
        """Events to enter; raises if the request is refused, and changes nothing."""

    def result(self, now: Now) -> Result:  # noqa: ARG002
        # An operation whose type of result is None has no result of its own.
        return None  # type: ignore[return-value]


class Again(Exception):
    """What was entered changes what is to be decided: the operation is done once more."""

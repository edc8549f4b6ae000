"""An event of the journal: a kind, typed fields, and for every field who may see it.

An event class says of each of its fields whether it is ``Open``, ``Blind`` until the study is
unblinded, or ``Never`` shown. A class with a field that says none of these is refused when it is
declared, so that a new field cannot be shown by oversight.
"""

from abc import abstractmethod
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Strict, ValidationError

from stopwise.errors import InvalidState

if TYPE_CHECKING:
    from stopwise.study.entries import Entry
    from stopwise.study.state import StudyState

ORIGIN = "0" * 64  # the hash that stands before the first entry


class Visibility(Enum):
    OPEN = "open"
    BLIND = "blind"
    NEVER = "never"


Value = TypeVar("Value")
Open: TypeAlias = Annotated[Value, Visibility.OPEN]
Blind: TypeAlias = Annotated[Value, Visibility.BLIND]
Never: TypeAlias = Annotated[Value, Visibility.NEVER]
Names = Annotated[tuple[str, ...], Strict(False)]  # which JSON has as a list

EVENT_KINDS: dict[str, type["Event"]] = {}
UNKNOWN = "which this version of stopwise does not know: upgrade stopwise"


class Event(BaseModel):
    """Something that happened in a study; its fields, in order, are the content of its entry."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    kind: ClassVar[str]  # the word under which it is stored
    says: ClassVar[str]  # its sentence in the audit log, with open fields to fill in
    visibility: ClassVar[dict[str, Visibility]]

    def __init_subclass__(cls, *, kind: str, says: str = "") -> None:
        super().__init_subclass__()
        cls.kind, cls.says, cls.visibility = kind, says, {}

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        for name, field in cls.model_fields.items():
            marks = [mark for mark in field.metadata if isinstance(mark, Visibility)]
            if len(marks) != 1:
                raise TypeError(f"{cls.__name__}.{name} must be declared as Open, Blind or Never")
            cls.visibility[name] = marks[0]
        if cls.kind in EVENT_KINDS:
            raise TypeError(f"there are two events of kind {cls.kind!r}")
        EVENT_KINDS[cls.kind] = cls

    @abstractmethod
    def change(self, state: "StudyState", entry: "Entry") -> None:
        """Change the state by what happened; the same journal always makes the same state."""

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        said, reason = self.says.format_map(vars(self)), getattr(self, "reason", "")
        return f"{said}: {reason}" if reason else said

    def stored(self) -> dict[str, Any]:
        return dict(self)

    def shown(self, *, blinded: bool) -> dict[str, Any]:
        """Return of its content what may be seen."""
        hidden = {Visibility.NEVER, Visibility.BLIND} if blinded else {Visibility.NEVER}
        return {name: value for name, value in self if self.visibility[name] not in hidden}


def read_event(kind: str, content: dict[str, Any], place: str) -> Event:
    if kind not in EVENT_KINDS:
        raise InvalidState(f"{place} is of kind {kind!r}, {UNKNOWN}")
    try:
        return EVENT_KINDS[kind].model_validate(content)
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(map(str, problem["loc"]))
        if problem["type"] == "extra_forbidden":
            raise InvalidState(f"{place} ({kind}) has the field {name!r}, {UNKNOWN}") from error
        raise InvalidState(
            f"the journal is damaged: {place} ({kind}), {name}: {problem['msg']}"
        ) from error

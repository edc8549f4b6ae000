"""What an event of the journal is: a kind, typed fields, and for every field who may see it.

An event class says of each of its fields whether it is ``Open``, ``Blind`` until the study is
unblinded, or ``Never`` shown. A class with a field that says none of these is refused when it is
declared, so that a new field cannot be shown by oversight.
"""

from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    TypeAlias,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

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

EVENT_KINDS: dict[str, type["Event"]] = {}
# JSON has one kind of number and one kind of list.
JSON_TYPES: dict[Any, tuple[type, ...]] = {
    Any: (object,),
    float: (float, int),
    tuple: (tuple, list),
}


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True)
class Event:
    """Something that happened in a study; its fields, in order, are the content of its entry."""

    kind: ClassVar[str]  # the word under which it is stored
    says: ClassVar[str]  # its sentence in the audit log, with open fields to fill in
    visibility: ClassVar[dict[str, Visibility]]
    types: ClassVar[dict[str, tuple[type, ...]]]  # of the JSON values that each field may have

    def __init_subclass__(cls, *, kind: str, says: str = "") -> None:
        dataclass(frozen=True, kw_only=True)(cls)
        hints = get_type_hints(cls, include_extras=True)
        fields = {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}
        cls.kind, cls.says = kind, says
        cls.visibility = {
            name: _mark(f"{cls.__name__}.{name}", hint) for name, hint in fields.items()
        }
        cls.types = {name: _plain_types(get_args(hint)[0]) for name, hint in fields.items()}
        if kind in EVENT_KINDS:
            raise TypeError(f"there are two events of kind {kind!r}")
        EVENT_KINDS[kind] = cls

    def change(self, state: "StudyState", entry: "Entry") -> None:
        """Change the state by what happened; the same journal always makes the same state."""
        raise NotImplementedError

    def text(self, *, blinded: bool) -> str:  # noqa: ARG002
        said, reason = self.says.format_map(vars(self)), getattr(self, "reason", "")
        return f"{said}: {reason}" if reason else said

    def stored(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.visibility}

    def shown(self, *, blinded: bool) -> dict[str, Any]:
        """Return of its content what may be seen."""
        hidden = {Visibility.NEVER, Visibility.BLIND} if blinded else {Visibility.NEVER}
        content = self.stored().items()
        return {name: value for name, value in content if self.visibility[name] not in hidden}


def _mark(place: str, hint: Any) -> Visibility:
    marks = [mark for mark in get_args(hint)[1:] if isinstance(mark, Visibility)]
    if get_origin(hint) is not Annotated or len(marks) != 1:
        raise TypeError(f"{place} must be declared as Open, Blind or Never")
    return marks[0]


def _plain_types(hint: Any) -> tuple[type, ...]:
    if get_origin(hint) in (Union, UnionType):
        return tuple(kind for part in get_args(hint) for kind in _plain_types(part))
    kind = get_origin(hint) or hint
    return JSON_TYPES.get(kind, (NoneType,) if kind is None else (kind,))


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

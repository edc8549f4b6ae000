"""Attributes of a result that are those of one of its parts."""

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

T = TypeVar("T")


class Delegated(property, Generic[T]):
    """A property that returns the attribute at a dotted path, such as ``"rules.alpha"``."""

    def __init__(self, path: str, doc: str) -> None:
        super().__init__(attrgetter(path))
        self.__doc__ = doc

    if TYPE_CHECKING:
        # A property returns Any to mypy; only so does each attribute have the type that it says.
        def __get__(self, instance: Any, owner: type | None = None, /) -> T: ...  # type: ignore[override]

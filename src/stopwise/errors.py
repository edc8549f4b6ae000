"""Every deliberate exception of the package; each message states the rule and the value."""

from collections.abc import Callable, Collection
from typing import ClassVar

from stopwise.messages import Message, Setting, named, shortened


class StopwiseError(Exception):
    """Base class: catch this to catch everything that stopwise raises on purpose.

    Parameters
    ----------
    *parts
        The message, as a whole or in the parts of a ``Message``.

    Attributes
    ----------
    code
        One word for programs: that of the message, or of the kind of error.
    parameter
        The keyword of the library that it is about, or None.
    """

    kind: ClassVar[str] = "failed"

    def __init__(
        self, *parts: str | Setting, code: str | None = None, parameter: str | None = None
    ) -> None:
        whole = code is None and len(parts) < 2
        super().__init__(*(parts if whole else [Message(*parts, code=code or "")]))
        self._parameter = parameter

    @property
    def message(self) -> str:
        """What is wrong, in the words of the library."""
        return self.args[0] if self.args else ""

    @property
    def code(self) -> str:
        """One word for programs."""
        return getattr(self.message, "code", "") or self.kind

    @property
    def parameter(self) -> str | None:
        """The keyword of the library that it is about, or None."""
        if self._parameter is None and isinstance(self.message, Message):
            return next((setting.name for setting in self.message.settings), None)
        return self._parameter

    def worded(self, word: Callable[[Setting], str]) -> str:
        """Return the message with each setting as ``word`` says it."""
        message = self.message
        return message.worded(word) if isinstance(message, Message) else message


class InvalidInput(StopwiseError, ValueError):
    """A score, parameter or file breaks a stated rule; nothing was changed."""

    kind = "invalid_input"


class InvalidState(StopwiseError, ValueError):
    """A saved state is damaged or was written by a newer version; nothing was loaded."""

    kind = "invalid_state"


class NotAllowed(StopwiseError):
    """A study is in a state that forbids the request; nothing was changed."""

    kind = "not_allowed"


class StoreFailed(StopwiseError, OSError):
    """A study's store cannot be reached, read or written; nothing was half-written."""

    kind = "store_failed"


class MissingPackage(StopwiseError, ImportError):
    """An optional package is not installed; the message names the extra that brings it."""


def require(
    condition: bool, *parts: str | Setting, code: str | None = None, parameter: str | None = None
) -> None:
    """Raise ``InvalidInput`` with the message unless the condition holds."""
    if not condition:
        raise InvalidInput(*parts, code=code, parameter=parameter)


def require_choice(name: str, value: object, choices: Collection[str | None]) -> None:
    """Raise ``InvalidInput`` unless the value is one of the choices."""
    known = value is None or isinstance(value, str)
    text = f" must be one of {', '.join(map(str, choices))}, but got {shortened(value)}"
    require(known and value in choices, named(name), text)


def number_of(text: str) -> float:
    """The number that was typed, also as a percentage."""
    share = text.strip().removesuffix("%")
    return float(text) if share == text.strip() else float(f"{share.strip()}e-2")


def number_for(text: str, name: str) -> InvalidInput:
    """The error for a text in place of a number, with the right call where it is a number."""
    shown = f"{name} takes a number, but got the text {shortened(text)}"
    try:
        number = number_of(text)
    except ValueError:
        return InvalidInput(shown, parameter=name)
    return InvalidInput(f"{shown}: give {name}={number:.12g}", parameter=name)

"""Every deliberate exception of the package; each message states the rule and the value."""

__all__ = [
    "InvalidInput",
    "InvalidState",
    "NotAllowed",
    "StopwiseError",
    "StoreFailed",
    "require",
]


class StopwiseError(Exception):
    """Base class: catch this to catch everything that stopwise raises on purpose."""


class InvalidInput(StopwiseError, ValueError):
    """A score, parameter or file breaks a stated rule; nothing was changed."""


class InvalidState(StopwiseError, ValueError):
    """A saved state is damaged or was written by a newer version; nothing was loaded."""


class NotAllowed(StopwiseError):
    """A study is in a state that forbids the request; nothing was changed."""


class StoreFailed(StopwiseError, OSError):
    """A study's store cannot be reached, read or written; nothing was half-written."""


def require(condition: bool, message: str) -> None:
    """Raise ``InvalidInput`` with the message unless the condition holds."""
    if not condition:
        raise InvalidInput(message)

"""How long a text and how large a number may be, wherever it is entered."""

import math

from stopwise.errors import require

NAME = 200  # characters of a name, a code, a key or an answer
NOTE = 2000  # of a note or a reason
TEXT = 10_000  # of a description or of instructions
SECONDS = 1e6  # a trial's length, or a time limit


def require_name(text: str, what: str) -> None:
    """Raise unless the text is short and printable."""
    require(
        0 < len(text) <= NAME and text.isprintable(),
        f"{what} must have 1 to {NAME} printable characters, but got {text[:NAME]!r}",
    )


def require_note(text: str, what: str = "a note") -> None:
    """Raise unless a note or a reason is short enough."""
    require(len(text) <= NOTE, f"{what} can have at most {NOTE:,} characters")


def require_seconds(seconds: float | None) -> None:
    """Raise unless a duration is possible."""
    require(
        seconds is None or (math.isfinite(seconds) and 0 <= seconds <= SECONDS),
        f"seconds must be between 0 and {SECONDS:,.0f}, but got {seconds!r}",
    )

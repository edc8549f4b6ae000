"""The beginning of a file, from which formats are recognised."""

from pathlib import Path

__all__ = ["first_line", "head"]

HEAD_BYTES = 65536


def head(path: Path) -> str:
    """Return the beginning of a text file; empty for folders, binary and unreadable files."""
    try:
        with path.open("rb") as file:
            beginning = file.read(HEAD_BYTES)
    except OSError:
        return ""
    if b"\0" in beginning:
        return ""
    return beginning.decode("utf-8-sig", errors="replace")


def first_line(path: Path) -> str:
    """Return the first line that is not blank, without its end."""
    return next((line for line in head(path).splitlines() if line.strip()), "")

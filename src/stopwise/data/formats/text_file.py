"""The beginning of a file, from which formats are recognised."""

from pathlib import Path

HEAD_BYTES = 65536


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first so many bytes; none for folders and unreadable files."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def head(path: Path) -> str:
    """Return the beginning of a text file; empty for folders, binary and unreadable files."""
    beginning = first_bytes(path, HEAD_BYTES)
    if b"\0" in beginning:
        return ""
    return beginning.decode("utf-8-sig", errors="replace")


def first_line(path: Path) -> str:
    """Return the first line that is not blank, without its end."""
    return next((line for line in head(path).splitlines() if line.strip()), "")

"""The text of a file, and its beginning, from which formats are recognised."""

from pathlib import Path

HEAD_BYTES = 65536
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def first_bytes(path: Path, count: int) -> bytes:
    """Return the first so many bytes; none for folders and unreadable files."""
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


def encoding(path: Path) -> str:
    """Return how the text is encoded: UTF-16, as Excel and PowerShell write it, says so itself."""
    return "utf-16" if first_bytes(path, 2) in UTF_16 else "utf-8-sig"


def text_of(path: Path) -> str:
    """Return the whole text, with any kind of line end as a newline."""
    return path.read_text(encoding=encoding(path))


def head(path: Path) -> str:
    """Return the beginning of a text file; empty for folders, binary and unreadable files."""
    beginning = first_bytes(path, HEAD_BYTES)
    if beginning[:2] in UTF_16:
        return beginning.decode("utf-16", errors="replace")
    if b"\0" in beginning:
        return ""
    return beginning.decode("utf-8-sig", errors="replace")


def first_line(path: Path) -> str:
    """Return the first line that is not blank, without its end."""
    return next((line for line in head(path).splitlines() if line.strip()), "")

"""The text of a file, and its beginning, from which formats are recognised."""

import io
from codecs import getincrementaldecoder
from pathlib import Path

from stopwise.data.growing import growing
from stopwise.messages import Notes

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


def torn(path: Path) -> tuple[str, str] | None:
    """Return the whole lines of a file that is being watched, and the rest; None of any other.

    A number that is cut off is another number: ``1`` of ``1000``.
    """
    if growing() is None:
        return None
    # Of a character that is half written nothing is taken.
    characters = getincrementaldecoder(encoding(path))()
    decoder = io.IncrementalNewlineDecoder(characters, translate=True)
    whole, end, rest = decoder.decode(path.read_bytes()).rpartition("\n")
    return whole + end, rest


def whole_lines(path: Path, notes: Notes) -> str:
    """Return the text; of a file that is being watched, without a last line that has no end yet."""
    found = torn(path)
    if found is None:
        return text_of(path)
    if found[1].strip():
        text = f"{path}: the last line has no end yet, and waits for it"
        notes.add(text, code="line-unfinished")
    return found[0]


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

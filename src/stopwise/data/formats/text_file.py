"""A file as every format looks at it: its beginning, read once, and its whole text."""

import csv
import gzip
import io
import json
import re
import zipfile
import zlib
from codecs import getincrementaldecoder
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stopwise.data.growing import growing
from stopwise.messages import Notes

HEAD_BYTES = 65536
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
DELIMITERS = ("\t", ";", "|", ",")
COMMENT = "#"
NUMBER = re.compile(r"\s*[-+]?[\d.]+([eE][-+]?\d+)?\s*")
# So many lines are looked at to find the header below comments and a title.
MOST_ABOVE = 40


@dataclass(frozen=True, eq=False)
class Head:
    """The beginning of a file; empty for folders and unreadable files."""

    path: Path

    @cached_property
    def is_packed(self) -> bool:
        """Whether the file is compressed by gzip."""
        try:
            with self.path.open("rb") as file:
                return file.read(2) == GZIP
        except OSError:
            return False

    @cached_property
    def suffix(self) -> str:
        """The ending of the file, or of what is packed in it, in lower case."""
        return Path(self.path.name.removesuffix(".gz")).suffix.lower()

    def open(self) -> io.BufferedReader | gzip.GzipFile:
        """Open the file, unpacked."""
        return gzip.open(self.path) if self.is_packed else self.path.open("rb")

    @cached_property
    def start(self) -> bytes:
        """The first bytes."""
        try:
            with self.open() as file:
                return file.read(HEAD_BYTES)
        except (OSError, EOFError, zlib.error):
            return b""

    @cached_property
    def encoding(self) -> str:
        """How the text is encoded: UTF-16, as Excel and PowerShell write it, says so itself."""
        return "utf-16" if self.start[:2] in UTF_16 else "utf-8-sig"

    @cached_property
    def beginning(self) -> str:
        """The beginning of a text; empty for a binary file."""
        binary = b"\0" in self.start and self.encoding != "utf-16"
        return "" if binary else self.start.decode(self.encoding, errors="replace")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the beginning."""
        return self.beginning.splitlines()

    @cached_property
    def first_line(self) -> str:
        """The first line that is not blank."""
        return next((line for line in self.lines if line.strip()), "")

    @cached_property
    def above(self) -> int:
        """The number of lines above a table's header: blank ones, comments and titles.

        Titles fill their first field alone, above a line of several words as long as the next.
        """
        lines = self.lines[:MOST_ABOVE]
        filled = [index for index, line in enumerate(lines) if line.strip(" \t,;")]
        for at, index in enumerate(filled):
            first, *below = (fields(lines[i]) for i in filled[at:])
            if lines[index].startswith(COMMENT) and not (below and len(first) == len(below[0]) > 1):
                continue
            header, row = ([cells for cells in below if any(cells[1:])] + [[], []])[:2]
            is_table = 1 < len(header) == len(row) and not any(map(NUMBER.fullmatch, header))
            if not (first[0].strip() and not any(first[1:]) and is_table):
                return index
        return 0

    @cached_property
    def header(self) -> list[str]:
        """The names of the columns, if this is a table with delimiters."""
        return fields(self.lines[self.above]) if self.above < len(self.lines) else []

    def has_keys(self, *keys: str, opening: str = "{") -> bool:
        """Whether it begins as JSON does, and all keys appear near its beginning."""
        opened = self.beginning.lstrip().startswith(opening)
        return opened and all(f'"{key}"' in self.beginning for key in keys)

    @cached_property
    def members(self) -> frozenset[str]:
        """The names in a zipped archive; none if it is no such file, or damaged."""
        if not self.start.startswith(b"PK"):
            return frozenset()
        try:
            with zipfile.ZipFile(self.path) as archive:
                return frozenset(archive.namelist())
        except (OSError, zipfile.BadZipFile):
            return frozenset()

    def content(self) -> bytes:
        """Return the whole content."""
        if len(self.start) < HEAD_BYTES:
            return self.start
        with self.open() as file:
            return file.read()

    def text(self) -> str:
        """Return the whole text, with any kind of line end as a newline."""
        decoded = self.content().decode(self.encoding)
        return decoded.replace("\r\n", "\n").replace("\r", "\n")

    def torn(self) -> tuple[str, str] | None:
        """Return a watched file's whole lines, and the rest: of ``1000``, half written is ``1``."""
        if growing() is None:
            return None
        # Of a character that is half written nothing is taken.
        characters = getincrementaldecoder(self.encoding)()
        decoder = io.IncrementalNewlineDecoder(characters, translate=True)
        whole, end, rest = decoder.decode(self.content()).rpartition("\n")
        return whole + end, rest

    def whole_lines(self, notes: Notes) -> str:
        """Return the text; of a watched file, without a last line that has no end yet."""
        parts = self.torn()
        if parts is None:
            return self.text()
        if parts[1].strip():
            text = f"{self.path}: the last line has no end yet, and waits for it"
            notes.add(text, code="line-unfinished")
        return parts[0]


def is_object(line: str) -> bool:
    """Whether a line is a whole JSON object."""
    try:
        return line.lstrip().startswith("{") and isinstance(json.loads(line), dict)
    except json.JSONDecodeError:
        return False


def delimiter(line: str) -> str:
    """The delimiter of a line."""
    return max(DELIMITERS, key=lambda sign: (line.count(sign), sign == ","))


def fields(line: str) -> list[str]:
    """Return the fields of a line."""
    return next(csv.reader([line], delimiter=delimiter(line)), [])

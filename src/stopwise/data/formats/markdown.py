"""Tables in Markdown, as people keep them in notes and issues."""

import re
from itertools import pairwise

import polars as pl

from stopwise.data.formats.text_file import Head
from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput, require
from stopwise.messages import Notes

name = "markdown"
# The line below the header: dashes between bars.
RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?")
BAR = re.compile(r"(?<!\\)\|")
MARKS = re.compile(r"\*\*|__|`")


def recognise(head: Head) -> bool:
    """Whether there is a line of dashes and bars below one with bars."""
    return next(iter(_headers(head.lines)), None) is not None


def read(head: Head) -> RawTable:
    """Return all tables with the columns of the first."""
    path, notes = head.path, Notes()
    lines = head.whole_lines(notes).splitlines()
    names: list[str] = []
    rows: list[list[str]] = []
    places: list[int] = []
    for header in _headers(lines):
        cells = _cells(lines[header])
        names = names or cells
        if cells != names:
            text = f"{path}, line {header + 1}: a table with other columns than the first left out"
            notes.add(text, code="table-left-out")
            continue
        for index in range(header + 2, len(lines)):
            if "|" not in lines[index]:
                break
            row = _cells(lines[index])
            if len(row) != len(names):
                raise InvalidInput(
                    f"{path}, line {index + 1}: {len(row)} cells where the header has {len(names)}"
                )
            rows.append(row)
            places.append(index + 1)
    require(len(set(names)) == len(names) > 0, f"{path}: the table needs a name for each column")
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return RawTable(
        source=str(path), frame=frame, place=lambda row: f"line {places[row]}", notes=notes
    )


def _headers(lines: list[str]) -> list[int]:
    return [
        index
        for index, (line, below) in enumerate(pairwise(lines))
        if "|" in line and RULE.fullmatch(below) and len(_cells(line)) == len(_cells(below))
    ]


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [MARKS.sub("", cell).replace(r"\|", "|").strip() for cell in BAR.split(inner)]

"""Scores made of several columns: sums and differences, such as ``"intervention - control"``."""

import re
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from stopwise.data.raw import UNIT, RawTable, says
from stopwise.data.reading import Bounds, Reading
from stopwise.data.typed_columns import is_logical, is_parts_of_one
from stopwise.messages import Message, Setting, names_listed

SIGNED = "derived-score"
TERM = (
    r"\s*(?P<sign>[+\-−]?)\s*(?:(?:(?P<before>{n})\s*[*×]\s*)?(?P<name>{names})"
    r"(?:\s*[*×]\s*(?P<after>{n}))?|(?P<alone>{n}))\s*"
)
NUMBER = r"\d+(?:\.\d+)?"


def with_derived_score(raw: RawTable, reading: Reading) -> RawTable:
    """Return the table with the sum of columns asked for; bounds follow from theirs, or [0, 1]."""
    (score,) = reading.names("score") or ("",)
    terms = _terms(score, raw.frame.columns)
    if not terms:
        return raw
    names = dict.fromkeys(name for _, name in terms if name)
    numbers = [raw.numbers(name).alias(name) for name in names]
    total = pl.lit(0.0)
    for factor, name in terms:
        total = total + factor * (pl.col(name) if name else pl.lit(1.0))
    text = f"{raw.source}: compared is {score!r}"
    less = Setting("lower_is_better", True)
    asked = (", more of which counts as better; if less is, say ", less)
    notes = [Message(text, *(asked if reading.lower_is_better is None else ()), code=SIGNED)]
    ranges = {column.name: _range(raw, column) for column in numbers}
    assumed = [name for name, series in ranges.items() if series is None]
    bounds = dict(raw.bounds)
    if all(
        series.name not in assumed or series.drop_nulls().is_between(0, 1).all()
        for series in numbers
    ):
        low, high = 0.0, 0.0
        for factor, name in terms:
            ends = sorted(factor * end for end in (ranges[name] or UNIT if name else (1.0, 1.0)))
            low, high = low + ends[0], high + ends[1]
        bounds[score] = low, high
        if assumed:
            text = f"no bounds were declared: {names_listed(assumed)} are assumed to lie in [0, 1]"
            notes.append(Message(text, code="bounds-assumed"))
    values = pl.DataFrame(numbers).select(total.alias(score))
    frame = raw.frame.drop(names).with_columns(values)
    return replace(raw, frame=frame, bounds=bounds, notes=(*raw.notes, *notes))


def is_derived(raw: RawTable) -> bool:
    """Whether the score of a table is a sum of its columns, whose signs say which way is up."""
    return says(raw.notes, SIGNED)


def _terms(score: str, columns: Sequence[str]) -> list[tuple[float, str]]:
    """Factors and columns ("" for a number alone); empty if the text is no sum of columns."""
    if score in columns:
        return []
    names = "|".join(map(re.escape, sorted(columns, key=len, reverse=True)))
    term = re.compile(TERM.format(n=NUMBER, names=names))
    terms: list[tuple[float, str]] = []
    at = 0
    while at < len(score):
        part = term.match(score, at)
        if part is None or (terms and not part["sign"]):
            return []
        factor = -1.0 if part["sign"] not in ("", "+") else 1.0
        for number in part.group("before", "after", "alone"):
            factor *= float(number or 1)
        terms.append((factor, part["name"] or ""))
        at = part.end()
    return terms if any(name for _, name in terms) else []


def _range(raw: RawTable, column: pl.Series) -> Bounds | None:
    """Range of a column as its format or its words define it."""
    values = raw.frame[column.name]
    unit = is_logical(values) or is_parts_of_one(values)
    return raw.bounds.get(column.name, UNIT if unit else None)

"""Tables with a column of scores per policy, as people keep them in spreadsheets."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from stopwise.data.raw import RawTable, common_kind
from stopwise.data.roles import (
    NO_NAME,
    ROLE_NAMES,
    ColumnChoice,
    is_usual,
    listed,
    no_header,
    usual_name,
)
from stopwise.data.typed_columns import to_numbers
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Setting

# The column that says which trials stood in one row, for whoever knows that they share their start.
ROW = "row"
# Names of columns that number the rows, as people and pandas call them.
NUMBERING = frozenset({"", "#", "id", "index", "n", "no", "nr", "number", "pair", "row", "run"})
# Fewer consecutive whole numbers than this may well be scores.
LEAST_NUMBERED = 3
# Words of columns that training logs and summaries have, beside which no column is a policy.
NO_POLICY = re.compile(
    r"(?<![a-z])(loss|lr|epochs?|iter(ations?)?|(time)?steps?|entropy|kl|fps|grad|duration|seconds"
    r"|std|stderr|sem|variance|mean|median|average|avg|rate|count|total|trials|episodes|rollouts"
    r"|successes)(?![a-z])"
)
# Scores of one measure differ less than this in size from column to column.
MOST_TIMES = 20.0
LEAST_RISING = 5


def unfolded(
    raw: RawTable, chosen: Mapping[str, ColumnChoice], policies: Sequence[str] | None
) -> RawTable:
    """Return one row per trial, if the table has neither scores nor policies by name.

    Columns that are not numbers, or only number the rows, or have a usual name or one that the
    user chose, are no policies. With fewer than two policies the table is returned as it is.
    """
    if policies is not None:
        return _rows_of(raw, _declared(raw, chosen, policies))
    named = any(is_usual(raw, name, "score", "policy") for name in raw.frame.columns)
    if raw.roles or {"score", "policy"} & chosen.keys() or named:
        return raw
    found = {name: _scores(raw, name, chosen) for name in raw.frame.columns}
    scores = {name: values for name, values in found.items() if values is not None}
    if len(scores) < 2 or not len(raw.frame):
        return raw
    doubt = _doubt(scores) or _means_by_task(raw, scores)
    if doubt is not None:
        raise InvalidInput(
            f"{raw.source}: no column has the usual name of a score or a policy, and the columns "
            f"of numbers do not look like the scores of one policy each: {doubt}; if some of them "
            "are, name these with ",
            Setting("policies", [BLANK]),
            f"; the columns are {listed(raw)}",
            code="no-policies",
        )
    names = ", ".join(map(repr, scores))
    note = Message(
        f"no column has the usual name of a score or a policy, so each of {names} is taken for "
        "the scores of one policy; if only some of them are, say which with ",
        Setting("policies", [BLANK]),
        code="policy-per-column",
    )
    return replace(_rows_of(raw, list(scores)), notes=(*raw.notes, note))


def _declared(
    raw: RawTable, chosen: Mapping[str, ColumnChoice], policies: Sequence[str]
) -> Sequence[str]:
    """Return the columns that the user named, or raise."""
    given = Setting("policies", list(policies))
    require(
        not {"score", "policy"} & chosen.keys() and "policy" not in raw.roles,
        given,
        " names columns that hold the scores of one policy each, so there is no other column of "
        "scores or policies to choose",
        code="policies-and-columns",
    )
    require(
        len(set(policies)) == len(policies) > 0,
        given,
        " must name columns, each once",
        code="bad-policies",
    )
    for name in policies:
        require(
            name in raw.frame.columns,
            f"{raw.source}: there is no column {name!r}, which ",
            given,
            f" names; the columns are {listed(raw)}",
            code="unknown-policy",
        )
    return policies


def _rows_of(raw: RawTable, policies: Sequence[str]) -> RawTable:
    kind = common_kind(raw.frame[name] for name in policies)
    row = pl.int_range(pl.len()).alias(ROW)
    kept = [
        name
        for name in raw.frame.columns
        if name not in policies and name != ROW and not is_usual(raw, name, "score", "policy")
    ]
    parts = [
        raw.frame.select(
            pl.lit(name).alias("policy"), pl.col(name).cast(kind).alias("score"), row, *kept
        ).head(_length(raw.frame[name]))
        for name in policies
    ]
    long = pl.concat(parts).sort(ROW, maintain_order=True)
    rows, names = long[ROW].to_list(), long["policy"].to_list()
    return replace(
        raw,
        frame=long,
        place=lambda index: f"{raw.place(rows[index])}, {names[index]!r}",
        roles={"policy": "policy", "score": "score", ROW: ROW},
    )


def _scores(raw: RawTable, name: str, chosen: Mapping[str, ColumnChoice]) -> pl.Series | None:
    """Return the numbers of a column that may be a policy's scores."""
    taken = [choice for choice in chosen.values() if choice is not None]
    named = {part for choice in taken for part in ([choice] if isinstance(choice, str) else choice)}
    if name in named or usual_name(name) in ROLE_NAMES | NUMBERING:
        return None
    try:
        numbers = to_numbers(raw.frame[name], partial(raw.error, name))
    except InvalidInput:
        return None
    known = numbers.drop_nulls()
    numbered = len(known) >= LEAST_NUMBERED and bool((known.diff().drop_nulls() == 1.0).all())
    return known if len(known) > 0 and not numbered else None


def _doubt(scores: Mapping[str, pl.Series]) -> str | None:
    """Return why these columns are hardly scores of one measure, if there is a reason."""
    sizes: dict[str, float] = {}
    for name, values in scores.items():
        if NO_NAME.fullmatch(name.strip().lower()):
            return no_header(name)
        if NO_POLICY.search(name.lower()):
            return f"{name!r} sounds like a measure or a count"
        if len(values) >= LEAST_RISING and bool((values.diff().drop_nulls() > 0).all()):
            return f"{name!r} rises from row to row, as a counter or a clock does"
        size = float(np.abs(values.to_numpy()).max())
        if size > 0:
            sizes[name] = size
    if sizes:
        least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
        if sizes[most] > MOST_TIMES * sizes[least]:
            return (
                f"{most!r} goes up to {sizes[most]:g}, but {least!r} only to {sizes[least]:g}, "
                "so they hardly measure the same"
            )
    return None


def _means_by_task(raw: RawTable, scores: Mapping[str, pl.Series]) -> str | None:
    """Return that each task has one row, as in the table of a paper, unless it holds 0 and 1."""
    tasks = [name for name in raw.frame.columns if is_usual(raw, name, "task")]
    if not tasks or len(raw.frame) < 2 or raw.frame.select(tasks).is_duplicated().any():
        return None
    if all(values.is_in([0.0, 1.0]).all() for values in scores.values()):
        return None
    return f"each {tasks[0]!r} has one row, as in a table of means or rates"


def _length(column: pl.Series) -> int:
    """Return the number of rows up to the last that is filled: blanks below are no trials."""
    filled = (column.cast(pl.String).str.strip_chars().fill_null("") != "").arg_true()
    return int(filled[-1]) + 1 if len(filled) else 0

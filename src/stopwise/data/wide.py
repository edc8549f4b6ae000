"""Tables with a column of scores per policy, as people keep them in spreadsheets."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import polars as pl

from stopwise.data.raw import RawTable, common_kind
from stopwise.data.roles import GUESSES, ROLE_NAMES, ColumnChoice
from stopwise.data.typed_columns import to_numbers
from stopwise.errors import InvalidInput
from stopwise.messages import Message, Setting

# The column that says which trials stood in one row, for whoever knows that they share their start.
ROW = "row"
# Names of columns that number the rows, as people and pandas call them.
NUMBERING = frozenset({"", "#", "id", "index", "n", "no", "nr", "number", "pair", "row", "run"})
# Fewer consecutive whole numbers than this may well be scores.
LEAST_NUMBERED = 3


def unfolded(raw: RawTable, chosen: Mapping[str, ColumnChoice]) -> RawTable:
    """Return one row per trial, if the table has neither scores nor policies by name.

    Columns that are not numbers, or only number the rows, or have a usual name or one that the
    user chose, are no policies. With fewer than two policies the table is returned as it is.
    """
    usual = {name.strip().lower() for name in raw.frame.columns}
    if raw.roles or {"score", "policy"} & chosen.keys() or usual & _names("score", "policy"):
        return raw
    policies = [name for name in raw.frame.columns if _is_policy(raw, name, chosen)]
    if len(policies) < 2 or not len(raw.frame):
        return raw
    kind = common_kind(raw.frame[name] for name in policies)
    row = pl.int_range(pl.len()).alias(ROW)
    kept = [name for name in raw.frame.columns if name not in policies and name != ROW]
    parts = [
        raw.frame.select(
            pl.lit(name).alias("policy"), pl.col(name).cast(kind).alias("score"), row, *kept
        ).head(_length(raw.frame[name]))
        for name in policies
    ]
    long = pl.concat(parts).sort(ROW, maintain_order=True)
    rows, names = long[ROW].to_list(), long["policy"].to_list()
    listed = ", ".join(map(repr, policies))
    return replace(
        raw,
        frame=long,
        place=lambda index: f"{raw.place(rows[index])}, {names[index]!r}",
        notes=(
            *raw.notes,
            Message(
                "no column has the usual name of a score or a policy, so each of "
                f"{listed} is taken for the scores of one policy; if the trials of a row start "
                "from the same conditions, say so with ",
                Setting("columns", {"block": ROW}),
                code="policy-per-column",
            ),
        ),
    )


def _names(*roles: str) -> set[str]:
    return {name for role in roles for name in GUESSES[role]}


def _is_policy(raw: RawTable, name: str, chosen: Mapping[str, ColumnChoice]) -> bool:
    taken = [choice for choice in chosen.values() if choice is not None]
    named = {part for choice in taken for part in ([choice] if isinstance(choice, str) else choice)}
    if name in named or name.strip().lower() in ROLE_NAMES | NUMBERING:
        return False
    try:
        numbers = to_numbers(raw.frame[name], partial(raw.error, name))
    except InvalidInput:
        return False
    known = numbers.drop_nulls()
    numbered = len(known) >= LEAST_NUMBERED and bool((known.diff().drop_nulls() == 1.0).all())
    return len(known) > 0 and not numbered


def _length(column: pl.Series) -> int:
    """Return the number of rows up to the last that is filled: blanks below are no trials."""
    filled = (column.cast(pl.String).str.strip_chars().fill_null("") != "").arg_true()
    return int(filled[-1]) + 1 if len(filled) else 0

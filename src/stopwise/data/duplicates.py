"""Rows that appear twice: dropped if they agree, refused if they contradict each other."""

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Notes, Setting, counted


def duplicate_rows(raw: RawTable, frame: pl.DataFrame, notes: Notes) -> pl.Series:
    """Return which rows repeat an earlier one in every column of the file.

    Without a column that numbers the trials nothing is a duplicate: two failures look alike.
    Two different rows with the same task, policy, block and number are an error: either one of
    them is wrong, or a column that tells them apart has not been named.
    """
    none = pl.Series([False]).new_from_index(0, len(frame))
    if "trial" not in frame.columns:
        return none
    identity = [name for name in ("task", "policy", "block", "trial") if name in frame.columns]
    numbered = frame["trial"].is_not_null()
    repeated = frame.select(~pl.struct(identity).is_first_distinct()).to_series() & numbered
    if not repeated.any():
        return none
    same = raw.frame.select(~pl.struct(pl.all()).is_first_distinct()).to_series()
    contradictions = repeated & ~same
    if contradictions.any():
        raise _contradiction(raw, frame.select(identity), contradictions.arg_max() or 0)
    dropped = f"{raw.source}: {counted(int(repeated.sum()), 'duplicate row')} dropped"
    notes.add(dropped, code="duplicates-dropped")
    return repeated


def _contradiction(raw: RawTable, identities: pl.DataFrame, row: int) -> InvalidInput:
    identity = identities.row(row)
    earlier = identities.head(row).rows().index(identity)
    named = ", ".join(
        f"{name} {value!r}" for name, value in zip(identities.columns, identity, strict=True)
    )
    return InvalidInput(
        f"{raw.source}, {raw.place(row)}: {named} is already at {raw.place(earlier)} with "
        "other values; name the columns that tell these trials apart (",
        Setting("columns", {"task": [BLANK]}),
        " or ",
        Setting("columns", {"block": BLANK}),
        "), or ignore the trial numbers with ",
        Setting("columns", {"trial": None}),
        code="contradicting-rows",
    )

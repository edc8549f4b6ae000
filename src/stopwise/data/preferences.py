"""Tables of preferences: a row names two policies and which of their trials was better."""

from dataclasses import replace

import polars as pl

from stopwise.data.raw import UNIT, RawTable
from stopwise.data.typed_columns import to_names
from stopwise.messages import Message

# Usual names of the two policies of a row, and of what was said about them.
POLICIES = (
    *(("policy_a", "policy_b"), ("policy_0", "policy_1"), ("policy0", "policy1")),
    *(("model_a", "model_b"), ("a", "b")),
)
PREFERENCES = ("preference", "preferred", "winner")
TIES = frozenset({"tie", "tied", "equal", "draw", "both", "neither", "same"})
# The column of scores: 1 of the one preferred, 0 of the other, 1/2 each at a tie.
SCORE, ROW = "preference", "row"
# What operators say of the trials of a study of preferences, in the files that it exports.
ANSWER, DONE, ANSWERS = "answer", "done", frozenset({"first", "second", "tie"})


def share_preferred(said: str, first: str, second: str) -> float | None:
    """Return what the second of two has won by what was said; None if that names neither."""
    said = said.strip().lower()
    if said in TIES:
        return 0.5
    return {first.lower(): 0.0, second.lower(): 1.0}.get(said)


def one_row_per_trial(raw: RawTable) -> RawTable:
    """Return two trials for each row of a table of preferences; other tables as they are."""
    present = {name.strip().lower(): name for name in reversed(raw.frame.columns)}
    pair = next((names for names in POLICIES if all(name in present for name in names)), None)
    said = next((present[name] for name in PREFERENCES if name in present), None)
    if not raw.roles and _is_exported(raw.frame):
        return replace(raw, roles={"block": ROW}, bounds={"score": UNIT}, preferences="score")
    if raw.roles or pair is None or said is None:
        return raw
    names = [to_names(raw.frame[present[name]]).to_list() for name in pair]
    won = [_won(raw, said, row, pair, names) for row in range(len(raw.frame))]
    kept = [name for name in raw.frame.columns if name not in (*map(present.get, pair), said, ROW)]
    sides = [
        raw.frame.select(
            pl.Series("policy", names[side], dtype=pl.String),
            pl.Series(SCORE, [share if side else 1.0 - share for share in won]),
            pl.int_range(pl.len()).alias(ROW),
            *kept,
        )
        for side in (0, 1)
    ]
    long = pl.concat(sides).sort(ROW, maintain_order=True)
    note = Message(
        f"each row compares {pair[0]!r} and {pair[1]!r}: 1 for the one that {said!r} names, 1/2 "
        "each for a tie",
        code="preferences",
    )
    return replace(
        raw,
        frame=long,
        place=lambda index: raw.place(index // 2),
        roles={"policy": "policy", "score": SCORE, "block": ROW},
        bounds={SCORE: UNIT},
        notes=(*raw.notes, note),
        preferences=SCORE,
    )


def _is_exported(frame: pl.DataFrame) -> bool:
    """Whether these are trials of a study of preferences: the two of a row share one answer.

    The first is only said to be done, which could be a milestone too.
    """
    if not {"policy", "score", ROW, ANSWER} <= set(frame.columns):
        return False
    said = set(frame[ANSWER].cast(pl.String).drop_nulls()) - {"", DONE}
    return bool(said) and said <= ANSWERS


def _won(
    raw: RawTable, column: str, row: int, pair: tuple[str, str], names: list[list[str | None]]
) -> float:
    """Return what the second policy of a row has won, or raise."""
    value = raw.frame[column][row]
    first, second = (side[row] or "" for side in names)
    if first == second:
        raise raw.error(pair[1], row, f"the two policies must differ, but both are {first!r}")
    text = "" if value is None else str(value)
    found = [
        share
        for words in ((first, second), ("a", "b"), pair)
        if (share := share_preferred(text, *words)) is not None
    ]
    if not found:
        rule = f"must be A, B, tie, or one of {first}, {second}, but got {text!r}"
        raise raw.error(column, row, rule)
    return found[0]

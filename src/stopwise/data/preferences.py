"""Tables of preferences: a row names two policies and which of their trials was better."""

import re
from dataclasses import replace

import polars as pl

from stopwise.data.names import is_score_name, usual_name, words_of
from stopwise.data.raw import UNIT, RawTable
from stopwise.data.reading import Reading
from stopwise.data.typed_columns import to_names
from stopwise.errors import InvalidInput
from stopwise.messages import Message, Setting, names_listed

# Usual names of the two policies of a row, and words in that of what was said about them.
POLICY = re.compile(
    r"((policy|model|method|agent|system|player|generator|arm)(_name)?_?)?(?P<side>[a-b0-2]|left|right)"
)
SIDES = ("a", "b"), ("0", "1"), ("1", "2"), ("left", "right")
PREFERENCES = frozenset(("preference", "preferred", "winner"))
TIES = frozenset({"tie", "tied", "equal", "draw", "both", "neither", "same"})
# The column of scores: 1 of the one preferred, 0 of the other, 1/2 each at a tie.
SCORE, ROW = "preference", "row"
# What operators say of the trials of a study of preferences, in the files that it exports.
ANSWER, DONE, ANSWERS = "answer", "done", frozenset({"first", "second", "tie"})


def share_preferred(said: str, first: str, second: str) -> float | None:
    """Share won by the second policy; None if the word names neither."""
    said = said.strip().lower()
    if said not in (first.lower(), second.lower()) and TIES & set(re.split(r"\W+|_", said)[:1]):
        return 0.5
    return {first.lower(): 0.0, second.lower(): 1.0}.get(said)


def one_row_per_trial(raw: RawTable, reading: Reading) -> RawTable:
    """Return two trials for each row that holds those of two policies; other tables as they are.

    What stands in columns of either side, as ``score_a`` and ``score_b``, is of that trial.
    """
    if not raw.roles and _is_exported(raw.frame):
        return replace(raw, roles={"block": ROW}, bounds={"score": UNIT}, preferences="score")
    sides_of_two = None if raw.roles or reading.policies is not None else _two_policies(raw)
    if sides_of_two is None:
        return raw
    pair, ends = sides_of_two
    sides = _columns_of_sides(raw, pair, ends)
    said = _said(raw, reading)
    scores = [stem for stem in sides if is_score_name(stem)]
    if said is None and not scores:
        return raw
    names = [to_names(raw.frame[name]).to_list() for name in pair]
    score = said if said is not None and said == reading.columns.get("score") else SCORE
    shared = [
        name
        for name in raw.frame.columns
        if name not in (*pair, said, ROW) and not any(name in columns for columns in sides.values())
    ]
    parts = []
    for side in (0, 1):
        part = raw.frame.select(
            pl.Series("policy", names[side], dtype=pl.String),
            pl.int_range(pl.len()).alias(ROW),
            *(pl.col(columns[side]).alias(stem) for stem, columns in sides.items()),
            *shared,
        )
        if said is not None:
            won = [_won(raw, said, row, sides_of_two, names) for row in range(len(raw.frame))]
            of_side = [share if side else 1.0 - share for share in won]
            part = part.with_columns(pl.Series(score, of_side, dtype=pl.Float64))
        parts.append(part)
    text = f"each row compares {pair[0]!r} and {pair[1]!r}"
    if said is not None:
        text += f": 1 for the one that {said!r} names, 1/2 each for a tie"
    roles = {"policy": "policy", "block": ROW}
    preferred = said is not None and not (scores and reading.columns.get("score", "") != score)
    return replace(
        raw,
        frame=pl.concat(parts).sort(ROW, maintain_order=True),
        place=lambda index: raw.place(index // 2),
        roles=roles | ({"score": score} if preferred else {}),
        bounds={score: UNIT} if said is not None else {},
        notes=(*raw.notes, Message(text, code="preferences")),
        preferences=score if said is not None else None,
        defined=preferred,
    )


def _two_policies(raw: RawTable) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Return the columns that name the two policies of a row, and how the sides are called."""
    by_side: dict[str, str] = {}
    for name in raw.frame.columns:
        side = POLICY.fullmatch(usual_name(name))
        if side and raw.frame[name].dtype == pl.String:
            by_side.setdefault(side["side"], name)
    ends = next((sides for sides in SIDES if all(side in by_side for side in sides)), None)
    return None if ends is None else ((by_side[ends[0]], by_side[ends[1]]), ends)


def _columns_of_sides(
    raw: RawTable, pair: tuple[str, str], ends: tuple[str, str]
) -> dict[str, tuple[str, str]]:
    """Return the columns that both sides have, by what their names have in common."""
    usual = {usual_name(name): name for name in raw.frame.columns if name not in pair}
    columns = {}
    for short, name in usual.items():
        for form in ("{stem}_{side}", "{side}_{stem}"):
            start, end = form.format(stem="|", side=ends[0]).split("|")
            stem = short.removeprefix(start).removesuffix(end)
            other = form.format(stem=stem, side=ends[1])
            if start + stem + end == short and stem != short and other in usual:
                columns[stem] = (name, usual[other])
    return columns


def _said(raw: RawTable, reading: Reading) -> str | None:
    """Return the column that says which of the two was preferred."""
    chosen = reading.columns.get("score")
    named = [name for name in raw.frame.columns if PREFERENCES & words_of(name)]
    if chosen in named and isinstance(chosen, str):
        return chosen
    if len(named) > 1:
        text = f"{raw.source}: {names_listed(named)} may say which was preferred: choose with "
        raise InvalidInput(text, Setting("score"), code="two-outcomes")
    return named[0] if named else None


def _is_exported(frame: pl.DataFrame) -> bool:
    """Whether these are trials of a study of preferences: the two of a row share one answer.

    The first is only said to be done, which could be a milestone too.
    """
    if not {"policy", "score", ROW, ANSWER} <= set(frame.columns):
        return False
    said = set(frame[ANSWER].cast(pl.String).drop_nulls()) - {"", DONE}
    return bool(said) and said <= ANSWERS


def _won(
    raw: RawTable,
    column: str,
    row: int,
    sides: tuple[tuple[str, str], tuple[str, str]],
    names: list[list[str | None]],
) -> float:
    """Share won by the second policy of a row."""
    value = raw.frame[column][row]
    first, second = (side[row] or "" for side in names)
    if first == second:
        raise raw.error(sides[0][1], row, f"the two policies must differ, but both are {first!r}")
    text = "" if value is None else str(value)
    matches = [
        share
        for words in ((first, second), ("a", "b"), *sides)
        if (share := share_preferred(text, *words)) is not None
    ]
    if not matches:
        rule = f"must be A, B, tie, or one of {first}, {second}, but got {text!r}"
        raise raw.error(column, row, rule)
    return matches[0]

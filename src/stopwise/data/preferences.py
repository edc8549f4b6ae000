"""Tables of preferences: a row names two policies and which of their trials was better."""

import re
from dataclasses import replace

import polars as pl

from stopwise.data.names import is_score_name, usual_name, words_of
from stopwise.data.raw import UNIT, RawTable
from stopwise.data.reading import Reading
from stopwise.data.typed_columns import to_names
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
    """Return two trials for each row that holds those of two policies; other tables as they are."""
    if raw.roles or reading.policies is not None:
        return raw
    if _is_exported(raw.frame):
        return replace(raw, roles={"block": ROW}, bounds={"score": UNIT}, preferences="score")
    texts = [name for name, kind in raw.frame.schema.items() if kind == pl.String]
    named = {
        match["side"]: n for n in reversed(texts) if (match := POLICY.fullmatch(usual_name(n)))
    }
    ends = next((match for match in SIDES if all(side in named for side in match)), None)
    if ends is None:
        return raw
    pair = [named[side] for side in ends]
    sides = _columns_of_sides([name for name in raw.frame.columns if name not in pair], ends)
    said, chosen = _said(raw, reading), reading.columns.get("score")
    scores = any(map(is_score_name, sides))
    if said is None and not scores:
        return raw
    score = said if said is not None and said == chosen else SCORE
    taken = {*pair, said, ROW, *(name for match in sides.values() for name in match)}
    parts = [
        raw.frame.select(
            to_names(raw.frame[pair[side]]).alias("policy"),
            pl.int_range(pl.len()).alias(ROW),
            *(pl.col(match[side]).alias(stem) for stem, match in sides.items()),
            *(name for name in raw.frame.columns if name not in taken),
        )
        for side in (0, 1)
    ]
    text = f"each row compares {pair[0]!r} and {pair[1]!r}"
    if said is not None:
        won = _won(raw, said, ends, pair)
        parts = [
            part.with_columns(match.alias(score))
            for part, match in zip(parts, (1 - won, won), strict=True)
        ]
        text += f": 1 for the one that {said!r} names, 1/2 each for a tie"
    preferred = said is not None and not (scores and chosen != score)
    return replace(
        raw,
        frame=pl.concat(parts).sort(ROW, maintain_order=True),
        place=lambda index: raw.place(index // 2),
        roles={"policy": "policy", "block": ROW, **({"score": score} if preferred else {})},
        bounds={score: UNIT} if said is not None else {},
        notes=(*raw.notes, Message(text, code="preferences")),
        preferences=score if said is not None else None,
        defined=preferred,
    )


def _columns_of_sides(columns: list[str], ends: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """Return the columns that both sides have, by what their names have in common."""
    usual, sides = {usual_name(name): name for name in columns}, {}
    for short, name in usual.items():
        for before, after in ((f"{ends[0]}_", ""), ("", f"_{ends[0]}")):
            stem = short.removeprefix(before).removesuffix(after)
            other = f"{before and ends[1] + '_'}{stem}{after and '_' + ends[1]}"
            if before + stem + after == short and other in usual:
                sides[stem] = (name, usual[other])
    return sides


def _said(raw: RawTable, reading: Reading) -> str | None:
    """Return the column that says which of the two was preferred."""
    chosen = reading.columns.get("score")
    names = [name for name in raw.frame.columns if PREFERENCES & words_of(name)]
    names = [name for name in names if name == chosen] or names
    if len(names) > 1:
        text = f"{names_listed(names)} may say which was preferred: choose with "
        raise raw.refusal(text, Setting("score"))
    return names[0] if names else None


def _is_exported(frame: pl.DataFrame) -> bool:
    """Whether a study of preferences was exported: of two trials, the first is only done."""
    if not {"policy", "score", ROW, ANSWER} <= set(frame.columns):
        return False
    said = set(frame[ANSWER].cast(pl.String).drop_nulls()) - {"", DONE}
    return bool(said) and said <= ANSWERS


def _won(raw: RawTable, column: str, ends: tuple[str, str], pair: list[str]) -> pl.Series:
    """Share won by the second policy of each row."""
    won = []
    names = [to_names(raw.frame[name]).fill_null("") for name in pair]
    answers = raw.frame[column].cast(pl.String).fill_null("")
    for row, (first, second, said) in enumerate(zip(*names, answers, strict=True)):
        if first == second:
            rule = f"the two policies must differ, but both are {first!r}"
            raise raw.error(pair[1], row, rule)
        shares = [
            share_preferred(said, *words) for words in ((first, second), ("a", "b"), pair, ends)
        ]
        known = [share for share in shares if share is not None]
        if not known:
            rule = f"must be A, B, tie, or one of {first}, {second}, but got {said!r}"
            raise raw.error(column, row, rule)
        won.append(known[0])
    return pl.Series(won, dtype=pl.Float64)

"""Which trials share a start: columns whose values policies share, and tasks of one scene each."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from stopwise.data.names import (
    ALL_NAMES,
    NUMBERING,
    STARTS,
    sounds_like_outcome,
    usual_name,
    words_of,
)
from stopwise.data.reading import Reading
from stopwise.data.roles import Column, guess_note
from stopwise.data.standard import Part
from stopwise.data.typed_columns import to_names
from stopwise.messages import BLANK, Notes, Setting, names_listed

# From so many tasks on, with one trial of each policy, they are scenes.
MANY_TASKS = 10
# Columns with so few values, of so many trials each, may be strata.
MOST_STRATA, LEAST_EACH = 12, 5
# So much of the fewest values of a policy must be those of another one, too.
MOSTLY = 0.8
HEAD = 2000  # what recurs in so many rows need not be counted in a million
KEYS = ("task", "policy")


def with_blocks(parts: Sequence[Part], reading: Reading, notes: Notes) -> list[Part]:
    """Return the trials with blocks: values distinct within each policy, shared between them."""
    known = {name for part in parts for name in part.frame.columns}
    defined = parts[0].raw.defined or "block" in reading.columns
    names = [] if defined or {"block", "row"} & known else parts[0].raw.frame.columns
    common = [name for name in names if all(_is_free(part, name) for part in parts)]
    for name in sorted(common, key=lambda name: not STARTS & words_of(name)):
        values = [to_names(part.raw.frame[name].gather(part.rows)) for part in parts]
        keys = pl.concat([part.frame.select(KEYS) for part in parts])
        table = keys.with_columns(pl.concat(values).alias("block"))
        if not _pairs_up(table):
            continue
        if not STARTS & words_of(name) and _counts_up(table):
            text = f"{name!r} numbers the trials of each policy; if those with one number share a "
            say = Setting("columns", {"block": name})
            notes.add(f"{text}start, say ", say, code="maybe-block")
            continue
        notes.append(guess_note("block", name))
        block = Column(name, "block", "distinct within a policy, shared between policies")
        return [
            replace(
                part,
                frame=part.frame.with_columns(blocks.alias("block")),
                explained=tuple(
                    block if column.name == name else column for column in part.explained
                ),
            )
            for part, blocks in zip(parts, values, strict=True)
        ]
    return list(parts)


def _is_free(part: Part, name: str) -> bool:
    """Whether a column of a file plays no role and may hold names or whole numbers."""
    kind = part.raw.frame.schema.get(name, pl.Null())
    named = usual_name(name) in ALL_NAMES | NUMBERING or sounds_like_outcome(name)
    plays = any(column.name == name and column.role for column in part.explained)
    return (kind == pl.String or kind.is_integer()) and not named and not plays


def _pairs_up(table: pl.DataFrame) -> bool:
    """Whether values are distinct within each policy and task, and mostly shared by policies."""
    if table["block"].null_count() or table["policy"].n_unique() < 2:
        return False
    if table.head(HEAD).is_duplicated().any() or table.is_duplicated().any():
        return False
    cells = table.group_by("task", "block").len()["len"]
    fewest = min(table.group_by(KEYS).len()["len"].to_list())
    return bool(fewest > 1 and int((cells > 1).sum()) >= MOSTLY * fewest)


def _counts_up(table: pl.DataFrame) -> bool:
    """Whether values count the trials of each policy in their order, as do ep_0.mp4, ep_1.mp4."""
    number = pl.col("block").str.extract(r"(\d+)(?:\.\w+)?$").cast(pl.Int64, strict=False)
    numbers = table.with_columns(number)
    steps = numbers.select(pl.col("block").diff().over(KEYS))["block"].drop_nulls()
    return numbers["block"].null_count() == 0 and bool((steps == 1).all())


def tell_unused(parts: Sequence[Part], notes: Notes) -> None:
    """Note on unused columns that may be strata, since policies share their few values."""
    unused: dict[str, None] = {}
    for part in parts if not any(part.raw.defined for part in parts) else ():
        policies = part.frame["policy"]
        several = policies.n_unique()
        for name in [column.name for column in part.explained if not column.role]:
            values = part.raw.frame[name]
            if sounds_like_outcome(name) or values.dtype.is_float() or several < 2:
                continue
            values_of = pl.DataFrame({"policy": policies, "own": values.gather(part.rows)})
            number = values_of["own"].n_unique()
            few = 1 < number <= MOST_STRATA and len(values_of) >= LEAST_EACH * number
            if few and values_of.n_unique() == number * several:
                unused[name] = None
    if unused:
        text = f"not used, though it may matter: {names_listed(unused)}; "
        say = Setting("columns", {"block": next(iter(unused))})
        rule = " compares within its values, if they were set before the trial"
        notes.add(text, say, rule, code="unused-columns")


def scenes_of_one_task(frame: pl.DataFrame, reading: Reading, notes: Notes) -> pl.DataFrame:
    """Return tasks that have one trial of each policy as the scenes of a single task."""
    tasks = frame["task"].n_unique()
    if {"task", "block"} & reading.columns.keys() or tasks < MANY_TASKS:
        return frame
    if frame["policy"].n_unique() < 2 or frame.select(KEYS).is_duplicated().any():
        return frame
    notes.add(
        f"each of {tasks} tasks has one trial of a policy, so they are read as scenes of one task; "
        "if they are tasks, name their column with ",
        Setting("columns", {"task": BLANK}),
        code="scenes-of-one-task",
    )
    scene = pl.col("block" if "block" in frame.columns else "task")
    return frame.with_columns(scene.alias("block"), pl.lit("task").alias("task"))

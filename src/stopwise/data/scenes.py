"""Which trials share a start: columns whose values policies share, and tasks of one scene each."""

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from stopwise.data.headers import NUMBERING
from stopwise.data.names import (
    ALL_NAMES,
    CIRCUMSTANCES,
    STARTS,
    TIMES,
    sounds_like_outcome,
    usual_name,
    words_of,
)
from stopwise.data.reading import Reading
from stopwise.data.roles import Column, guess_note, is_policy
from stopwise.data.standard import Part
from stopwise.data.typed_columns import to_names
from stopwise.messages import BLANK, Message, Notes, Setting, names_listed

# From so many tasks on, with one trial of each policy, they are scenes.
MANY_TASKS = 10
# Columns with so few values, of so many trials each, may be strata.
MOST_STRATA, LEAST_EACH = 12, 5
# So much of the fewest values of a policy must be those of another one, too.
MOSTLY = 0.8
HEAD = 2000  # what recurs in so many rows need not be counted in a million
KEYS = ("task", "policy")


def with_blocks(parts: Sequence[Part], reading: Reading, notes: Notes) -> list[Part]:
    """Return the trials with a column of blocks, if one is shared by policies and no role is.

    Its values are distinct within each policy of a task, and shared between the policies.
    """
    known = {name for part in parts for name in part.frame.columns}
    if "block" in reading.columns or {"block", "row"} & known:
        return list(parts)
    common = [
        name
        for name in parts[0].raw.frame.columns
        if all(_is_free(part, name) for part in parts) and not parts[0].raw.defined
    ]
    for name in sorted(common, key=lambda name: not _says_start(name)):
        values = [to_names(part.raw.frame[name].gather(part.rows)) for part in parts]
        keys = [part.frame.select(KEYS) for part in parts]
        table = pl.concat(keys).with_columns(pl.concat(values).alias("block"))
        if not _pairs_up(table):
            continue
        if not _says_start(name) and _counts_up(table):
            text = f"{name!r} numbers the trials of each policy; if those with one number share a "
            say = Setting("columns", {"block": name})
            notes.add(f"{text}start, say ", say, code="maybe-block")
            continue
        notes.append(guess_note("block", name))
        block = Column(name, "block", "distinct within a policy, shared between policies")
        return [
            replace(
                part,
                frame=part.frame.with_columns(own.alias("block")),
                told=tuple(block if told.name == name else told for told in part.told),
            )
            for part, own in zip(parts, values, strict=True)
        ]
    return list(parts)


def _is_free(part: Part, name: str) -> bool:
    """Whether a column of a file plays no role and may hold names or whole numbers."""
    if name not in part.raw.frame.columns:
        return False
    kind = part.raw.frame.schema[name]
    roles = {column.name: column.role for column in part.told}
    fits = kind == pl.String or kind.is_integer()
    named = usual_name(name) in ALL_NAMES | NUMBERING or sounds_like_outcome(name)
    return fits and not named and roles.get(name, "") == ""


def _says_start(name: str) -> bool:
    return bool(STARTS & words_of(name))


def _pairs_up(table: pl.DataFrame) -> bool:
    """Whether values are distinct within each policy and task, and mostly shared by policies."""
    if table["block"].null_count() or table["policy"].n_unique() < 2:
        return False
    head = table.head(HEAD)
    if head.is_duplicated().any() or table.is_duplicated().any():
        return False
    cells = table.group_by("task", "block").len()["len"]
    fewest = table.group_by(KEYS).len()["len"].min()
    assert isinstance(fewest, int)
    return fewest > 1 and int((cells > 1).sum()) >= MOSTLY * fewest


def _counts_up(table: pl.DataFrame) -> bool:
    """Whether values count the trials of each policy in their order, as do ep_0.mp4, ep_1.mp4."""
    number = pl.col("block").str.extract(r"(\d+)(?:\.\w+)?$").cast(pl.Int64, strict=False)
    numbers = table.with_columns(number)
    steps = numbers.select(pl.col("block").diff().over(KEYS))["block"].drop_nulls()
    return numbers["block"].null_count() == 0 and bool((steps == 1).all())


def tell_unused(parts: Sequence[Part], notes: Notes) -> None:
    """Note on unused columns that may be strata, since policies share their few values."""
    found: dict[str, None] = {}
    for part in parts if not any(part.raw.defined for part in parts) else ():
        policies = part.frame["policy"]
        for told in part.told:
            column = part.raw.frame[told.name]
            if told.role or sounds_like_outcome(told.name) or column.dtype.is_float():
                continue
            values = column.gather(part.rows)
            number = values.n_unique()
            if not 1 < number <= MOST_STRATA or len(values) < LEAST_EACH * number:
                continue
            shared = pl.DataFrame({"policy": policies, "own": values}).n_unique()
            if shared == number * policies.n_unique() and policies.n_unique() > 1:
                found[told.name] = None
    if found:
        first = next(iter(found))
        text = f"not used, though it may matter: {names_listed(found)}; "
        say = Setting("columns", {"block": first})
        rule = " compares within its values, if they were set before the trial"
        notes.add(text, say, rule, code="unused-columns")


def tell_confounded(parts: Sequence[Part], notes: Notes) -> None:
    """Note on circumstances that are confounded with the policy."""
    found = []
    for name in parts[0].raw.frame.columns:
        if not CIRCUMSTANCES & words_of(name) or is_policy(parts[0].raw, name):
            continue
        if not all(name in part.raw.frame.columns for part in parts):
            continue
        values = pl.concat([to_names(part.raw.frame[name].gather(part.rows)) for part in parts])
        policies = pl.concat([part.frame["policy"] for part in parts])
        own = pl.DataFrame({"policy": policies, "own": values}).drop_nulls()
        if own["policy"].n_unique() > 1 and _belong_to_one(own, times=bool(TIMES & words_of(name))):
            found.append(name)
    if found:
        text = f"policy and {names_listed(found)} cannot be told apart: each value belongs to one "
        notes.add(f"{text}policy, so that a difference may be theirs", code="confounded")


def _belong_to_one(own: pl.DataFrame, *, times: bool) -> bool:
    """Whether each value belongs to one policy; times, if policies came one after the other."""
    head = own.head(HEAD)
    if head.n_unique() != head["own"].n_unique():
        return False
    values = own["own"].n_unique()
    if own.n_unique() != values or values < 2 or len(own) < LEAST_EACH * own["policy"].n_unique():
        return False
    if not times:
        return 2 * values <= len(own)
    changes = own.sort("own")["policy"]
    return int((changes != changes.shift(1)).sum()) == own["policy"].n_unique() - 1


def scenes_of_one_task(frame: pl.DataFrame, reading: Reading, notes: Notes) -> pl.DataFrame:
    """Return tasks that have one trial of each policy as the scenes of a single task."""
    if {"task", "block"} & reading.columns.keys():
        return frame
    tasks = frame["task"].n_unique()
    if tasks < MANY_TASKS or frame["policy"].n_unique() < 2:
        return frame
    if frame.select(KEYS).is_duplicated().any():
        return frame
    text = f"each of {tasks} tasks has one trial of a policy, so they are read as scenes of one "
    note = Message(
        f"{text}task; if they are tasks, name their column with ",
        Setting("columns", {"task": BLANK}),
        code="scenes-of-one-task",
    )
    notes.append(note)
    scene = pl.col("block" if "block" in frame.columns else "task")
    return frame.with_columns(scene.alias("block"), pl.lit("task").alias("task"))

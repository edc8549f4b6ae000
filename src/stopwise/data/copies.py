"""Trials that appear twice, in one file or in two: a copy must not count as more evidence."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from stopwise.data.raw import RawTable
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Notes, Setting, counted, names_listed

if TYPE_CHECKING:
    from stopwise.data.standard import Part

# Files with fewer trials may well agree, and nothing is said of it.
LEAST_COPIED = 10
# Trials that could have come in fewer orders may agree by chance, as those without a failure do.
LEAST_ORDERS = 10_000
# What a numbered trial is known by: each training run may number its own.
IDENTITY = ("task", "policy", "seed", "block", "step", "trial")


def duplicate_rows(raw: RawTable, frame: pl.DataFrame, notes: Notes) -> pl.Series:
    """Rows that repeat an earlier one; raise if it has the same number, but other values."""
    none = pl.repeat(False, len(frame), eager=True)
    if "trial" not in frame.columns:
        return none
    identity = frame.select(name for name in IDENTITY if name in frame.columns)
    repeated = identity.select(~pl.struct(pl.all()).is_first_distinct()).to_series()
    repeated &= frame["trial"].is_not_null()
    if not repeated.any():
        return none
    same = raw.frame.select(~pl.struct(pl.all()).is_first_distinct()).to_series()
    contradictions = (repeated & ~same).arg_true()
    if len(contradictions):
        raise _contradiction(raw, identity, contradictions[0])
    dropped = f"{raw.source}: {counted(int(repeated.sum()), 'duplicate row')} dropped"
    notes.add(dropped, code="duplicates-dropped")
    return repeated


def _contradiction(raw: RawTable, identities: pl.DataFrame, row: int) -> InvalidInput:
    identity = identities.row(row)
    earlier = raw.place(identities.head(row).rows().index(identity))
    named = zip(identities.columns, identity, strict=True)
    about = ", ".join(f"{name} {value!r}" for name, value in named)
    return raw.refusal(
        f"{about} already appears at {earlier} with different values: if these are parts of one "
        "trial, ",
        Setting("where"),
        " reads one of them; if each row is a trial, name the columns that tell them apart (",
        Setting("columns", {"task": [BLANK]}),
        " or ",
        Setting("columns", {"block": BLANK}),
        "), or ignore the numbers with ",
        Setting("columns", {"trial": None}),
        row=row,
    )


def without_copies(parts: "Sequence[Part]", notes: Notes) -> "list[Part]":
    """Return the files without parts that a merged file holds; raise for other copies."""
    parts = _without_shards(parts, notes)
    if len(parts) > 1:
        _refuse_same_numbers(parts, notes)
        _refuse_same_rows(parts)
    return parts


def _without_shards(parts: "Sequence[Part]", notes: Notes) -> "list[Part]":
    """Return the files without the parts of a merged one: its rows are those of all of them."""
    kept = list(parts)
    by_policy: dict[tuple[str, ...], list[Part]] = {}
    for part in parts if len(parts) > 2 else ():
        by_policy.setdefault(tuple(part.frame["policy"].unique().sort()), []).append(part)
    for of_policy in by_policy.values():
        rows = {id(part): Counter(_row_hashes(part.frame)) for part in of_policy}
        for merged in sorted(of_policy, key=lambda part: -len(part.frame)):
            inner = [p for p in of_policy if p is not merged and rows[id(p)] <= rows[id(merged)]]
            union: Counter[int] = sum((rows[id(part)] for part in inner), Counter())
            if len(inner) > 1 and union == rows[id(merged)] and _is_telling(merged.frame):
                names = names_listed(Path(part.raw.source).name for part in inner)
                text = f"{merged.raw.source}: holds the trials of {names}, which count once"
                notes.add(text, code="shards")
                kept = [part for part in kept if part not in inner]
                break
    return kept


def _row_hashes(frame: pl.DataFrame) -> list[int]:
    return frame.select(sorted(frame.columns)).hash_rows(seed=0).to_list()


def _refuse_same_numbers(parts: "Sequence[Part]", notes: Notes) -> None:
    """Raise if a file repeats the numbered trials of an earlier one."""
    frames = [
        part.frame.with_columns(part.rows.alias("_row"), pl.lit(index).alias("_part"))
        for index, part in enumerate(parts)
        if "trial" in part.frame.columns
    ]
    if len(frames) < 2:
        return
    table = pl.concat(frames, how="diagonal_relaxed").filter(pl.col("trial").is_not_null())
    identity = [name for name in IDENTITY if name in table.columns]
    values = pl.struct(pl.exclude("_row", "_part"))
    table = table.with_columns(
        (values == values.first().over(identity)).alias("_same"),
        pl.col("_row", "_part").first().over(identity).name.suffix("_before"),
    ).filter(pl.col("_part") != pl.col("_part_before"))
    repeats = table.group_by("_part", "_part_before", maintain_order=True).agg(
        pl.col("_same").all(), pl.col("_row", "_row_before").first()
    )
    for row in repeats.filter("_same").rows(named=True):
        raw, earlier = parts[row["_part"]].raw, parts[row["_part_before"]].raw
        raise raw.refusal(
            f"this trial is already in {earlier.source}, {earlier.place(row['_row_before'])}, as "
            "are all that both files have in common; leave one file out if it is a copy or an "
            "earlier state of the other; if they are different trials, say so with ",
            Setting("columns", {"trial": None}),
            row=row["_row"],
        )
    if anew := repeats["_part"].n_unique():
        number = counted(anew, "file numbers its trials", "files number their trials")
        text = f"{number} as another one does, with other values: they count as further trials"
        notes.add(text, code="numbers-restart")


def _refuse_same_rows(parts: "Sequence[Part]") -> None:
    """Raise if a file begins with all rows of another, and could have come in many other orders."""
    # Of many files two may agree by chance where two files alone would not.
    orders = max(LEAST_ORDERS, 100 * math.comb(len(parts), 2))
    sums = [_running_hash(part.frame) for part in parts]
    first: dict[tuple[int, int], int] = {}
    for index, (part, hashes) in enumerate(zip(parts, sums, strict=True)):
        if _is_telling(part.frame, orders):
            first.setdefault((len(hashes), hashes[-1]), index)
    lengths = sorted({length for length, _ in first})
    for index, hashes in enumerate(sums):
        for length in (length for length in lengths if length <= len(hashes)):
            other = first.get((length, hashes[length - 1]), index)
            if other != index:
                _refuse_beginning(parts[index], parts[other])


def _running_hash(frame: pl.DataFrame) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    """Return a number for each beginning of the rows, which depends on their order too."""
    return frame.with_row_index("_at").hash_rows(seed=0).cum_sum().to_numpy()


def _refuse_beginning(one: "Part", other: "Part") -> None:
    """Raise if the first rows of the one are those of the other."""
    head = one.frame.head(len(other.frame))
    if head.equals(other.frame):
        first = "" if len(head) == len(one.frame) else "first "
        trials = counted(len(head), "trial is that", "trials are those")
        raise one.raw.refusal(
            f"its {first}{trials} of {other.raw.source}, row for row: leave one of the files out "
            "if it is a copy or an earlier state of the other; if they are different trials, say "
            "so with ",
            Setting("columns", {"trial": None}),
        )


def tell_equal(frame: pl.DataFrame, notes: Notes) -> None:
    """Say of which policies the scores are the same in the same order, beyond chance, or recur."""
    frame = frame.select("task", "policy", "score")
    grouped = frame.group_by("task", "policy", maintain_order=True).agg("score")
    seen: dict[object, str] = {}
    for task, policy, scores in zip(*grouped.get_columns(), strict=True):
        values = scores.to_numpy()
        times, other = _times_over(values), seen.setdefault((task, values.tobytes()), policy)
        if times == 1 and other == policy:
            continue
        trials, length = frame.filter(task=task, policy=policy), len(values) // times
        if times > 1 and _is_telling(trials.head(length)):
            over = f"{length} scores, {times} times over in the same order"
            text = f"the {len(values)} scores of {policy!r} are {over}: are there trials twice?"
            notes.add(text, code="repeated-scores")
        if other != policy and _is_telling(trials):
            text = f"policies {other!r} and {policy!r} have the same scores in the same order: is "
            notes.add(f"{text}one a copy of the other?", code="copied-scores")


def _times_over(scores: Any) -> int:
    """Number of repeats of the same scores in the same order, but not of a short pattern."""
    for times in range(2, 6):
        part = scores[: len(scores) // times]
        if len(part) >= LEAST_COPIED and np.array_equal(scores, np.tile(part, times)):
            gaps = range(1, LEAST_COPIED)
            return 1 if any(np.array_equal(part[gap:], part[:-gap]) for gap in gaps) else times
    return 1


def _is_telling(frame: pl.DataFrame, orders: int = LEAST_ORDERS) -> bool:
    """Whether the rows of the policies could have come in many other orders."""
    if len(frame) < LEAST_COPIED:
        return False
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(len(frame) + 1), 1)))
    columns = [name for name in frame.columns if name not in ("trial", "row")]
    policies = frame.group_by("task", "policy").len()["len"].to_numpy()
    equal = frame.group_by(columns).len()["len"].to_numpy()
    return float(log_factorial[policies].sum() - log_factorial[equal].sum()) >= math.log(orders)

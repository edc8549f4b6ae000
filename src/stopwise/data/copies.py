"""Trials that appear twice, in one file or in two: a copy must not count as more evidence."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from stopwise.core.arrays import Floats
from stopwise.data.names import RISING, STEPS, sounds_like_outcome, usual_name
from stopwise.data.raw import RawTable, says
from stopwise.errors import InvalidInput
from stopwise.messages import BLANK, Notes, Setting, counted, names_listed

if TYPE_CHECKING:
    from stopwise.data.standard import Part

# Files with fewer trials may well agree, and nothing is said of it.
LEAST_COPIED = 10
# Trials that could have come in fewer orders may agree by chance, as those without a failure do.
LEAST_ORDERS = 10_000
# How a copy is called: "results (copy)", "results - Copy (2)", "Copy of results", "results_copy".
COPY = re.compile(r"^copy of |[ _-]*\(?copy[ _-]?\d*\)?( ?\(\d+\))?$| ?\(\d+\)$")
# What a numbered trial is known by: each training run may number its own.
IDENTITY = ("task", "policy", "seed", "block", "step", "trial")


def duplicate_rows(raw: RawTable, frame: pl.DataFrame, notes: Notes) -> pl.Series:
    """Rows that repeat an earlier one in every column of the file.

    Without a column that numbers the trials nothing is a duplicate: two failures look alike.
    Two different rows with the same task, policy, seed, block and number are an error: either one
    of them is wrong, or a column that tells them apart has not been named.
    """
    none = pl.Series([False]).new_from_index(0, len(frame))
    if "trial" not in frame.columns:
        return none
    identity = [name for name in IDENTITY if name in frame.columns]
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
    start = f"{raw.source}, {raw.place(row)}: {named} already appears at {raw.place(earlier)} with "
    part = _part_of_trial(raw, identities)
    apart = (Setting("columns", {"task": [BLANK]}), " or ", Setting("columns", {"block": BLANK}))
    if part is None:
        return InvalidInput(
            f"{start}different values; name the columns that tell these trials apart (",
            *apart,
            "), or ignore the trial numbers with ",
            Setting("columns", {"trial": None}),
            code="contradicting-rows",
        )
    last = (", ", Setting("columns", {"step": part}), " and ", Setting("at", "last"), " the last")
    return InvalidInput(
        f"{start}another {part!r}: ",
        Setting("where", {part: BLANK}),
        " reads one row of each trial",
        *(last if usual_name(part) in (*STEPS, *RISING) else ()),
        "; if each row is a trial, name the columns that tell them apart (",
        *apart,
        ")",
        code="parts-of-trials",
    )


def _part_of_trial(raw: RawTable, identities: pl.DataFrame) -> str | None:
    """Return the column that tells all rows of one trial apart, by few values that recur."""
    found: dict[str, int] = {}
    for name, values in raw.frame.to_dict().items():
        number = values.n_unique()
        if sounds_like_outcome(name) and usual_name(name) not in (*STEPS, *RISING):
            continue
        if 1 < number <= len(values) / 2 and not values.dtype.is_float():
            rows = identities.with_columns(values.alias("_part"))
            if not rows.is_duplicated().any():
                found[name] = number
    return min(found, key=found.__getitem__, default=None)


def without_copies(parts: "Sequence[Part]", notes: Notes) -> "list[Part]":
    """Return the files without those whose trials a merged file holds; raise for other copies.

    Numbered trials repeat if all that both files number alike agree in every column; if only some
    do, each file counts anew. Trials without numbers repeat if a whole file agrees row for row with
    another one or with its beginning, and is called a copy or could have come in many other orders.
    Of different policies the second file doubles nothing, and is only pointed out.
    """
    parts = _without_shards(parts, notes)
    if len(parts) < 2:
        return parts
    for (part, own), (before, earlier) in _repeated(parts, notes):
        raise InvalidInput(
            f"{part.raw.source}, {part.raw.place(own)}: this trial is already in "
            f"{before.raw.source}, {before.raw.place(earlier)}, as are all that both files have "
            "in common; leave one file out if it is a copy or an earlier state of the other; if "
            "they are different trials, say so with ",
            Setting("columns", {"trial": None}),
            code="copied-trials",
        )
    # Of many files two may agree by chance where two files alone would not.
    orders = max(LEAST_ORDERS, 100 * math.comb(len(parts), 2))
    telling = [
        len(part.frame) >= LEAST_COPIED and _log_orders(part.frame) >= math.log(orders)
        for part in parts
    ]
    _refuse_same_rows(parts, telling)
    _tell_same_rows(parts, telling, notes)
    return parts


def _without_shards(parts: "Sequence[Part]", notes: Notes) -> "list[Part]":
    """Return the files without the parts of a merged one: its rows are those of all of them."""
    kept = list(parts)
    by_policy: dict[tuple[str, ...], list[Part]] = {}
    for part in parts if len(parts) > 2 else ():
        by_policy.setdefault(tuple(part.frame["policy"].unique().sort()), []).append(part)
    for own in by_policy.values():
        rows = {id(part): Counter(_row_hashes(part.frame)) for part in own}
        for merged in sorted(own, key=lambda part: -len(part.frame)):
            inner = [p for p in own if p is not merged and rows[id(p)] <= rows[id(merged)]]
            union: Counter[int] = sum((rows[id(part)] for part in inner), Counter())
            orders = _log_orders(merged.frame)
            if len(inner) > 1 and union == rows[id(merged)] and orders >= math.log(LEAST_ORDERS):
                names = names_listed(Path(part.raw.source).name for part in inner)
                text = f"{merged.raw.source}: holds the trials of {names}, which count once"
                notes.add(text, code="shards")
                left_out = set(map(id, inner))
                kept = [part for part in kept if id(part) not in left_out]
                break
    return kept


def _row_hashes(frame: pl.DataFrame) -> list[int]:
    return frame.select(sorted(frame.columns)).hash_rows(seed=0).to_list()


def tell_equal(frame: pl.DataFrame, notes: Notes) -> None:
    """Say of which policies and tasks the scores are the same in the same order, beyond chance."""
    if says(notes, "copied-scores"):
        return  # said of their files
    grouped = frame.group_by("task", "policy", maintain_order=True).agg("score")
    seen: dict[tuple[object, bytes], str] = {}
    of_tasks: dict[str, list[bytes]] = {}
    for task, policy, scores in zip(*grouped.get_columns(), strict=True):
        values = scores.to_numpy()
        of_tasks.setdefault(task, []).append(policy.encode() + values.tobytes())
        if len(values) < LEAST_COPIED:
            continue
        times = _times_over(values)
        if times > 1:
            over = f"{len(values) // times} scores, {times} times over in the same order"
            text = f"the {len(values)} scores of {policy!r} are {over}: are there trials twice?"
            notes.add(text, code="repeated-scores")
        other = seen.setdefault((task, values.tobytes()), policy)
        if other != policy and _orders_of(values) >= math.log(LEAST_ORDERS):
            notes.add(
                f"policies {other!r} and {policy!r} have the same scores in the same order: is one "
                "a copy of the other?",
                code="copied-scores",
            )
    first: dict[tuple[bytes, ...], str] = {}
    for task, content in of_tasks.items():
        other = first.setdefault(tuple(content), task)
        own = frame.filter(task=task) if other != task else frame[:0]
        if other != task and _log_orders(own.drop("task")) >= math.log(LEAST_ORDERS):
            notes.add(
                f"tasks {other!r} and {task!r} have the same scores in the same order: is one a "
                "copy of the other?",
                code="copied-scores",
            )


def _orders_of(scores: Floats) -> float:
    """Return the log of the number of orders in which these scores could have come."""
    equal = np.unique(scores, return_counts=True)[1]
    return math.lgamma(len(scores) + 1) - sum(math.lgamma(count + 1) for count in equal)


def _times_over(scores: Floats) -> int:
    """Number of repeats of the same scores in the same order, unless chance explains them."""
    for times in range(2, 6):
        part = scores[: len(scores) // times]
        if len(part) < LEAST_COPIED or not np.array_equal(scores, np.tile(part, times)):
            continue
        short = any(np.array_equal(part[gap:], part[:-gap]) for gap in range(1, LEAST_COPIED))
        return 1 if short or _orders_of(part) < math.log(LEAST_ORDERS) else times
    return 1


def _refuse_same_rows(parts: "Sequence[Part]", telling: Sequence[bool]) -> None:
    """Raise if a file begins with all rows of another, if that is telling or one is called a copy.

    Each is compared with the first of those that are equal: there may be thousands.
    """
    sums = [_running_hash(part.frame) for part in parts]
    names = [COPY.sub("", Path(part.raw.source).stem.lower()) for part in parts]
    first: dict[tuple[int, int, str | None], int] = {}
    for index, own in enumerate(sums):
        for name in (names[index], None)[: 1 + telling[index]]:
            first.setdefault((len(own), own[-1] if len(own) else 0, name), index)
    lengths = sorted({length for length, _, _ in first if length})
    for index, own in enumerate(sums):
        for length in lengths[: bisect_right(lengths, len(own))]:
            for name in (names[index], None):
                other = first.get((length, own[length - 1], name), index)
                sources = parts[index].raw.source, parts[other].raw.source
                if other != index and (name is None or _is_called_copy(*sources)):
                    _refuse_beginning(parts[index], parts[other])


def _running_hash(frame: pl.DataFrame) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    """Return a number for each beginning of the rows, which depends on their order too."""
    return frame.with_row_index("_at").hash_rows(seed=0).cum_sum().to_numpy()


def _refuse_beginning(one: "Part", other: "Part") -> None:
    """Raise if the first rows of the one are those of the other."""
    own = one.frame.head(len(other.frame))
    if own.equals(other.frame):
        first = "" if len(own) == len(one.frame) else "first "
        trials = counted(len(own), "trial is that", "trials are those")
        raise InvalidInput(
            f"{one.raw.source}: its {first}{trials} of {other.raw.source}, row for row: leave one "
            "of the files out if it is a copy or an earlier state of the other; if they are "
            "different trials, say so with ",
            Setting("columns", {"trial": None}),
            code="copied-file",
        )


def _tell_same_rows(parts: "Sequence[Part]", telling: Sequence[bool], notes: Notes) -> None:
    """Note on equal files: of one policy, or of several where chance cannot explain it."""
    first: dict[tuple[int, int], int] = {}
    equal: list[tuple[str, str]] = []
    for index, part in enumerate(parts):
        if len(part.frame) < LEAST_COPIED:
            continue
        for frame in (part.frame, part.frame.drop("policy"))[: 1 + telling[index]]:
            other = first.setdefault((len(frame), _running_hash(frame)[-1]), index)
            if other != index:
                equal.append((part.raw.source, parts[other].raw.source))
                break
    if equal:
        text = "{} and {} hold the same scores in the same order".format(*equal[0])
        if len(equal) > 1:
            text += f", and {counted(len(equal) - 1, 'more file does', 'more files do')} too"
        notes.add(f"{text}: is one a copy of the other?", code="copied-scores")


def _is_called_copy(one: str, other: str) -> bool:
    """Whether a name is the other's with what computers and people add to that of a copy.

    Files that are all numbered, as "run (1)" and "run (2)", are no copies by name.
    """
    names = [Path(source).stem.lower() for source in (one, other)]
    plain = [COPY.sub("", name) for name in names]
    return names[0] != names[1] and plain[0] == plain[1] and plain[0] in names


def _log_orders(frame: pl.DataFrame) -> float:
    """Return the log of the number of orders in which the rows of each policy could have come."""
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(len(frame) + 1), 1)))
    told = [name for name in frame.columns if name not in ("trial", "row")]
    groups = [name for name in ("task", "policy") if name in frame.columns]
    policies = frame.group_by(groups).len()["len"].to_numpy()
    equal = frame.group_by(told).len()["len"].to_numpy()
    return float(log_factorial[policies].sum() - log_factorial[equal].sum())


def _repeated(
    parts: "Sequence[Part]", notes: Notes
) -> "list[tuple[tuple[Part, int], tuple[Part, int]]]":
    """Return, for each file that repeats trials of an earlier one, a trial and where it was."""
    frames = [
        part.frame.with_columns(part.rows.alias("_row"), pl.lit(index).alias("_part"))
        for index, part in enumerate(parts)
        if "trial" in part.frame.columns
    ]
    if len(frames) < 2:
        return []
    table = pl.concat(frames, how="diagonal_relaxed").filter(pl.col("trial").is_not_null())
    identity = [name for name in IDENTITY if name in table.columns]
    values = pl.struct(pl.exclude("_row", "_part"))
    table = table.with_columns(
        (values == values.first().over(identity)).alias("_same"),
        pl.col("_row").first().over(identity).alias("_row_before"),
        pl.col("_part").first().over(identity).alias("_part_before"),
    ).filter(pl.col("_part") != pl.col("_part_before"))
    found = table.group_by("_part", "_part_before", maintain_order=True).agg(
        pl.col("_same").all(), pl.col("_row", "_row_before").first()
    )
    anew = found.filter(~pl.col("_same"))["_part"].n_unique()
    if anew:
        number = counted(anew, "file numbers its trials", "files number their trials")
        text = f"{number} as another one does, with other values: they count as further trials"
        notes.add(text, code="numbers-restart")
    return [
        ((parts[row["_part"]], row["_row"]), (parts[row["_part_before"]], row["_row_before"]))
        for row in found.filter("_same").rows(named=True)
    ]

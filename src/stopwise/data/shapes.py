"""From the rows of a file to one row per trial: headers, lists, curves, columns per policy."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from stopwise.data.derived import with_derived_score
from stopwise.data.headers import NUMBERING, only_records, refuse_summary_rows
from stopwise.data.names import (
    ALL_NAMES,
    CIRCUMSTANCES,
    NAMES,
    NO_NAME,
    OUTCOMES,
    RISING,
    STEPS,
    is_named,
    is_score_name,
    names_scores,
    sounds_like_outcome,
    usual_name,
    words_of,
)
from stopwise.data.preferences import one_row_per_trial
from stopwise.data.raw import RawTable, common_kind
from stopwise.data.reading import Reading, plain
from stopwise.data.roles import is_policy, listed, no_header, numbers_in
from stopwise.data.typed_columns import all_match
from stopwise.data.units import TRIALS, require_trials
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Setting, names_listed

# The column that says which trials stood in one row, for whoever knows that they share their start.
ROW = "row"
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
LIST = r"^\s*\[[^\[]*\]\s*$"


def selected(raw: RawTable, where: Mapping[str, tuple[str, ...]]) -> RawTable:
    """Return the rows with these values, or raise if there are none."""
    for name, values in where.items():
        require(
            name in raw.frame.columns,
            f"{raw.source}: there is no column {name!r} for ",
            Setting("where"),
            f"; the columns are {listed(raw)}",
            code="unknown-column",
        )
        column = raw.frame[name].cast(pl.String).fill_null("")
        there = column.unique(maintain_order=True).drop_nulls().to_list()
        kept = column.is_in([value for value in there if plain(value) in values])
        require(
            bool(kept.any()),
            f"{raw.source}: no row has {name} = {' or '.join(values)}; the values are "
            f"{names_listed(there)}",
        )
        raw = raw.taking(kept.fill_null(False))
    return raw


def shaped(raw: RawTable, reading: Reading, *, alone: bool) -> RawTable:
    """Return one row per trial, as far as the rows themselves say what they are."""
    raw = replace(raw, defined="score" in raw.roles or reading.policies is not None)
    raw = with_derived_score(selected(only_records(raw), reading.where), reading)
    refuse_summary_rows(raw, reading)
    raw = _unlisted(_as_curve(raw, reading), reading)
    require_trials(raw, reading)
    raw = one_row_per_trial(raw, reading)
    return _unfolded(raw, reading) if reading.policies is not None or alone else raw


def _as_curve(raw: RawTable, reading: Reading) -> RawTable:
    """Return one row per point where cells hold a learning curve: lists of steps and of values."""
    lists = [name for name in raw.frame.columns if _is_lists(raw.frame[name])]
    steps = [n for n in lists if usual_name(n) in {"xs", "x", *STEPS, *RISING}]
    chosen = reading.columns.get("score")
    values = [
        name
        for name in lists
        if name not in steps
        and (name == chosen or usual_name(name) in ("ys", "y", "values") or names_scores(name))
    ]
    own = any(name not in lists and is_score_name(name) for name in raw.frame.columns)
    if len(steps) != 1 or len(values) != 1 or raw.defined or (own and chosen not in values):
        return raw
    points = [_split(raw.frame[name]) for name in (steps[0], values[0])]
    lengths = [own.list.len() for own in points]
    if not bool((lengths[0] == lengths[1]).all()):
        return raw
    frame = raw.frame.drop(steps[0], values[0]).with_columns(
        points[0].alias("step"), points[1].alias("score"), pl.int_range(pl.len()).alias("_row")
    )
    frame = frame.explode("step", "score")
    return raw.arranged(frame.drop("_row"), frame["_row"])


def _unlisted(raw: RawTable, reading: Reading) -> RawTable:
    """Return one row per entry of the column whose cells are lists of scores, if there is one.

    It is the one that was chosen; beside an outcome of the row itself, lists are of its steps. Else
    it has the name of a score, or is as long as a column of counts says: other lists, such as bins
    of a histogram, are no trials.
    """
    lists = [name for name in raw.frame.columns if _is_lists(raw.frame[name])]
    chosen = reading.columns.get("score")
    own = any(name not in lists and is_score_name(name) for name in raw.frame.columns)
    rates = [name for name in raw.frame.columns if "rate" in usual_name(name)]
    if chosen is not None:
        found = [name for name in lists if name == chosen]
    elif own and not rates:
        found = []
    else:
        found = [name for name in lists if names_scores(name) or _is_as_long(raw, name)]
    if raw.roles.get("score") or not found:
        return raw
    column = found[0]
    frame = raw.frame.with_columns(
        _split(raw.frame[column]).alias(column), pl.int_range(pl.len()).alias("_row")
    ).with_columns(pl.int_ranges(pl.col(column).list.len()).alias("_entry"))
    frame = frame.explode(column, "_entry")
    places = list(zip(frame["_row"].to_list(), frame["_entry"].to_list(), strict=True))
    note = Message(
        f"{raw.source}: each entry of the lists in {column!r} is read as a trial, in order",
        code="lists-unfolded",
    )
    return replace(
        raw,
        frame=frame.drop("_row", "_entry"),
        place=lambda row: f"{raw.place(places[row][0])}, entry {places[row][1]}",
        roles={**raw.roles, "score": column},
        notes=(*raw.notes, note),
    )


def _split(column: pl.Series) -> pl.Series:
    return column.str.strip_chars(" []").str.replace_all(r"[,\s]+", ",").str.split(",")


def _is_lists(column: pl.Series) -> bool:
    return column.dtype == pl.String and not column.has_nulls() and all_match(column, LIST)


def _is_as_long(raw: RawTable, name: str) -> bool:
    lengths = _split(raw.frame[name]).list.len()
    counts = [c for c in raw.frame.columns if TRIALS.fullmatch(usual_name(c))]
    return any(
        bool((raw.frame[c].cast(pl.Float64, strict=False) == lengths).fill_null(False).all())
        for c in counts
    )


def _unfolded(raw: RawTable, reading: Reading) -> RawTable:
    """Return one row per trial, if the table has neither scores nor policies by name.

    Columns that are not numbers, or only number the rows, or have a usual name or one that the
    user chose, are no policies. With fewer than two policies the table is returned as it is.
    """
    if reading.policies is not None:
        return _rows_of(raw, _declared(raw, reading, reading.policies))
    chosen = reading.columns
    usual = any(is_score_name(name) or is_policy(raw, name) for name in raw.frame.columns)
    if raw.roles or {"score", "policy"} & chosen.keys() or usual:
        return raw
    scores = {
        name: values
        for name in raw.frame.columns
        if (values := _scores(raw, name, reading)) is not None
    }
    if len(scores) < 2 or not len(raw.frame):
        return raw
    groups = [name for name in raw.frame.columns if _may_group(raw, name, reading)]
    measured = _of_one_measure(scores)
    doubt = (
        _doubt(scores)
        or _of_several_measures(scores)
        or _sums_up(scores)
        or _means_by_task(raw, scores)
    )
    if doubt is None and groups:
        doubt, measured = f"{groups[0]!r} may name the policies", list(scores)
    if doubt is not None:
        policy = (
            (", the policies with ", Setting("columns", {"policy": groups[0]})) if groups else ()
        )
        raise InvalidInput(
            f"{raw.source}: no column has the usual name of a score or a policy, and the numbers "
            f"hardly are the scores of one policy in each column: {doubt}; name the score with ",
            Setting("score"),
            *policy,
            ", or the columns of policies with ",
            Setting("policies", measured or [BLANK]),
            "" if measured else f"; the columns are {listed(raw)}",
            code="no-policies",
        )
    note = Message(
        f"no column has the usual name of a score or a policy, so each of {names_listed(scores)} "
        "is taken for the scores of one policy; if only some of them are, say which with ",
        Setting("policies", [BLANK]),
        code="policy-per-column",
    )
    return replace(_rows_of(raw, list(scores)), notes=(*raw.notes, note))


def _declared(raw: RawTable, reading: Reading, policies: Sequence[str]) -> Sequence[str]:
    """Return the columns that the user named, or raise."""
    given = Setting("policies", list(policies))
    require(
        not {"score", "policy"} & reading.columns.keys() and "policy" not in raw.roles,
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
        if name not in policies
        and name != ROW
        and not is_named(name, "score")
        and not is_policy(raw, name)
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


def _scores(raw: RawTable, name: str, reading: Reading) -> pl.Series | None:
    """Return the numbers of a column that may be a policy's scores."""
    named = {part for role in reading.columns for part in reading.names(role) or ()}
    if name in named or usual_name(name) in ALL_NAMES | NUMBERING:
        return None
    known = numbers_in(raw, raw.frame[name])
    if known is None or not len(known):
        return None
    return None if len(known) >= LEAST_NUMBERED and _counts_on(known) else known


def _counts_on(numbers: pl.Series) -> bool:
    """Whether numbers count the rows from the first one on, once or again and again."""
    counts = (numbers.diff() == 1.0) | (numbers == numbers[0])
    return numbers.n_unique() > 2 and bool(counts.fill_null(True).all())


def _doubt(scores: Mapping[str, pl.Series]) -> str | None:
    """Return why these columns are hardly scores of one measure, if there is a reason."""
    sizes: dict[str, float] = {}
    for name, values in scores.items():
        if NO_NAME.fullmatch(name.strip().lower()):
            return no_header(name)
        if NO_POLICY.search(name.lower()):
            return f"{name!r} sounds like a measure or a count"
        never_falls = bool((values.diff().drop_nulls() >= 0).all())
        if values.n_unique() >= LEAST_RISING and never_falls:
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


def _may_group(raw: RawTable, name: str, reading: Reading) -> bool:
    """Whether a column holds a few words that recur, as the names of policies do."""
    values = raw.frame[name]
    if values.dtype != pl.String or values.has_nulls() or CIRCUMSTANCES & words_of(name):
        return False
    if sounds_like_outcome(name):
        return False
    if usual_name(name) in ALL_NAMES | NUMBERING or name in reading.columns.values():
        return False
    sizes = values.unique_counts()
    return numbers_in(raw, values) is None and len(sizes) > 1 and bool((sizes > 1).all())


def _of_several_measures(names: Iterable[str]) -> str | None:
    """Why columns with names of outcomes are hardly policies: no word is common to all."""
    words = [OUTCOMES & words_of(name) for name in names]
    if not any(words) or frozenset.intersection(*words):
        return None
    named = next(name for name, own in zip(names, words, strict=True) if own)
    return f"{named!r} sounds like what came of a trial"


def _of_one_measure(names: Iterable[str]) -> list[str]:
    """Return columns with one usual name of a score behind another word: a_success, b_success."""
    stems: dict[str, list[str]] = {}
    for name in names:
        first, _, stem = usual_name(name).partition("_")
        if first and stem.rpartition("_")[2] in NAMES["score"]:
            stems.setdefault(stem, []).append(name)
    return next((own for own in stems.values() if len(own) > 1), [])


def _means_by_task(raw: RawTable, scores: Mapping[str, pl.Series]) -> str | None:
    """Why rows with one value per task, or per other name, look like a summary, or None."""
    zero_or_one = all(values.is_in([0.0, 1.0]).all() for values in scores.values())
    if raw.frame.width == len(scores) > LEAST_RISING * zero_or_one and len(raw.frame) == 1:
        return "there is one number for each, as of means or rates"
    if zero_or_one or len(raw.frame) < 2:
        return None
    tasks = [name for name in raw.frame.columns if is_named(name, "task")]
    labels = [name for name in raw.frame.columns if _is_label(raw.frame[name])]
    for names in (tasks, *([name] for name in labels)):
        if names and not raw.frame.select(names).is_duplicated().any():
            return f"each {names[0]!r} has one row, as in a table of means or rates"
    return None


def _is_label(column: pl.Series) -> bool:
    """Whether a column of an unusual name holds words without any number."""
    if column.dtype != pl.String or usual_name(column.name) in ALL_NAMES | NUMBERING:
        return False
    return not column.has_nulls() and not column.str.contains(r"\d").any()


def _sums_up(scores: Mapping[str, pl.Series]) -> str | None:
    """A note if the last row holds the means or sums of all others."""
    for kind in ("mean", "sum"):
        same = [
            len(values) > LEAST_RISING
            and values[:-1].n_unique() > 1
            and abs(getattr(values[:-1], kind)() - values[-1]) < 0.0051 * max(1.0, abs(values[-1]))
            for values in scores.values()
        ]
        if all(same) and any(values[-1] not in (0.0, 1.0) for values in scores.values()):
            return f"the last row holds the {kind} of the others: delete it"
    return None


def _length(column: pl.Series) -> int:
    """Return the number of rows up to the last that is filled: blanks below are no trials."""
    filled = (column.cast(pl.String).str.strip_chars().fill_null("") != "").arg_true()
    return int(filled[-1]) + 1 if len(filled) else 0

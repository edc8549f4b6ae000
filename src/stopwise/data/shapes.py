"""From the rows of a file to one row per trial: headers, lists, curves, columns per policy."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from stopwise.data.derived import with_derived_score
from stopwise.data.names import (
    ALL_NAMES,
    CIRCUMSTANCES,
    NAMES,
    NO_NAME,
    NUMBERING,
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
from stopwise.data.raw import RawTable, common_kind, of_lists
from stopwise.data.reading import Reading, plain
from stopwise.data.roles import is_policy, no_header
from stopwise.data.summaries import TRIALS, refuse_summaries, refuse_summary_rows
from stopwise.data.typed_columns import all_match, numbers_in
from stopwise.messages import BLANK, Message, Setting, counted, names_listed

# The column that says which trials stood in one row, for whoever knows that they share their start.
ROW = "row"
# A column that is filled in so many of the rows is one of all trials.
MOSTLY_FILLED = 0.8
# Of fewer rows nobody can tell what most of them are.
LEAST_ROWS = 5
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
LIST = r"^\s*\[[^\[]*\]\s*$"


def shaped(raw: RawTable, reading: Reading, *, alone: bool) -> RawTable:
    """Return one row per trial, as far as the rows themselves say what they are."""
    raw = replace(raw, defined="score" in raw.roles or reading.policies is not None)
    raw = _of_one_header(_of_one_kind(_without_headers(raw)))
    raw = with_derived_score(_selected(raw, reading.where), reading)
    refuse_summary_rows(raw, reading)
    raw = _unlisted(raw, reading)
    refuse_summaries(raw, reading)
    raw = one_row_per_trial(raw, reading)
    if reading.policies is not None:
        return _rows_of(raw, _declared(raw, reading, reading.policies))
    return _unfolded(raw, reading) if alone else raw


def _without_headers(raw: RawTable) -> RawTable:
    """Return the rows without those that repeat the header, as in files put together."""
    if raw.frame.width < 2 or not all(kind == pl.String for kind in raw.frame.dtypes):
        return raw
    first = raw.frame.columns[0]
    if not (raw.frame[first] == first).any():
        return raw
    same = [pl.col(name).str.strip_chars() == name.strip() for name in raw.frame.columns]
    repeated = raw.frame.select(pl.all_horizontal(same).fill_null(False).alias("same"))["same"]
    number = counted(int(repeated.sum()), "line repeats", "lines repeat")
    text = f"{raw.source}: {number} the header: left out"
    return raw.taking(~repeated, *[Message(text, code="headers-left-out")] * repeated.any())


def _of_one_kind(raw: RawTable) -> RawTable:
    """Return the rows without a first or last one that shares no filled column with the others."""
    if len(raw.frame) < LEAST_ROWS or raw.roles:
        return raw
    filled = raw.frame.select(pl.all().is_not_null())
    usual = [name for name in filled.columns if filled[name].sum() >= MOSTLY_FILLED * len(filled)]
    if not usual:
        return raw
    other = ~filled.select(pl.any_horizontal(usual))[:, 0]
    other |= (filled.select(pl.sum_horizontal(pl.all()))[:, 0] == 1) & (len(usual) > 2)
    if not 0 < other.sum() <= 2:
        return raw
    places = ", ".join(map(raw.place, other.arg_true()))
    text = f"{raw.source}: {places}: no trial, but something about them; left out"
    return raw.taking(~other, Message(text, code="headers-left-out"))


def _of_one_header(raw: RawTable) -> RawTable:
    """Return the rows below a second line of headers; of equal names, each is "ACT success"."""
    if not len(raw.frame) or not all(kind == pl.String for kind in raw.frame.dtypes):
        return raw
    cells = [column[0] or "" for column in raw.frame]
    names = [
        cell
        for cell, column in zip(cells, raw.frame, strict=True)
        if (usual_name(cell) in ALL_NAMES or is_score_name(cell)) and cell not in column[1:]
    ]
    if len(names) < 2 or 2 * len(names) < len(list(filter(None, cells))):
        return raw
    if len({*cells}) < len(cells):
        above = ""
        for index, name in enumerate(raw.frame.columns):
            above = re.sub(r"_duplicated_\d+$", "", name) or above
            cells[index] = f"{above} {cells[index]}".strip()
    rows = raw.taking(
        pl.int_range(len(raw.frame), eager=True) > 0,
        Message(f"{raw.source}: columns are named by two lines", code="headers-left-out"),
    )
    return replace(rows, frame=rows.frame.rename(dict(zip(raw.frame.columns, cells, strict=True))))


def _selected(raw: RawTable, where: Mapping[str, tuple[str, ...]]) -> RawTable:
    """Return the rows with these values, or raise if there are none."""
    for name, values in where.items():
        if name not in raw.frame.columns:
            text = f"there is no column {name!r} for "
            rest = f"; the columns are {raw.listed}"
            raise raw.refusal(text, Setting("where"), rest, code="no-such-column")
        column = raw.frame[name].cast(pl.String).fill_null("")
        there = column.unique(maintain_order=True).to_list()
        kept = column.is_in([value for value in there if plain(value) in values])
        if not kept.any():
            wanted = f"{name} = {' or '.join(values)}"
            raise raw.refusal(f"no row has {wanted}; the values are {names_listed(there)}")
        raw = raw.taking(kept)
    return raw


def _lists(raw: RawTable) -> list[str]:
    """Return the columns whose cells are lists."""
    texts = [column for column in raw.frame if column.dtype == pl.String and not column.has_nulls()]
    return [column.name for column in texts if all_match(column, LIST)]


def _split(column: pl.Series) -> pl.Series:
    return (
        column.str.replace_all(r"[\[\]\"]", "")
        .str.strip_chars()
        .str.replace_all(r"[,\s]+", ",")
        .str.split(",")
    )


def _unlisted(raw: RawTable, reading: Reading) -> RawTable:
    """Return one row per entry of the column whose cells are lists of scores, if there is one.

    It is the one that was chosen; beside an outcome of the row itself, lists are of its steps. Else
    it has the name of a score, or is as long as a column of counts says: other lists, such as bins
    of a histogram, are no trials. Beside a list of steps it is a learning curve.
    """
    lists, chosen = _lists(raw), reading.columns.get("score")
    steps = [n for n in lists if usual_name(n) in {"xs", "x", *STEPS, *RISING} and n != chosen]
    has_score = any(name not in lists and is_score_name(name) for name in raw.frame.columns)
    rates = any("rate" in usual_name(name) for name in raw.frame.columns)
    scores = [
        name
        for name in lists
        if name not in steps
        and (names_scores(name) or (steps and usual_name(name) in ("ys", "y", "values")))
    ] or [name for name in lists if _is_as_long(raw, name)]
    if chosen is not None:
        scores = [name for name in lists if name == chosen]
    if raw.roles.get("score") or not scores or (has_score and not rates and chosen is None):
        return raw
    entries = {name: _split(raw.frame[name]) for name in (scores[0], *steps)}
    lengths = [column.list.len() for column in entries.values()]
    curve = len(steps) == 1 and bool((lengths[0] == lengths[1]).all())
    names = {scores[0]: "score", steps[0]: "step"} if curve else {scores[0]: scores[0]}
    frame = raw.frame.with_columns(
        *(entries[name].alias(name) for name in names),
        pl.int_range(pl.len()).alias("_row"),
        pl.int_ranges(lengths[0]).alias("_entry"),
    ).explode(*names, "_entry")
    places = frame.select("_row", "_entry").rows()
    text = f"{raw.source}: each entry of the lists in {scores[0]!r} is read as a trial, in order"
    note = Message(text, code="lists-unfolded")
    entered = replace(
        raw,
        frame=frame.drop("_row", "_entry").rename(names),
        place=lambda row: f"{raw.place(places[row][0])}, entry {places[row][1]}",
        roles=raw.roles if curve else {**raw.roles, "score": scores[0]},
        notes=raw.notes if curve else (*raw.notes, note),
    )
    return entered if curve or chosen is not None else of_lists(entered, [at for at, _ in places])


def _is_as_long(raw: RawTable, name: str) -> bool:
    lengths = _split(raw.frame[name]).list.len()
    counts = [column for column in raw.frame if TRIALS.fullmatch(usual_name(column.name))]
    numbers = [column.cast(pl.Float64, strict=False) for column in counts]
    return any(bool((column == lengths).fill_null(False).all()) for column in numbers)


def _unfolded(raw: RawTable, reading: Reading) -> RawTable:
    """Return one row per trial, if columns hold the scores of a policy each; else as it is."""
    usual = any(is_score_name(name) or is_policy(raw, name) for name in raw.frame.columns)
    if raw.roles or {"score", "policy"} & reading.columns.keys() or usual or not len(raw.frame):
        return raw
    chosen = {part for role in reading.columns for part in reading.names(role) or ()}
    unusual = [
        column for column in raw.frame if usual_name(column.name) not in ALL_NAMES | NUMBERING
    ]
    numbers = {column.name: numbers_in(column) for column in unusual}
    scores = {
        name: values
        for name, values in numbers.items()
        if values is not None and name not in chosen and _may_score(values)
    }
    if len(scores) < 2:
        return raw
    texts = [
        column for column in unusual if numbers[column.name] is None and column.dtype == pl.String
    ]
    labels = [column.name for column in texts if not column.has_nulls()]
    groups = [name for name in labels if name not in chosen and _may_group(raw.frame[name])]
    doubt, measured = next(_doubts(raw, scores, labels), None), _of_one_measure(scores)
    if doubt is None and groups:
        doubt, measured = f"{groups[0]!r} may name the policies", list(scores)
    if doubt is not None:
        named = [Setting("columns", {"policy": name}) for name in groups[:1]]
        raise raw.refusal(
            "no column has the usual name of a score or a policy, and the numbers hardly are the "
            f"scores of one policy in each column: {doubt}; name the score with ",
            Setting("score"),
            *(part for name in named for part in (", the policies with ", name)),
            ", or the columns of policies with ",
            Setting("policies", measured or [BLANK]),
            "" if measured else f"; the columns are {raw.listed}",
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
    if {"score", "policy"} & reading.columns.keys() or "policy" in raw.roles:
        text = " names the columns of scores, so there is no other column of scores or policies"
        raise raw.refusal(given, text)
    if not len(set(policies)) == len(policies) > 0:
        raise raw.refusal(given, " must name columns, each once")
    for name in policies:
        if name not in raw.frame.columns:
            text = f"there is no column {name!r}, which "
            raise raw.refusal(text, given, f" names; the columns are {raw.listed}")
    return policies


def _rows_of(raw: RawTable, policies: Sequence[str]) -> RawTable:
    kind = common_kind(raw.frame[name] for name in policies)
    row = pl.int_range(pl.len()).alias(ROW)
    kept = [
        name
        for name in raw.frame.columns
        if name not in (*policies, ROW) and not is_named(name, "score") and not is_policy(raw, name)
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


def _length(column: pl.Series) -> int:
    """Return the number of rows up to the last that is filled: blanks below are no trials."""
    filled = (column.cast(pl.String).str.strip_chars().fill_null("") != "").arg_true()
    return int(filled[-1]) + 1 if len(filled) else 0


def _may_score(numbers: pl.Series) -> bool:
    """Whether there are numbers that do not count the rows, once or again and again."""
    if len(numbers) < LEAST_NUMBERED or numbers.n_unique() < 3:
        return len(numbers) > 0
    counts = (numbers.diff() == 1.0) | (numbers == numbers[0])
    return not bool(counts.fill_null(True).all())


def _doubts(raw: RawTable, scores: Mapping[str, pl.Series], labels: Sequence[str]) -> Iterator[str]:
    """Yield why these columns are hardly scores of one measure."""
    sizes: dict[str, float] = {}
    for name, values in scores.items():
        if NO_NAME.fullmatch(name.strip().lower()):
            yield no_header(name)
        if NO_POLICY.search(name.lower()):
            yield f"{name!r} sounds like a measure or a count"
        if values.n_unique() >= LEAST_ROWS and bool((values.diff().drop_nulls() >= 0).all()):
            yield f"{name!r} rises from row to row, as a counter or a clock does"
        if (values != 0).any():
            sizes[name] = float(np.abs(values.to_numpy()).max())
    least, most = (end(sizes, key=sizes.__getitem__, default="") for end in (min, max))
    if sizes and sizes[most] > MOST_TIMES * sizes[least]:
        up = f"{most!r} goes up to {sizes[most]:g}, but {least!r} only to {sizes[least]:g}"
        yield f"{up}, so they hardly measure the same"
    outcomes = {name: OUTCOMES & words_of(name) for name in scores}
    if any(outcomes.values()) and not frozenset.intersection(*outcomes.values()):
        named = next(name for name, words_of_outcome in outcomes.items() if words_of_outcome)
        yield f"{named!r} sounds like what came of a trial"
    zero_or_one = all(values.is_in([0.0, 1.0]).all() for values in scores.values())
    if len(raw.frame) == 1 and raw.frame.width == len(scores) > LEAST_ROWS * zero_or_one:
        yield "there is one number for each, as of means or rates"
    for kind in ("mean", "sum"):
        if not zero_or_one and all(_ends_in(kind, values) for values in scores.values()):
            yield f"the last row holds the {kind} of the others: delete it"
    tasks = [name for name in raw.frame.columns if is_named(name, "task")]
    words = [name for name in labels if not raw.frame[name].str.contains(r"\d").any()]
    for names in [tasks, *([name] for name in words)] if len(raw.frame) > 1 else []:
        if names and not zero_or_one and not raw.frame.select(names).is_duplicated().any():
            yield f"each {names[0]!r} has one row, as in a table of means or rates"


def _ends_in(kind: str, numbers: pl.Series) -> bool:
    """Whether the last number is the mean or the sum of the others, as it is rounded."""
    before, last = numbers[:-1], numbers[-1]
    if len(before) < LEAST_ROWS or before.n_unique() < 2:
        return False
    return bool(abs(getattr(before, kind)() - last) < 0.0051 * max(1.0, abs(last)))


def _may_group(column: pl.Series) -> bool:
    """Whether a column holds a few words that recur, as the names of policies do."""
    if CIRCUMSTANCES & words_of(column.name) or sounds_like_outcome(column.name):
        return False
    sizes = column.unique_counts()
    return len(sizes) > 1 and bool((sizes > 1).all())


def _of_one_measure(names: Mapping[str, object]) -> list[str]:
    """Return columns with one usual name of a score behind another word: a_success, b_success."""
    stems: dict[str, list[str]] = {}
    for name in names:
        first, _, stem = usual_name(name).partition("_")
        if first and stem.rpartition("_")[2] in NAMES["score"]:
            stems.setdefault(stem, []).append(name)
    return next((columns for columns in stems.values() if len(columns) > 1), [])

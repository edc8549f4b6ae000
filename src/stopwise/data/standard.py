"""From the columns of one file to the columns of the trial table, with every rule applied."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from stopwise.data.bounds import require_within
from stopwise.data.copies import duplicate_rows
from stopwise.data.derived import is_derived
from stopwise.data.meaning import at_point, require_one_meaning
from stopwise.data.names import NAMES, direction_note
from stopwise.data.raw import UNIT, RawTable
from stopwise.data.reading import MANY_MISSING, Bounds, Reading
from stopwise.data.roles import Column, Roles, guess_note, resolve
from stopwise.data.sources import Loaded
from stopwise.data.summaries import is_mean, refuse_outlier, refuse_sums
from stopwise.data.typed_columns import (
    MEANING,
    is_logical,
    is_missing,
    is_parts_of_one,
    joined,
    require_known,
    require_zero_or_one,
    says_success,
    to_times,
    words_in,
)
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Notes, Setting, counted, names_listed

DEFAULT_TASK = "task"


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """The trials of one file; bounds only where its format defines them."""

    raw: RawTable
    score_column: str
    rows: pl.Series
    frame: pl.DataFrame
    bounds: Bounds | None
    notes: Notes
    explained: tuple[Column, ...]

    def require_within(self, bounds: Mapping[str, Bounds]) -> None:
        """Raise, naming file and place, for the first score outside the bounds of its task."""
        scores, tasks = self.frame["score"], self.frame["task"]
        too_wide = any(bounds[task][1] > 1 for task in tasks.unique() if task in bounds)
        if too_wide and is_parts_of_one(self.raw.frame[self.score_column]):
            raise self.raw.refusal(
                f"column {self.score_column!r}: fractions and percentages are read as parts of 1, "
                "so 83 % is 0.83: declare ",
                Setting("bounds", UNIT, words="bounds=(0, 1)"),
            )
        complaint = partial(self.raw.error, self.score_column)
        require_within(scores, tasks, bounds, lambda row, rule: complaint(self.rows[row], rule))


def standardise(raw: RawTable, table: Loaded, reading: Reading) -> Part:
    """Return the trials of one file, or raise one line that names the place."""
    require(len(raw.frame) > 0, f"{raw.source}: there are no trials in it")
    roles = resolve(raw, reading, alone=table.alone)
    (score_column,) = roles.columns["score"]
    notes = Notes([*raw.notes, *roles.notes])
    raw = _with_success_words(raw, score_column, reading, notes)
    notes.extend(_direction(raw, score_column, reading))
    if is_mean(raw, score_column):
        text = f"{raw.source}: {score_column!r} sounds like a mean of many trials, but each counts "
        notes.add(f"{text}as one trial here", code="doubtful-scores")
    frame = _without_training_seeds(_columns(raw, roles, table, reading, notes), roles, notes)
    if "score" not in reading.columns and (not raw.defined or "row" in raw.roles):
        refuse_sums(raw, frame)
    if reading.bounds is None and score_column not in raw.bounds:
        refuse_outlier(raw, frame, score_column)
    if reading.at is None:
        require_one_meaning(raw, frame, roles, reading)
    bounds = _defined_bounds(raw, score_column, notes)
    frame, keep = _scored(raw, frame, score_column, (reading, bounds), notes)
    keep &= ~duplicate_rows(raw, frame, notes)
    rows, frame = keep.arg_true(), frame.filter(keep)
    if "proxy" in frame.columns:
        complaint = partial(raw.error, roles.columns["proxy"][0])
        rule = "the proxy has no score here, and needs one of every trial that has one"
        require_known(frame["proxy"], lambda row, rule: complaint(rows[row], rule), rule)
    if reading.at is not None:
        lower = bool(reading.lower_is_better)
        frame, places = at_point(frame, reading.at, raw.source, notes, lower=lower)
        rows = rows.gather(places)
    return Part(
        raw=raw,
        score_column=score_column,
        rows=rows,
        frame=frame,
        bounds=bounds,
        notes=notes,
        explained=roles.explained,
    )


def _columns(
    raw: RawTable, roles: Roles, table: Loaded, reading: Reading, notes: Notes
) -> pl.DataFrame:
    """Return the columns of all roles, typed."""
    score = roles.columns["score"][0]
    columns = {
        "task": _named(raw, roles, "task", (reading.task, DEFAULT_TASK), notes),
        "policy": _named(raw, roles, "policy", (table.policy, table.policy_from_file), notes),
        "score": raw.numbers(score),
    }
    for role in ("block", "seed", "evaluator", "trial"):
        if role in roles.columns:
            columns[role] = joined(raw.frame, roles.columns[role])
    for role in ("success", "time"):
        values = _optional(raw, roles, role, notes)
        if values is not None:
            columns[role] = values
    for role in ("proxy", "step"):
        if role in roles.columns:
            (name,) = roles.columns[role]
            text = f"{raw.source}: {name!r} is the score itself and cannot be its own {role}"
            require(name != score, text, parameter=role)
            columns[role] = raw.numbers(name)
    if "row" in raw.roles:
        columns["row"] = raw.frame[raw.roles["row"]].cast(pl.String)
    return pl.DataFrame([series.alias(role) for role, series in columns.items()])


def _direction(raw: RawTable, column: str, reading: Reading) -> list[Message]:
    """Question whether less is better, unless name, words or format answer it."""
    if is_derived(raw):
        return []
    chosen = reading.names("score") == (column,) and not reading.success_word
    known = raw.defined or says_success(raw.frame[column])
    question = direction_note(column, chosen=chosen and not known)
    return [] if question is None else [question]


def _with_success_words(raw: RawTable, column: str, reading: Reading, notes: Notes) -> RawTable:
    """Return the table with true for words of success, and false for those not understood."""
    if not reading.success_word:
        return raw
    words = words_in(raw.frame[column].cast(pl.String))
    meant, missing = words.is_in(reading.success_word), is_missing(words)
    require(
        bool(meant.any()),
        f"{raw.source}: no {column!r} is {' or '.join(map(repr, reading.success_word))}; the "
        f"values are {names_listed(words.unique(maintain_order=True).drop_nulls())}",
        parameter="success_word",
    )
    numbers = words.cast(pl.Float64, strict=False)
    usual = words.replace_strict(MEANING, default=numbers, return_dtype=pl.Float64)
    other = words.filter(~(meant | missing | usual.is_in([0.0, 1.0]).fill_null(False)))
    if len(other):
        text = f"{raw.source}: counted as failures: {names_listed(other.unique())}"
        notes.add(text, code="words-of-failure")
    good = meant | (usual == 1).fill_null(False)
    return replace(raw, frame=raw.frame.with_columns(good.set(missing, None).alias(column)))


def _without_training_seeds(frame: pl.DataFrame, roles: Roles, notes: Notes) -> pl.DataFrame:
    """Take a guessed "seed" for that of the training where a policy has several trials of one."""
    column = roles.columns.get("block", ("",))[0]
    if "block" in roles.guessed and column.strip().lower() == "seed" and "seed" not in frame:
        if "step" in frame.columns or _shared(frame, "block"):
            notes[notes.index(guess_note("block", column))] = guess_note("seed", column)
            return frame.rename({"block": "seed"})
    elif "seed" in roles.guessed and "step" not in frame.columns and not _shared(frame, "seed"):
        notes.remove(guess_note("seed", roles.columns["seed"][0]))
        return frame.drop("seed")
    return frame


def _shared(frame: pl.DataFrame, role: str) -> bool:
    """Whether a policy has several trials with the same value."""
    return bool(frame.drop_nulls(role).select("task", "policy", role).is_duplicated().any())


def _named(
    raw: RawTable, roles: Roles, role: str, names: tuple[str | None, str | None], notes: Notes
) -> pl.Series:
    """Return the name of each row's task or policy: given, else its column, else assumed."""
    given, otherwise = names
    if role not in roles.columns:
        name = given or otherwise
        if name is None:
            raise raw.refusal(
                f"no column looks like the {role}; name the column with ",
                Setting("columns", {role: BLANK}),
                f", or the {role} itself with ",
                Setting(role),
                f"; the columns are {raw.listed}; usual names are {', '.join(NAMES[role][:12])}",
            )
        if given is None:
            assumed = f"{raw.source}: no {role} column, so the {role} is called {name!r}"
            notes.add(assumed, code=f"{role}-assumed")
        return pl.Series([name]).new_from_index(0, len(raw.frame))
    (column, *_) = roles.columns[role]
    rule = f"the name of the {role} is missing: fill in every cell, also of rows that share one"
    values = joined(raw.frame, roles.columns[role])
    require_known(values, partial(raw.error, column), rule)
    if given is None:
        return values
    different = values.unique(maintain_order=True)
    if len(different) > 1:
        raise raw.refusal(
            f"it was given as {role} {given!r}, but column {column!r} names {len(different)}: "
            f"{names_listed(different)}",
            code=f"several-{role}-names",
        )
    return pl.Series([given]).new_from_index(0, len(raw.frame))


def _optional(raw: RawTable, roles: Roles, role: str, notes: Notes) -> pl.Series | None:
    """Return successes or times; a guessed column that does not fit is left out, with a note."""
    if role not in roles.columns:
        return None
    (column,) = roles.columns[role]
    complaint = partial(raw.error, column)
    try:
        if role == "time":
            return to_times(raw.frame[column], complaint)
        return require_zero_or_one(raw.numbers(column), complaint)
    except InvalidInput:
        if role not in roles.guessed:
            raise
        notes.remove(guess_note(role, column))
        if roles.columns["score"] != (column,):
            ignored = f"column {column!r} does not hold the {role} of trials and was ignored"
            notes.add(ignored, code=f"{role}-column-ignored")
        return None


def _scored(
    raw: RawTable,
    frame: pl.DataFrame,
    column: str,
    how: tuple[Reading, Bounds | None],
    notes: Notes,
) -> tuple[pl.DataFrame, pl.Series]:
    """Trials, and which of them have a score; a missing one is refused or handled as declared."""
    (reading, bounds), scores = how, frame["score"]
    everyone = pl.repeat(True, len(frame), eager=True)
    gaps, known = scores.null_count(), scores.drop_nulls()
    if not gaps or reading.missing == "keep":
        return frame, everyone
    each = frame.group_by("policy").agg(pl.len().alias("n"), pl.col("score").count())
    alike = known.n_unique() < 2 and gaps > MANY_MISSING * len(scores)
    alike = alike or bool(((each["score"] == 0) & (each["n"] > 1)).any())
    if reading.missing == "error" or (alike and reading.missing == "drop" and len(known)):
        more = f" here and in {counted(gaps - 1, 'more row')}" if gaps > 1 else ""
        fail, drop = Setting("missing", "fail"), Setting("missing", "drop")
        only = f"all others are {known[0]:g}, so " if known.n_unique() == 1 else ""
        cure: tuple[str | Setting, ...] = (
            (only, "those that are missing may be failures: ", fail, " counts them so")
            if alike
            else (drop, " leaves such trials out, ", fail, " counts them as failures")
        )
        if "proxy" in frame.columns:
            cure += ("; where people scored a random share only, give ", Setting("audit"))
        row = scores.is_null().arg_max() or 0
        raise raw.error(column, row, Message(f"the score is missing{more}; ", *cure))
    without = f"{raw.source}: {counted(gaps, 'trial')} without a score"
    if reading.missing == "drop":
        notes.add(f"{without} dropped", code="unscored-dropped")
        return frame, scores.is_not_null()
    notes.add(f"{without} counted as the worst score", code="unscored-failed")
    return frame.with_columns(_failed(raw, known, reading, bounds)), everyone


def _failed(raw: RawTable, known: pl.Series, reading: Reading, bounds: Bounds | None) -> pl.Expr:
    """Scores with the worst possible one in place of the missing."""
    ends = reading.bounds if not isinstance(reading.bounds, str) else None
    if ends is None:
        ends = UNIT if bounds is None and known.is_in([0.0, 1.0]).all() else bounds
    if ends is None:
        worst_of = (
            Setting("missing", "fail"),
            " counts a missing score as the worst, which needs ",
        )
        raise raw.refusal(*worst_of, Setting("bounds"))
    end, score = int(bool(reading.lower_is_better)), pl.col("score")
    if not isinstance(ends, Mapping):
        return score.fill_null(float(ends[end]))
    worst = {task: float(range_[end]) for task, range_ in ends.items()}
    return score.fill_null(pl.col("task").replace_strict(worst, default=None))


def _defined_bounds(raw: RawTable, column: str, notes: Notes) -> Bounds | None:
    """Return the bounds that the format, or the way in which scores are written, defines."""
    values, bounds = raw.frame[column], UNIT
    if column in raw.bounds:
        bounds, code = raw.bounds[column], "bounds-of-format"
        why = "as those of its columns make it" if is_derived(raw) else "as the format defines it"
    elif is_logical(values):
        why, code = "since it holds only true and false (or yes and no)", "bounds-of-logical"
    elif is_parts_of_one(values):
        why, code = (
            f"since it holds parts of 1, such as {values.drop_nulls()[0]!r}",
            "bounds-of-parts",
        )
    else:
        return None
    notes.add(f"bounds of {column!r}: [{bounds[0]:g}, {bounds[1]:g}], {why}", code=code)
    return bounds

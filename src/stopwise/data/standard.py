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
from stopwise.data.roles import Column, Roles, guess_note, listed, resolve
from stopwise.data.sources import Loaded
from stopwise.data.typed_columns import (
    FALSE,
    TRUE,
    is_logical,
    is_missing,
    is_parts_of_one,
    joined,
    require_known,
    require_zero_or_one,
    says_success,
    to_numbers,
    to_times,
)
from stopwise.data.units import is_mean, refuse_sums
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Message, Notes, Setting, counted, names_listed

DEFAULT_TASK = "task"
# Where so many and so large a share of the scores are 0 and 1, others hardly are scores.
LEAST_ALIKE, NEARLY_ALL = 10, 0.7


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """The trials of one file; bounds only where its format defines them."""

    raw: RawTable
    score_column: str
    rows: pl.Series
    frame: pl.DataFrame
    bounds: Bounds | None
    notes: Notes
    preferences: bool
    told: tuple[Column, ...]

    def require_within(self, bounds: Mapping[str, Bounds]) -> None:
        """Raise, naming file and place, for the first score outside the bounds of its task."""
        scores, tasks = self.frame["score"], self.frame["task"]
        too_wide = any(bounds[task][1] > 1 for task in tasks.unique() if task in bounds)
        require(
            not (too_wide and is_parts_of_one(self.raw.frame[self.score_column])),
            f"{self.raw.source}, column {self.score_column!r}: fractions and percentages are read "
            "as parts of 1, so 83 % is 0.83: declare ",
            Setting("bounds", UNIT, words="bounds=(0, 1)"),
            code="bounds-of-parts",
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
    policies = table.policy, table.policy_from_file
    found = {
        "task": _named(raw, roles, "task", (reading.task, DEFAULT_TASK), notes),
        "policy": _named(raw, roles, "policy", policies, notes),
        "score": to_numbers(raw.frame[score_column], partial(raw.error, score_column)),
    }
    for role in ("block", "seed", "evaluator", "trial"):
        if role in roles.columns:
            found[role] = joined(raw.frame, roles.columns[role])
    for role in ("success", "time"):
        values = _optional(raw, roles, role, notes)
        if values is not None:
            found[role] = values
    for role in ("proxy", "step"):
        if role in roles.columns:
            (name,) = roles.columns[role]
            text = f"{raw.source}: {name!r} is the score itself and cannot be its own {role}"
            require(name != score_column, text, parameter=role)
            found[role] = to_numbers(raw.frame[name], partial(raw.error, name))
    if "row" in raw.roles:
        found["row"] = raw.frame[raw.roles["row"]].cast(pl.String)
    frame = pl.DataFrame([series.alias(role) for role, series in found.items()])
    frame = _without_training_seeds(frame, roles, notes)
    _refuse_no_trials(raw, frame, score_column, reading)
    if reading.at is None:
        require_one_meaning(raw, frame, roles, reading)
    bounds = _defined_bounds(raw, score_column, notes)
    frame, keep = _scored(raw, frame, score_column, (reading, bounds), notes)
    keep &= ~duplicate_rows(raw, frame, notes)
    if "proxy" in found:
        complaint = partial(raw.error, roles.columns["proxy"][0])
        missing_proxy = "the proxy has no score here, and needs one of every trial that has one"
        rows = keep.arg_true()
        require_known(
            found["proxy"].filter(keep), lambda row, rule: complaint(rows[row], rule), missing_proxy
        )
    rows, frame = keep.arg_true(), frame.filter(keep)
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
        preferences=score_column == raw.preferences,
        told=roles.told,
    )


def _direction(raw: RawTable, column: str, reading: Reading) -> list[Message]:
    """Return the question whether less is better, if neither name nor words nor format say so."""
    chosen = reading.names("score") == (column,) and not reading.success_word
    if is_derived(raw):
        return []
    known = raw.defined or says_success(raw.frame[column])
    question = direction_note(column, chosen=chosen and not known)
    return [] if question is None else [question]


def _with_success_words(raw: RawTable, column: str, reading: Reading, notes: Notes) -> RawTable:
    """Return the table with true and false in place of words that the user explained.

    Words that are understood without that keep their meaning; others mean failure.
    """
    if not reading.success_word:
        return raw
    words = raw.frame[column].cast(pl.String).str.strip_chars().str.to_lowercase()
    meant = words.is_in(reading.success_word)
    require(
        bool(meant.any()),
        f"{raw.source}: no {column!r} is {' or '.join(map(repr, reading.success_word))}; the "
        f"values are {names_listed(words.unique(maintain_order=True).drop_nulls())}",
        parameter="success_word",
    )
    numbers = words.cast(pl.Float64, strict=False)
    good = meant | words.is_in(TRUE) | (numbers == 1).fill_null(False)
    missing = is_missing(words)
    other = ~(good | missing | words.is_in(FALSE) | (numbers == 0).fill_null(False))
    if other.any():
        text = f"{raw.source}: counted as failures: {names_listed(words.filter(other).unique())}"
        notes.add(text, code="words-of-failure")
    return replace(raw, frame=raw.frame.with_columns(good.set(missing, None).alias(column)))


def _refuse_no_trials(raw: RawTable, frame: pl.DataFrame, column: str, reading: Reading) -> None:
    """Raise for sums, and for a number that is no score where nearly all others are 0 or 1."""
    if "score" not in reading.columns and (not raw.defined or "row" in raw.roles):
        refuse_sums(raw, frame)
    if reading.bounds is not None or column in raw.bounds:
        return
    scores = frame["score"]
    known = scores.drop_nulls()
    zero_or_one = known.is_in([0.0, 1.0]).sum()
    outside = ((scores < 0) | (scores > 1)).fill_null(False)
    alone = scores.filter((scores > 0) & (scores < 1))
    if len(alone) == 1 and zero_or_one == len(known) - 1 >= LEAST_ALIKE:
        row = (scores == alone[0]).arg_max() or 0
        outside |= pl.int_range(len(scores), eager=True).eq(row) & _is_last(frame, row)
    if outside.any() and LEAST_ALIKE <= zero_or_one >= NEARLY_ALL * len(known):
        row = outside.arg_max() or 0
        raise raw.error(
            column,
            row,
            Message(
                f"{scores[row]:g} stands among 0 and 1: delete a row that is no trial, and leave "
                "the score of a trial that was not run blank; if it is a score, declare ",
                Setting("bounds"),
                code="outlier",
            ),
        )


def _is_last(frame: pl.DataFrame, row: int) -> bool:
    """Whether a row is the last of its policy, as one that sums up the others is."""
    return not bool((frame["policy"][row + 1 :] == frame["policy"][row]).any())


def _without_training_seeds(frame: pl.DataFrame, roles: Roles, notes: Notes) -> pl.DataFrame:
    """Take a guessed "seed" for that of the training where several trials of a policy share it.

    Policies that share an environment's seed have one trial each in it. Values that each policy
    has several trials of are training runs: not blocks, and not fresh draws either.
    """
    column = roles.columns.get("block", ("",))[0]
    if "block" in roles.guessed and column.strip().lower() == "seed" and "seed" not in frame:
        if "step" in frame.columns or _shared(frame, "block"):
            notes.remove(guess_note("block", column))
            frame = frame.rename({"block": "seed"})
            notes.append(guess_note("seed", column))
    elif "seed" in roles.guessed and "step" not in frame.columns and not _shared(frame, "seed"):
        (column,) = roles.columns["seed"]
        notes.remove(guess_note("seed", column))
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
            raise InvalidInput(
                f"{raw.source}: no column looks like the {role}; name the column with ",
                Setting("columns", {role: BLANK}),
                f", or the {role} itself with ",
                Setting(role),
                f"; the columns are {listed(raw)}; usual names are {', '.join(NAMES[role][:12])}",
                code=f"no-{role}-column",
            )
        if given is None:
            assumed = f"{raw.source}: no {role} column, so the {role} is called {name!r}"
            notes.add(assumed, code=f"{role}-assumed")
        return pl.Series([name]).new_from_index(0, len(raw.frame))
    complaint = partial(raw.error, roles.columns[role][0])
    found = joined(raw.frame, roles.columns[role])
    require_known(
        found,
        complaint,
        f"the name of the {role} is missing: fill in every cell, also of rows that share one",
    )
    if given is None:
        return found
    different = found.unique(maintain_order=True)
    if len(different) > 1:
        raise InvalidInput(
            f"{raw.source}: it was given as {role} {given!r}, but column "
            f"{roles.columns[role][0]!r} names {len(different)}: {names_listed(different)}",
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
        return require_zero_or_one(to_numbers(raw.frame[column], complaint), complaint)
    except InvalidInput:
        if role not in roles.guessed:
            raise
        notes.remove(guess_note(role, column))
        if roles.columns["score"] == (column,):
            return None
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
    """Return the trials, and which have a score; what is missing is refused, or as was said."""
    (reading, bounds), scores = how, frame["score"]
    everyone = pl.repeat(True, len(frame), eager=True)
    gaps = scores.null_count()
    if not gaps or reading.missing == "keep":
        return frame, everyone
    known = scores.drop_nulls()
    alike = known.n_unique() < 2 and gaps > MANY_MISSING * len(scores)
    each = frame.group_by("policy").agg(pl.len().alias("n"), pl.col("score").count())
    alike = alike or bool(((each["score"] == 0) & (each["n"] > 1)).any())
    fail, drop = Setting("missing", "fail"), Setting("missing", "drop")
    if reading.missing == "error" or (alike and reading.missing == "drop" and len(known)):
        more = f" here and in {counted(gaps - 1, 'more row')}" if gaps > 1 else ""
        cure: list[str | Setting] = [f"the score is missing{more}; "]
        if alike:
            only = f"all others are {known[0]:g}, so " if known.n_unique() == 1 else ""
            cure += [only, "those that are missing may be failures: ", fail, " counts them so"]
        else:
            cure += [drop, " leaves such trials out and says how many, ", fail]
            cure += [" counts them as failures"]
        if "proxy" in frame.columns:
            cure += ["; where people scored a random share only, give ", Setting("audit")]
        row = scores.is_null().arg_max() or 0
        raise raw.error(column, row, Message(*cure, code="score-missing"))
    if reading.missing == "drop":
        without = f"{raw.source}: {counted(gaps, 'trial')} without a score dropped"
        notes.add(without, code="unscored-dropped")
        return frame, scores.is_not_null()
    text = f"{raw.source}: {counted(gaps, 'trial')} without a score counted as the worst score"
    notes.add(text, code="unscored-failed")
    return frame.with_columns(_failed(raw, frame, reading, bounds)), everyone


def _failed(raw: RawTable, frame: pl.DataFrame, reading: Reading, bounds: Bounds | None) -> pl.Expr:
    """Return the scores with the worst that there can be in place of those that are missing."""
    declared = reading.bounds if not isinstance(reading.bounds, str) else None
    ends = bounds if declared is None else declared
    known = frame["score"].drop_nulls()
    if ends is None and bool(known.is_in([0.0, 1.0]).all()):
        ends = UNIT
    require(
        ends is not None,
        f"{raw.source}: ",
        Setting("missing", "fail"),
        " counts a missing score as the worst, which needs ",
        Setting("bounds"),
        code="bounds-of-failures",
    )
    end = 1 if reading.lower_is_better else 0
    if isinstance(ends, Mapping):
        worst = pl.col("task").replace_strict(
            list(ends), [float(own[end]) for own in ends.values()], default=None
        )
    else:
        assert ends is not None
        worst = pl.lit(float(ends[end]))
    return pl.col("score").fill_null(worst)


def _defined_bounds(raw: RawTable, column: str, notes: Notes) -> Bounds | None:
    if column in raw.bounds:
        low, high = raw.bounds[column]
        why = "as those of its columns make it" if is_derived(raw) else "as the format defines it"
        known = f"bounds of {column!r}: [{low:g}, {high:g}], {why}"
        notes.add(known, code="bounds-of-format")
        return raw.bounds[column]
    if is_logical(raw.frame[column]):
        known = f"bounds of {column!r}: [0, 1], since it holds only true and false (or yes and no)"
        notes.add(known, code="bounds-of-logical")
        return UNIT
    if is_parts_of_one(raw.frame[column]):
        example = raw.frame[column].drop_nulls()[0]
        known = f"bounds of {column!r}: [0, 1], since it holds parts of 1, such as {example!r}"
        notes.add(known, code="bounds-of-parts")
        return UNIT
    return None

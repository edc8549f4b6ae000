"""From columns of any type to numbers, names and times; the first bad value is named."""

import re
from collections.abc import Callable, Sequence

import polars as pl

from stopwise.errors import InvalidInput
from stopwise.messages import Message, Setting, shortened

# Turns a row and a rule into the error that names file, place and column.
Complaint = Callable[[int, str], InvalidInput]

# Words for 1 and 0.
WORDS = (
    "true/false yes/no success/failure succeeded/failed pass/fail passed/failed ja/nein oui/non "
    "ok/ng correct/incorrect solved/unsolved t/f y/n ✓/✗ ✔/✘ ✔/✖ ✅/❌ ☑/☐"
)
MEANING = {
    word: value
    for pair in WORDS.split()
    for word, value in zip(pair.split("/"), (1.0, 0.0), strict=True)
}
# Words for yes and no, which do not say themselves what is better.
PLAIN = ("true", "false", "yes", "no", "t", "f", "y", "n", "ja", "nein", "oui", "non")
NUMBER = "must be a number"
SOME = 200  # values that usually tell how a column is written
AS_EMOJI = "\ufe0f"  # behind a sign: draw it in colours
# Parts of 1, if a whole column is written so.
FRACTION = r"^(\d+(?:\.\d+)?)\s*(?:/|of|out of)\s*(\d+)$"
PERCENT = r"^(-?\d+(?:\.\d+)?)\s*%$"
# What is no number but may be meant for one, and what to do about it.
OTHER_FORMS = {
    r".*%": "write all scores with the sign, or all without it",
    FRACTION: "write all scores as fractions, or none",
    r"-?\d+,\d+": "write it with a decimal point",
}
# How words for a success begin.
GOOD = r"^(success|succeed|pass|solved|correct|done|goal|ok|yes|true)"
MISSING = ("", "nan", "na", "n/a", "null", "none", "-", "--", "?")


def to_numbers(column: pl.Series, complaint: Complaint) -> pl.Series:
    """Return finite floats, null where missing; words such as true count 1 or 0, 83 % is .83."""
    if column.dtype == pl.String:
        words = words_in(column)
        numbers = words.cast(pl.Float64, strict=False)
        if numbers.null_count():
            parts = _parts_of_one(words)
            meant = words.replace_strict(MEANING, default=None, return_dtype=pl.Float64)
            numbers = meant.zip_with(meant.is_not_null(), numbers) if parts is None else parts
        _require(numbers.is_null() & ~is_missing(words), column, complaint, NUMBER)
    elif column.dtype in (pl.Boolean, pl.Null) or column.dtype.is_numeric():
        # The decimals that narrow floats stand for, so that equal scores are equal.
        narrow = column.dtype == pl.Float32
        numbers = (column.cast(pl.String) if narrow else column).cast(pl.Float64)
    else:
        raise complaint(0, f"{NUMBER}, but the column holds {column.dtype}")
    numbers = numbers.fill_nan(None)
    _require(numbers.is_infinite().fill_null(False), column, complaint, "must be finite")
    return numbers


def numbers_in(column: pl.Series) -> pl.Series | None:
    """Return the numbers of a column without those that are missing; None if it holds others."""
    try:
        return to_numbers(column, lambda _, rule: InvalidInput(rule)).drop_nulls()
    except InvalidInput:
        return None


def require_zero_or_one(numbers: pl.Series, complaint: Complaint) -> pl.Series:
    """Return the numbers, or raise unless each is 0, 1 or missing."""
    bad = numbers.is_in([0.0, 1.0]).not_().fill_null(False)
    _require(bad, numbers, complaint, "a success must be 0 or 1")
    return numbers


def is_logical(column: pl.Series) -> bool:
    """Whether the column holds only true and false, or words for them: its range is [0, 1]."""
    return column.dtype == pl.Boolean or _all_words(
        column, lambda words: bool((words.is_in(list(MEANING)) | is_missing(words)).all())
    )


def says_success(column: pl.Series) -> bool:
    """Whether words such as "success" and "failed" settle which value is better."""
    if column.dtype != pl.String or not is_logical(column):
        return False
    words = words_in(column)
    return bool((~words.is_in(PLAIN) & ~is_missing(words)).any())


def is_parts_of_one(column: pl.Series) -> bool:
    """Whether the column holds only fractions such as 5/6, or only percentages with their sign."""
    return _all_words(column, lambda words: _parts_of_one(words) is not None)


def holds_number(column: pl.Series) -> bool:
    """Whether some value, of the first ones, is a number or a word for one."""
    if column.dtype != pl.String:
        fits = column.dtype.is_numeric() or column.dtype == pl.Boolean
        return fits and bool(column.cast(pl.Float64).fill_nan(None).is_not_null().any())
    words = words_in(column.drop_nulls().head(SOME).unique())
    meant = words.is_in(list(MEANING)) | words.str.contains(f"{PERCENT}|{FRACTION}")
    number = words.cast(pl.Float64, strict=False).is_not_null()
    return bool(((meant | number) & ~is_missing(words)).any())


def is_empty(column: pl.Series) -> bool:
    """Whether every value is missing."""
    empty = bool(column.is_null().all())
    return empty or _all_words(column, lambda words: bool(is_missing(words).all()))


def _all_words(column: pl.Series, test: Callable[[pl.Series], bool]) -> bool:
    """Whether all words pass a test; in long columns the first ones usually tell."""
    if column.dtype != pl.String:
        return False
    return test(words_in(column.head(SOME))) and (len(column) <= SOME or test(words_in(column)))


def words_in(column: pl.Series) -> pl.Series:
    return column.str.strip_chars().str.strip_suffix(AS_EMOJI).str.to_lowercase()


def all_match(words: pl.Series, pattern: str) -> bool:
    """Whether there are words and all match; in long columns the first one usually tells."""
    return (
        len(words) > 0
        and re.match(pattern, words[0]) is not None
        and bool(words.str.contains(pattern).all())
    )


def _parts_of_one(words: pl.Series) -> pl.Series | None:
    known = words.filter(~is_missing(words))
    if all_match(known, PERCENT):
        return words.str.extract(PERCENT).cast(pl.Float64) / 100.0
    if all_match(known, FRACTION):
        whole = words.str.extract(FRACTION, 2).cast(pl.Float64)
        return words.str.extract(FRACTION, 1).cast(pl.Float64) / whole
    return None


def to_names(column: pl.Series) -> pl.Series:
    """Return text, null where missing; whole numbers lose the ".0" that other tools add."""
    if column.dtype.is_float():
        whole = column.fill_nan(None).cast(pl.Int64, strict=False)
        if bool((whole == column).fill_null(True).all()):
            column = whole
    return column.cast(pl.String).str.strip_chars().replace("", None)


def joined(frame: pl.DataFrame, columns: Sequence[str]) -> pl.Series:
    """Return the names that several columns make together."""
    parts = [to_names(frame[column]).alias(str(i)) for i, column in enumerate(columns)]
    return pl.DataFrame(parts).select(pl.concat_str(pl.all(), separator="/"))[:, 0]


def to_times(column: pl.Series, complaint: Complaint) -> pl.Series:
    """Return datetimes (UTC where a zone is given) or floats, null where missing."""
    if column.dtype == pl.String:
        words = column.str.strip_chars()
        known = ~is_missing(words.str.to_lowercase())
        numbers = words.cast(pl.Float64, strict=False)
        if bool((numbers.is_not_null() | ~known).all()):
            return numbers.fill_nan(None)
        try:
            times = words.str.to_datetime(strict=False, time_unit="us")
        except pl.exceptions.PolarsError:
            times = pl.Series(column.name, [None] * len(column), dtype=pl.Datetime("us"))
        _require(times.is_null() & known, column, complaint, "must be a number or an ISO date")
        column = times
    if not column.dtype.is_temporal():
        return to_numbers(column, complaint)
    if getattr(column.dtype, "time_zone", None) is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return column.cast(pl.Datetime("us"))


def is_missing(words: pl.Series) -> pl.Series:
    """Words, in lower case, that stand for a missing value."""
    return words.is_null() | words.is_in(MISSING).fill_null(True)


def require_known(
    column: pl.Series, complaint: Complaint, rule: str = "a value is missing"
) -> pl.Series:
    """Return the column, or raise for its first missing value."""
    if column.has_nulls():
        raise complaint(column.is_null().arg_max() or 0, rule)
    return column


def _require(bad: pl.Series, column: pl.Series, complaint: Complaint, rule: str) -> None:
    if bad.any():
        row = bad.arg_max() or 0
        advice = _advice(column[row], column) if rule == NUMBER else ()
        raise complaint(row, Message(f"{rule}, but got {shortened(column[row])}", *advice))


def _advice(value: str, column: pl.Series) -> tuple[str | Setting, ...]:
    """Hint on how to write a value that has another usual form."""
    for form, advice in OTHER_FORMS.items():
        if re.fullmatch(form, value.strip()):
            return (f"; {advice}",)
    words = words_in(column).drop_nulls()
    good = words.filter(words.str.contains(GOOD) & (words.str.len_chars() < 30)).unique().sort()
    if len(good):
        word = Setting("success_word", next((w for w in good if w not in MEANING), good[0]))
        return ("; if it is a failure, ", word, " counts all other words as failures")
    return (
        f"; the words understood are {', '.join(WORDS.split())}; ",
        Setting("success_word"),
        " adds one",
    )

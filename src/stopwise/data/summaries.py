"""Tables of results over many trials: they must not be read as if a row were a trial."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.data.roles import ColumnChoice, is_usual, listed, usual_name
from stopwise.data.typed_columns import FRACTION, all_match, to_names, to_numbers
from stopwise.errors import InvalidInput
from stopwise.messages import Setting

TRIALS = re.compile(
    r"((n|num|number_of)_)?(trials|rollouts|episodes|attempts|evals)|n|counts?|total"
)
SUCCESSES = re.compile(
    r"((n|num|number_of)_)?(successes|wins|passes)|(n|num)_success|success_count"
)
RATE = re.compile(r"(.*_)?(rate|mean|average|avg|std|stderr|sem|percent|pct|accuracy)(_.*)?")
# Of a single trial, nobody would say so.
MEAN = re.compile(r"(?<![a-z])(success_rate|mean|average|avg|accuracy)(?![a-z])")


@dataclass(frozen=True)
class Summary:
    """The columns of a table that say of how many trials each row is, and what came out."""

    trials: str | None
    successes: str | None
    rate: str | None


def require_trials(
    raw: RawTable, chosen: Mapping[str, ColumnChoice], policies: Sequence[str] | None
) -> None:
    """Raise if the rows are summaries of many trials; a score that the user chose is trusted."""
    summary = None if policies is not None or "score" in chosen else summary_of(raw)
    if summary is None:
        return
    named = [name for name in (summary.successes, summary.rate, summary.trials) if name is not None]
    about = ", ".join(map(repr, dict.fromkeys(named)))
    if summary.successes is None:
        cure = "give the results of the single trials, a row each"
    else:
        cure = (
            "its counts can be compared by a test for numbers of trials that were fixed before: "
            f"`stopwise compare {raw.source}`, or stopwise.compare_counts in Python"
        )
    raise InvalidInput(
        f"{raw.source}: each row sums up many trials ({about}), so it cannot be read as a trial; "
        f"{cure}; if a row is a trial after all, name its score with ",
        Setting("score"),
        f"; the columns are {listed(raw)}",
        code="summary",
    )


def summary_of(raw: RawTable) -> Summary | None:
    """Return what a table sums up: rates or successes beside counts, or one rate per policy."""
    if raw.roles or not len(raw.frame):
        return None
    usual = {usual_name(name): name for name in reversed(raw.frame.columns)}
    trials = next(
        (usual[name] for name in usual if TRIALS.fullmatch(name) and _counts(raw, usual[name])),
        None,
    )
    successes = next((usual[name] for name in usual if SUCCESSES.fullmatch(name)), None)
    rate = next(
        (usual[name] for name in usual if RATE.fullmatch(name) and _rates(raw, usual[name])), None
    )
    fractions = next((name for name in raw.frame.columns if _fractions(raw.frame[name])), None)
    if trials is not None and (successes is not None or rate is not None):
        return Summary(trials, successes, rate)
    if (trials or fractions or rate) is None or not _one_row_each(raw):
        return None
    if trials is None and fractions is not None:
        return Summary(fractions, fractions, None)
    return Summary(trials, None, rate)


def _numbers(raw: RawTable, name: str) -> pl.Series | None:
    try:
        return to_numbers(raw.frame[name], partial(raw.error, name)).drop_nulls()
    except InvalidInput:
        return None


def _counts(raw: RawTable, name: str) -> bool:
    """Whether a column counts trials: whole numbers, not all 1, that do not number the rows."""
    found = _numbers(raw, name)
    if found is None or not len(found):
        return False
    whole = bool(((found >= 1) & (found == found.floor())).all())
    numbering = bool((found.diff().drop_nulls() == 1).all()) and found[0] <= 1
    return whole and bool((found > 1).any()) and not numbering


def _rates(raw: RawTable, name: str) -> bool:
    found = _numbers(raw, name)
    return found is not None and not found.is_in([0.0, 1.0]).all()


def is_mean(raw: RawTable, column: str) -> bool:
    """Whether a column has the name of a mean over trials, and holds more than 0 and 1."""
    return MEAN.search(usual_name(column)) is not None and _rates(raw, column)


def _fractions(column: pl.Series) -> bool:
    return column.dtype == pl.String and all_match(column.drop_nulls().str.strip_chars(), FRACTION)


def _one_row_each(raw: RawTable) -> bool:
    """Whether no policy has a second row in a task."""
    names = raw.frame.columns
    if len(raw.frame) < 2 or not any(is_usual(raw, name, "policy") for name in names):
        return False
    keys = [name for name in names if is_usual(raw, name, "policy", "task")]
    return not raw.frame.select(to_names(raw.frame[name]) for name in keys).is_duplicated().any()

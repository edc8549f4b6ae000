"""Rows that stand for many trials: counts and rates, which are never read as trials."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from stopwise.data.names import is_named, is_score_name, usual_name
from stopwise.data.raw import RawTable
from stopwise.data.reading import ColumnChoice, Reading
from stopwise.data.roles import is_policy, listed, numbers_in
from stopwise.data.typed_columns import FRACTION, all_match, joined, to_names, to_numbers
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Setting, names_listed

Counts = dict[str, tuple[int, int]]
TRIALS = re.compile(
    r"((n|num|number_of)_)?(trials|rollouts|episodes|attempts|evals|samples)|n|counts?|total"
)
SUCCESSES = re.compile(
    r"((n|num|number_of|total)_)?(successes|wins|passes)|(n|num)_success|success_count"
)
RATE = re.compile(r"(.*_)?(rate|mean|average|avg|std|stderr|sem|percent|pct|pc|sr|accuracy)(_.*)?")
SUCCESS_RATE = re.compile(r"success(_rate)?|accuracy|(pc|pct|percent)_success|sr|mean_success")
# So many rows show how a column is written.
SOME = 10_000
# Fewer scores may add up by chance.
LEAST_SUMMED = 8
SOME_SUMMED = 50
# Of a single trial, nobody would say so.
MEAN = re.compile(r"(?<![a-z])(success_rate|mean|average|avg|accuracy)(?![a-z])")


@dataclass(frozen=True)
class Summary:
    """The columns that say of how many trials each row is, how many succeeded, and their share."""

    trials: str | None
    successes: str | None
    rate: str | None


def require_trials(raw: RawTable, reading: Reading) -> None:
    """Raise if the rows are summaries of many trials; a score that the user chose is trusted."""
    if reading.policies is not None or "score" in reading.columns or reading.at is not None:
        return
    _refuse_mixed_rates(raw)
    summary = summary_of(raw)
    if summary is None:
        return
    named = (summary.successes, summary.rate, summary.trials)
    about = names_listed(dict.fromkeys(filter(None, named)))
    if summary.trials is None or (summary.successes is None and summary.rate is None):
        cure = "give the results of the single trials, a row each"
    else:
        cure = (
            "if the numbers of trials were fixed before, its counts can be compared: "
            f"`stopwise compare {raw.source}`"
        )
    raise InvalidInput(
        f"{raw.source}: each row sums up many trials ({about}), so it is no trial; "
        f"{cure}; if a row is a trial after all, name its score with ",
        Setting("score"),
        f"; the columns are {listed(raw)}",
        code="summary",
    )


def _refuse_mixed_rates(raw: RawTable) -> None:
    """Raise if a column of rates holds parts of 1 and percentages."""
    for name in raw.frame.columns:
        if raw.roles or not (SUCCESS_RATE.fullmatch(usual_name(name)) and is_score_name(name)):
            continue
        known = numbers_in(raw, raw.frame[name].head(SOME))
        shares = [] if known is None else known.filter((known > 0) & (known < 1)).to_list()
        percent = [] if known is None else known.filter((known > 1) & (known <= 100)).to_list()
        if shares and percent:
            raise InvalidInput(
                f"{raw.source}: column {name!r} seems to mix parts of 1 and percentages (such as "
                f"{shares[0]:g} and {percent[0]:g}): write all in one way",
                code="mixed-rates",
            )


def summary_of(raw: RawTable) -> Summary | None:
    """Kind of summary in a table: rates or successes with counts, or one rate per policy."""
    if "score" in raw.roles or not len(raw.frame):
        return None
    usual = {usual_name(name): name for name in reversed(raw.frame.columns)}
    trials = next(
        (usual[name] for name in usual if TRIALS.fullmatch(name) and _counts(raw, usual[name])),
        None,
    )
    one_row_each = len(raw.frame) == 1 or _one_row_each(raw)
    if trials is None and not one_row_each:
        return None
    successes = next((usual[name] for name in usual if SUCCESSES.fullmatch(name)), None)
    rates = [usual[name] for name in usual if RATE.fullmatch(name) and _rates(raw, usual[name])]
    shares = [usual[name] for name in usual if SUCCESS_RATE.fullmatch(name)]
    shares = [name for name in shares if _rates(raw, name)]
    rate = next(iter([*shares, *rates]), None)
    fractions = next((name for name in raw.frame.columns if _fractions(raw.frame[name])), None)
    if successes is None and trials is not None:
        successes = next((name for name in shares if _are_counts(raw, name, trials)), None)
    alone = len(raw.frame) == 1 and bool(successes or rate)  # of a whole run, beside others
    if alone or (trials is not None and (successes is not None or rates)):
        return Summary(trials, successes, rate if alone else next(iter(shares), None))
    if (trials or fractions or rate) is None or not one_row_each or len(raw.frame) == 1:
        return None
    if trials is None and fractions is not None:
        return Summary(fractions, fractions, None) if _policies(raw) or rate else None
    return Summary(trials, None, rate)


def _counts(raw: RawTable, name: str) -> bool:
    """Whether a column counts trials: whole numbers, not all 1, that do not number the rows."""
    found = numbers_in(raw, raw.frame[name])
    if found is None or not len(found):
        return False
    whole = bool(((found >= 1) & (found == found.floor())).all())
    numbering = bool((found.diff().drop_nulls() == 1).all()) and found[0] <= 1
    return whole and bool((found > 1).any()) and not numbering


def _rates(raw: RawTable, name: str) -> bool:
    found = numbers_in(raw, raw.frame[name])
    return found is not None and len(found) > 0 and not found.is_in([0.0, 1.0]).all()


def _are_counts(raw: RawTable, name: str, trials: str) -> bool:
    """Whether a column holds whole numbers up to those of trials, some beyond 1."""
    won, n = (numbers_in(raw, raw.frame[own]) for own in (name, trials))
    if won is None or n is None or len(won) != len(n):
        return False
    return bool(((won == won.floor()) & (won <= n)).all() and (won > 1).any())


def is_mean(raw: RawTable, column: str) -> bool:
    """Whether a column has the name of a mean over trials, and holds more than 0 and 1."""
    return MEAN.search(usual_name(column)) is not None and _rates(raw, column)


def refuse_sums(raw: RawTable, frame: pl.DataFrame) -> None:
    """Raise if the scores of a policy are rates so far, or the last one sums up the others."""
    scores, zero_or_one = pl.col("score"), [0.0, 1.0]
    if frame["score"].is_in(zero_or_one).all():
        return
    known = frame.select("task", "policy", "score").with_row_index("_row").drop_nulls("score")
    number, before = pl.int_range(1, pl.len() + 1), scores.head(pl.len() - 1)
    won = scores / pl.when(scores.max() > 1).then(100).otherwise(1) * number
    running = (
        ((won - won.round()).abs() <= pl.min_horizontal(0.0051 * number, 0.2)).all()
        & won.round().diff().fill_null(0.0).is_between(0, 1).all()
        & (scores.n_unique() > 2)
    )
    near = (before.mean() - scores.last()).abs() < 0.0051
    near |= (before.sum() - scores.last()).abs() < 1e-9
    summed = before.is_in(zero_or_one).all() & (before.n_unique() > 1)
    summed &= ~scores.last().is_in(zero_or_one) & near
    keys = ["task", "policy"]
    head = known.group_by(keys).head(SOME_SUMMED).group_by(keys)
    for what, first, check in (
        ("holds rates of all trials so far", running, running),
        ("sums up the others", scores.first().is_in(zero_or_one), summed),
    ):
        if not head.agg(first.alias("_is"))["_is"].any():
            continue  # what the first rows deny need not be counted in a million
        groups = known.group_by(keys, maintain_order=True)
        found = groups.agg(pl.len(), pl.col("_row").last(), check.alias("_is"))
        for row in found.filter((pl.col("len") >= LEAST_SUMMED) & pl.col("_is")).rows(named=True):
            raise InvalidInput(
                f"{raw.source}, {raw.place(row['_row'])}: the score of {row['policy']!r} {what}, "
                "and is no trial: give the results of the single trials; if it is a trial, name "
                "its column with ",
                Setting("score"),
                code="summary-row",
            )


def _fractions(column: pl.Series) -> bool:
    return column.dtype == pl.String and all_match(column.drop_nulls().str.strip_chars(), FRACTION)


def _one_row_each(raw: RawTable) -> bool:
    """Whether no policy has a second row in a task."""
    of_role = {raw.roles.get("task"), raw.roles.get("policy")}
    tasks = [n for n in raw.frame.columns if n in of_role or is_named(n, "task")]
    keys = list(dict.fromkeys([*_policies(raw), *tasks]))
    if len(raw.frame) < 2 or not keys:
        return False
    if raw.frame.head(SOME).select(keys).is_duplicated().any():
        return False
    return not raw.frame.select(to_names(raw.frame[name]) for name in keys).is_duplicated().any()


def _policies(raw: RawTable) -> list[str]:
    return [n for n in raw.frame.columns if n == raw.roles.get("policy") or is_policy(raw, n)]


def counts_of(raw: RawTable, columns: Mapping[str, ColumnChoice], found: dict[str, Counts]) -> None:
    """Add (successes, trials) per policy of each task of a table with a row for each."""
    summary = summary_of(raw)
    if summary is None or summary.trials is None or not (summary.successes or summary.rate):
        raise InvalidInput(
            f"{raw.source}: counts need a column of trials and one of successes or of their rate, "
            f"or one like 17/20; the columns are {listed(raw)}",
            code="no-counts",
        )
    names = {role: _names(raw, role, columns.get(role)) for role in ("task", "policy")}
    if names["policy"] is None:
        raise InvalidInput(
            f"{raw.source}: no column looks like the policy; name it with ",
            Setting("columns", {"policy": BLANK}),
            f"; the columns are {listed(raw)}",
            code="no-policy-column",
        )
    tasks = names["task"] or ["task"] * len(raw.frame)
    for row, (task, policy) in enumerate(zip(tasks, names["policy"], strict=True)):
        known = found.setdefault(task, {})
        place = f"{raw.source}, {raw.place(row)}"
        won, n = _count(raw, summary, row, place)
        require(
            won is not None
            and n is not None
            and 0 <= won <= n
            and n > 0
            and {won % 1, n % 1} == {0},
            f"{place}: must be a whole number of successes, at most the number of trials, but got "
            f"{won} of {n}",
        )
        require(policy not in known, f"{place}: there are counts of policy {policy!r} already")
        known[policy] = int(won), int(n)


def _count(raw: RawTable, summary: Summary, row: int, place: str) -> tuple[Any, Any]:
    """Return the successes and the trials of a row; from a rate if need be."""
    assert summary.trials is not None
    if summary.successes == summary.trials:
        words = raw.frame[summary.trials].str.strip_chars()
        return tuple(words.str.extract(FRACTION, part).cast(pl.Float64)[row] for part in (1, 2))
    trials = to_numbers(raw.frame[summary.trials], partial(raw.error, summary.trials))
    name = summary.successes or summary.rate
    assert name is not None
    values = to_numbers(raw.frame[name], partial(raw.error, name))
    n, value = trials[row], values[row]
    if summary.successes is not None or n is None or value is None:
        return value, n
    percent = bool((values > 1).any())
    share = value / 100 if percent else value
    # As it was rounded: 33.3 % of 60 are 20.
    digits = len(f"{value:.6f}".rstrip("0").partition(".")[2])
    slack = n * 0.5 * 10.0**-digits / (100 if percent else 1) + 1e-6
    won = round(share * n)
    require(
        abs(share * n - won) <= slack,
        f"{place}: a rate of {100 * share:.4g} % of {n:g} trials is no whole number of successes "
        f"({share * n:.4g})",
        code="impossible-rate",
    )
    return won, n


def _names(raw: RawTable, role: str, choice: ColumnChoice) -> list[str] | None:
    names = [choice] if isinstance(choice, str) else choice
    if names is None:
        fits = is_policy if role == "policy" else lambda _, name: is_named(name, role)
        names = [name for name in raw.frame.columns if fits(raw, name)][:1]
    for name in names:
        require(
            name in raw.frame.columns,
            f"{raw.source}: there is no column {name!r}; the columns are {listed(raw)}",
        )
    if not names:
        return None
    return joined(raw.frame, names).to_list()

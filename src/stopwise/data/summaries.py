"""Rows that are no trials: counts, rates and means of many, and rows that sum up the others."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from stopwise.data.names import NUMBERING, each_of, is_named, is_score_name, usual_name
from stopwise.data.raw import RawTable
from stopwise.data.reading import ColumnChoice, Reading
from stopwise.data.roles import is_policy
from stopwise.data.typed_columns import FRACTION, all_match, joined, numbers_in, to_names
from stopwise.errors import require
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
# Of a single trial, nobody would say so.
MEAN = re.compile(r"(?<![a-z])(success_rate|mean|average|avg|accuracy)(?![a-z])")
# What a row is called that sums up the others.
SUMMARY = [
    form + end
    for word in each_of(
        "mean average avg total overall sum all median std summary aggregate final_score"
    )
    for form in (word, word.title(), word.upper())
    for end in ("", ":")
]
# So many rows show how a column is written.
SOME = 10_000
HEAD, MOSTLY_NUMBERED = 200, 0.8
# Fewer scores may add up by chance.
LEAST_SUMMED, SOME_SUMMED = 8, 50
# Where so many and so large a share of the scores are 0 and 1, others hardly are scores.
LEAST_ALIKE, NEARLY_ALL = 10, 0.7
ZERO_OR_ONE = [0.0, 1.0]


class Summary(NamedTuple):
    """The columns that say of how many trials each row is, how many succeeded, and their share."""

    trials: str | None
    successes: str | None
    rate: str | None


def refuse_summaries(raw: RawTable, reading: Reading) -> None:
    """Raise if the rows are summaries of many trials; a score that the user chose is trusted."""
    if reading.policies is not None or "score" in reading.columns or reading.at is not None:
        return
    _refuse_mixed_rates(raw)
    summary = summary_of(raw)
    if summary is None:
        return
    named = (summary.successes, summary.rate, summary.trials)
    cure = "give the results of the single trials, a row each"
    if summary.trials is not None and (summary.successes or summary.rate):
        cure = "if the numbers of trials were fixed before, its counts can be compared: "
        cure += f"`stopwise compare {raw.source}`"
    raise raw.refusal(
        f"each row sums up many trials ({names_listed(dict.fromkeys(filter(None, named)))}), so it "
        f"is no trial; {cure}; if a row is a trial after all, name its score with ",
        Setting("score"),
        f"; the columns are {raw.listed}",
        code="summary",
    )


def _refuse_mixed_rates(raw: RawTable) -> None:
    """Raise if a column of rates holds parts of 1 and percentages."""
    for name in raw.frame.columns if not raw.roles else ():
        known = None
        if SUCCESS_RATE.fullmatch(usual_name(name)) and is_score_name(name):
            known = numbers_in(raw.frame[name].head(SOME))
        if known is None:
            continue
        shares = known.filter((known > 0) & (known < 1))
        percent = known.filter((known > 1) & (known <= 100))
        if len(shares) and len(percent):
            raise raw.refusal(
                f"column {name!r} seems to mix parts of 1 and percentages (such as {shares[0]:g} "
                f"and {percent[0]:g}): write all in one way"
            )


def summary_of(raw: RawTable) -> Summary | None:
    """Kind of summary in a table: rates or successes with counts, or one rate per policy."""
    if "score" in raw.roles or not len(raw.frame):
        return None
    names = reversed(raw.frame.columns)
    usual = {usual_name(name.removeprefix("metrics.")): name for name in names}
    counts = [column for name, column in usual.items() if TRIALS.fullmatch(name)]
    trials = next((name for name in counts if _counts(raw.frame[name])), None)
    alone = len(raw.frame) == 1
    one_row_each = alone or _one_row_each(raw)
    if trials is None and not one_row_each:
        return None
    successes = next((column for name, column in usual.items() if SUCCESSES.fullmatch(name)), None)
    rates = [
        column for name, column in usual.items() if RATE.fullmatch(name) and _rates(raw, column)
    ]
    shares = [
        column
        for name, column in usual.items()
        if SUCCESS_RATE.fullmatch(name) and _rates(raw, column)
    ]
    share, rate = next(iter(shares), None), next(iter([*shares, *rates]), None)
    if successes is None and trials is not None:
        named = (name for name in shares if "rate" not in usual_name(name))  # a rate of 44 is 44 %
        successes = next((name for name in named if _are_counts(raw, name, trials)), None)
    summary = Summary(trials, successes, rate)
    cells = next((column.name for column in raw.frame if _are_fractions(column)), None)
    if alone:  # of a whole run, beside others
        is_summary = bool(successes or rate)
    elif trials is not None and (successes is not None or rates):
        summary, is_summary = Summary(trials, successes, share), True
    elif one_row_each and trials is None and cells is not None:
        summary, is_summary = Summary(cells, cells, None), bool(_policies(raw) or rate)
    else:
        summary, is_summary = Summary(trials, None, rate), one_row_each and bool(trials or rate)
    return summary if is_summary else None


def _counts(column: pl.Series) -> bool:
    """Whether a column counts trials: whole numbers, not all 1, that do not number the rows."""
    numbers = numbers_in(column)
    if numbers is None or not len(numbers):
        return False
    whole = bool(((numbers >= 1) & (numbers == numbers.floor())).all())
    numbering = bool((numbers.diff().drop_nulls() == 1).all()) and numbers[0] <= 1
    return whole and bool((numbers > 1).any()) and not numbering


def _rates(raw: RawTable, name: str) -> bool:
    numbers = numbers_in(raw.frame[name])
    return numbers is not None and len(numbers) > 0 and not numbers.is_in(ZERO_OR_ONE).all()


def _are_counts(raw: RawTable, name: str, trials: str) -> bool:
    """Whether a column holds whole numbers up to those of trials, some beyond 1."""
    won, n = (numbers_in(raw.frame[column]) for column in (name, trials))
    if won is None or n is None or len(won) != len(n):
        return False
    return bool(((won == won.floor()) & (won <= n)).all() and (won > 1).any())


def _are_fractions(column: pl.Series) -> bool:
    return column.dtype == pl.String and all_match(column.drop_nulls().str.strip_chars(), FRACTION)


def _one_row_each(raw: RawTable) -> bool:
    """Whether no policy has a second row in a task."""
    of_role = {raw.roles.get("task"), raw.roles.get("policy")}
    tasks = [n for n in raw.frame.columns if n in of_role or is_named(n, "task")]
    keys = list(dict.fromkeys([*_policies(raw), *tasks]))
    if len(raw.frame) < 2 or not keys or raw.frame.head(SOME).select(keys).is_duplicated().any():
        return False
    return not raw.frame.select(to_names(raw.frame[name]) for name in keys).is_duplicated().any()


def _policies(raw: RawTable) -> list[str]:
    return [n for n in raw.frame.columns if n == raw.roles.get("policy") or is_policy(raw, n)]


def is_mean(raw: RawTable, column: str) -> bool:
    """Whether a column has the name of a mean over trials, and holds more than 0 and 1."""
    return MEAN.search(usual_name(column)) is not None and _rates(raw, column)


def refuse_summary_rows(raw: RawTable, reading: Reading) -> None:
    """Raise if a row is called a mean or a total, or has a word where the others have a number."""
    chosen = reading.names("policy") or ()
    texts = [column for column in raw.frame if column.dtype == pl.String]
    keys = [column.name for column in texts if _may_name(column)]
    names = {*keys, *chosen} & {*raw.frame.columns}
    for column in texts:
        if column.name in chosen or column.name not in names:
            continue
        marked = column.is_in(SUMMARY).fill_null(False)
        if marked.all() or raw.frame.filter(marked).select(names).is_duplicated().any():
            marked &= False
        marked |= _words_among_numbers(column)
        if marked.any():
            row = int(marked.arg_max() or 0)
            raise raw.refusal(
                f"{column[row]!r} in column {column.name!r} seems to sum up other rows, and is no "
                "trial: delete the row, or say which column names the policies with ",
                Setting("columns", {"policy": BLANK}),
                row=row,
            )


def _may_name(column: pl.Series) -> bool:
    """Whether a column names things, by its name, or since its texts stand equally often."""
    if is_named(column.name, "policy", "task", "trial", "block"):
        return True
    sizes = column.head(SOME).unique_counts()
    numbers = column.head(SOME).str.contains(r"^[-+.\d]*$")
    labels = len(sizes) >= LEAST_SUMMED and sizes.n_unique() == 1 and not numbers.any()
    return labels or usual_name(column.name) in NUMBERING | {"type"}


def _words_among_numbers(column: pl.Series) -> pl.Series:
    """Mark words in a column that numbers nearly all rows."""
    number = pl.all().str.strip_chars().cast(pl.Float64, strict=False).is_not_null()
    word = ~number & ~pl.all().str.contains(r"\d")
    for part in (column.head(HEAD), column):  # in long columns the first ones usually tell
        if not len(part) or part.to_frame().select(number.mean()).item() < MOSTLY_NUMBERED:
            return pl.repeat(False, len(column), eager=True)
    return column.to_frame().select(word.fill_null(False)).to_series()


def refuse_sums(raw: RawTable, frame: pl.DataFrame) -> None:
    """Raise if the scores of a policy are rates so far, or the last one sums up the others."""
    if frame["score"].is_in(ZERO_OR_ONE).all():
        return
    scores, keys = pl.col("score"), ["task", "policy"]
    known = frame.select(*keys, "score").with_row_index("_row").drop_nulls("score")
    number, before = pl.int_range(1, pl.len() + 1), scores.head(pl.len() - 1)
    won = scores / pl.when(scores.max() > 1).then(100).otherwise(1) * number
    running = (
        ((won - won.round()).abs() <= pl.min_horizontal(0.0051 * number, 0.2)).all()
        & won.round().diff().fill_null(0.0).is_between(0, 1).all()
        & (scores.n_unique() > 2)
    )
    near = (before.mean() - scores.last()).abs() < 0.0051
    near |= (before.sum() - scores.last()).abs() < 1e-9
    summed = before.is_in(ZERO_OR_ONE).all() & (before.n_unique() > 1)
    summed &= ~scores.last().is_in(ZERO_OR_ONE) & near
    # By chance the last score of one policy may be near the mean of the others, not of all.
    averaged = (before != scores.last()).all() & (before.n_unique() > 1) & near
    head = known.group_by(keys).head(SOME_SUMMED).group_by(keys)
    for what, first, check, least in (
        ("holds rates of all trials so far", running, running, 1),
        ("sums up the others", scores.first().is_in(ZERO_OR_ONE), summed, 1),
        ("sums up the others", pl.len() > 1, averaged, max(known.select(keys).n_unique(), 2)),
    ):
        if not head.agg(first.alias("_is"))["_is"].any():
            continue  # what the first rows deny need not be counted in a million
        groups = known.group_by(keys, maintain_order=True)
        odd = groups.agg(pl.len(), pl.col("_row").last(), check.alias("_is"))
        odd = odd.filter((pl.col("len") >= LEAST_SUMMED) & pl.col("_is"))
        if len(odd) >= least:
            row = odd.row(0, named=True)
            raise raw.refusal(
                f"the score of {row['policy']!r} {what}, and is no trial: give the results of the "
                "single trials; if it is a trial, name its column with ",
                Setting("score"),
                row=row["_row"],
            )


def refuse_outlier(raw: RawTable, frame: pl.DataFrame, column: str) -> None:
    """Raise for a number that is no score where nearly all others are 0 or 1."""
    scores = frame["score"]
    known = scores.drop_nulls()
    zero_or_one = known.is_in(ZERO_OR_ONE).sum()
    if not LEAST_ALIKE <= zero_or_one >= NEARLY_ALL * len(known):
        return
    rows = ((scores < 0) | (scores > 1)).fill_null(False).arg_true().to_list()
    alone = ((scores > 0) & (scores < 1)).fill_null(False).arg_true().to_list()
    if len(alone) == 1 and zero_or_one == len(known) - 1:
        policies = frame["policy"]
        rows += [row for row in alone if not (policies[row + 1 :] == policies[row]).any()]
    if rows:
        raise raw.refusal(
            f"column {column!r}: {scores[rows[0]]:g} stands among 0 and 1: delete a row that is no "
            "trial, and leave the score of a trial that was not run blank; if it is a score, "
            "declare ",
            Setting("bounds"),
            row=min(rows),
        )


def counts_of(
    raw: RawTable, columns: Mapping[str, ColumnChoice], totals: dict[str, Counts]
) -> None:
    """Add (successes, trials) per policy of each task of a table with a row for each."""
    summary = summary_of(raw)
    if summary is None or summary.trials is None or not (summary.successes or summary.rate):
        raise raw.refusal(
            "counts need a column of trials and one of successes or of their rate, or one like "
            f"17/20; the columns are {raw.listed}",
            code="no-counts",
        )
    policies = _names(raw, "policy", columns.get("policy"))
    if policies is None:
        name, rest = Setting("columns", {"policy": BLANK}), f"; the columns are {raw.listed}"
        raise raw.refusal("no column looks like the policy; name it with ", name, rest)
    tasks = _names(raw, "task", columns.get("task")) or ["task"] * len(raw.frame)
    counts = _counted(raw, summary, summary.trials)
    for row, (task, policy) in enumerate(zip(tasks, policies, strict=True)):
        won, n = counts[row]
        known, place = totals.setdefault(task, {}), f"{raw.source}, {raw.place(row)}"
        whole = won is not None and n is not None and 0 <= won <= n and {won % 1, n % 1} == {0}
        require(
            whole and n != 0,
            f"{place}: must be a whole number of successes, at most the number of trials, but got "
            f"{won} of {n}",
        )
        require(policy not in known, f"{place}: there are counts of policy {policy!r} already")
        known[policy] = int(won or 0), int(n or 0)


def _counted(
    raw: RawTable, summary: Summary, trials: str
) -> Sequence[tuple[float | None, float | None]]:
    """Return successes and trials of each row; from rates, as they were rounded, if need be."""
    if summary.successes == trials:
        words = raw.frame[trials].str.strip_chars()
        parts = [words.str.extract(FRACTION, part).cast(pl.Float64) for part in (1, 2)]
        return list(zip(*parts, strict=True))
    name = summary.successes or summary.rate or ""
    counts, values = raw.numbers(trials), raw.numbers(name)
    if summary.successes is not None:
        return list(zip(values, counts, strict=True))
    scale, counts_of_rows = 100 if bool((values > 1).any()) else 1, []
    for row, (n, value) in enumerate(zip(counts, values, strict=True)):
        won = None if n is None or value is None else value / scale * n
        digits = len(f"{value or 0:.6f}".rstrip("0").partition(".")[2])
        slack = (n or 0) * 0.5 * 10.0**-digits / scale + 1e-6  # 33.3 % of 60 are 20
        if won is not None and abs(won - round(won)) > slack:
            raise raw.refusal(
                f"a rate of {100 * value / scale:.4g} % of {n:g} trials is no whole number of "
                f"successes ({won:.4g})",
                row=row,
            )
        counts_of_rows.append((None if won is None else float(round(won)), n))
    return counts_of_rows


def _names(raw: RawTable, role: str, choice: ColumnChoice) -> list[str] | None:
    names = [choice] if isinstance(choice, str) else choice
    if names is None:
        fits = is_policy if role == "policy" else lambda _, name: is_named(name, role)
        names = [name for name in raw.frame.columns if fits(raw, name)][:1]
    for name in names:
        if name not in raw.frame.columns:
            raise raw.refusal(f"there is no column {name!r}; the columns are {raw.listed}")
    return joined(raw.frame, names).to_list() if names else None

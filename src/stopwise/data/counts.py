"""Tables of counts: how many of how many trials of each policy were successes."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import polars as pl

from stopwise.data.raw import RawTable
from stopwise.data.roles import ColumnChoice, is_usual, listed
from stopwise.data.sources import tables
from stopwise.data.standard import DEFAULT_TASK
from stopwise.data.summaries import summary_of
from stopwise.data.typed_columns import FRACTION, to_names, to_numbers
from stopwise.errors import InvalidInput, require
from stopwise.messages import BLANK, Setting

Counts = dict[str, tuple[int, int]]


def read_counts(
    source: Any, columns: Mapping[str, ColumnChoice] | None = None
) -> dict[str, Counts]:
    """Return (successes, trials) per policy of each task, from a table with a row for each."""
    found: dict[str, Counts] = {}
    for table in tables(source, None, None, {}):
        _add(table.raw, columns or {}, found)
    return found


def _add(raw: RawTable, columns: Mapping[str, ColumnChoice], found: dict[str, Counts]) -> None:
    summary = summary_of(raw)
    successes, trials = (None, None) if summary is None else (summary.successes, summary.trials)
    if successes is None or trials is None:
        raise InvalidInput(
            f"{raw.source}: counts need a column of successes and one of trials, or one like "
            f"17/20; the columns are {listed(raw)}",
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
    tasks = names["task"] or [DEFAULT_TASK] * len(raw.frame)
    numbers = zip(*_numbers(raw, successes, trials), strict=True)
    for row, (task, policy, (won, n)) in enumerate(
        zip(tasks, names["policy"], numbers, strict=True)
    ):
        known = found.setdefault(task, {})
        place = f"{raw.source}, {raw.place(row)}"
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


def _numbers(raw: RawTable, successes: str, trials: str) -> list[pl.Series]:
    if successes == trials:
        words = raw.frame[trials].str.strip_chars()
        return [words.str.extract(FRACTION, part).cast(pl.Float64) for part in (1, 2)]
    return [to_numbers(raw.frame[name], partial(raw.error, name)) for name in (successes, trials)]


def _names(raw: RawTable, role: str, choice: ColumnChoice) -> list[str] | None:
    names = [choice] if isinstance(choice, str) else choice
    if names is None:
        names = [name for name in raw.frame.columns if is_usual(raw, name, role)][:1]
    for name in names:
        require(
            name in raw.frame.columns,
            f"{raw.source}: there is no column {name!r}; the columns are {listed(raw)}",
        )
    if not names:
        return None
    frame = raw.frame.select(to_names(raw.frame[name]) for name in names)
    return frame.select(pl.concat_str(pl.all(), separator="/"))[:, 0].to_list()

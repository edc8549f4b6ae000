"""The quick question about two policies, by their scores or by counts of successes."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Unpack, overload

from stopwise.core.keywords import flat
from stopwise.core.settings import RaceSettings
from stopwise.data.read import read_trials
from stopwise.data.reading import InputSettings
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import Setting, names_listed
from stopwise.questions.analysis import Analysis
from stopwise.questions.analyze import analyze
from stopwise.questions.counts import (
    CountsResult,
    as_count,
    count_beside,
    counted_tasks,
    is_count,
)
from stopwise.questions.rerun import Rerun, reruns
from stopwise.rows.reading import INPUT

# What looks like a rate, not like a count.
RATE = re.compile(r"[0-9]*\.?[0-9]+ ?%?")
# What counts can be asked; all else is about single scores.
OF_COUNTS = {"alpha", "reference", "columns"}


class CompareSettings(RaceSettings, InputSettings, total=False):
    """The rules of one pair, and how files are read."""


class CompareKeywords(CompareSettings, total=False):
    names: Sequence[str]
    n_max: int | None
    bounds: tuple[float, float] | None
    design: str | None
    tasks: str | None
    unequal: str


@overload
def compare(
    first: Any, second: Any, *, rerun: Literal[True], **settings: Unpack[CompareKeywords]
) -> dict[str, Rerun]: ...


@overload
def compare(first: str, second: Any = None, **settings: Unpack[CompareKeywords]) -> Any: ...


@overload
def compare(first: Mapping[Any, Any], **settings: Unpack[CompareKeywords]) -> CountsResult: ...


@overload
def compare(first: Any, second: Any = None, **settings: Unpack[CompareKeywords]) -> Analysis: ...


@flat(
    CompareSettings,
    missing="error",
    by_position="two counts are sw.compare('17/20', '14/20'), two lists of scores sw.compare(a, b)",
)
def compare(
    first: Any,
    second: Any = None,
    *,
    names: Sequence[str] = ("first", "second"),
    n_max: int | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    tasks: str | None = None,
    unequal: str = "shorter",
    rerun: bool = False,
    **settings: Unpack[CompareSettings],
) -> Any:
    """Compare two policies by their scores, in the order in which they came, or by counts.

    Counts of successes are tested once, by exact tests that need numbers of trials fixed in
    advance. With a negative margin the first is the baseline of the second.

    Parameters
    ----------
    first, second
        Scores: lists, arrays, columns of a frame or files; with ``reference`` only the first.
        Counts: successes and trials, such as "17/20". Without a second, a table with the counts of
        many policies on one task: a file, a frame or a dictionary.
    names
        What policies with scores are called.
    rerun
        Whether these are two runs of the same policies on the same scenes: then the answer says how
        many scenes flip, how the mean changed, and what such a benchmark can show.
    n_max, bounds, design, tasks, unequal, **settings
        As for ``analyze``.

    Examples
    --------
    >>> import stopwise as sw
    >>> found = sw.compare([0.2, 0.1, 0.3] * 5, [0.9, 0.7, 0.8] * 5, names=("old", "new"))
    >>> found.best, found.order_text
    ('new', 'new > old')
    >>> sw.compare("17/20", "4/20").better
    'first'
    >>> sw.compare({"base": "4/20", "new": "17/20", "old": "5/20"}).order_text
    'new > old, base; old undecided against base'
    """
    refuse_rates(first, second)
    reference = settings.get("reference")
    given = [item for item in (first, second) if item is not None]
    if rerun:
        return _rerun(given, bounds, **settings)
    counts = all(isinstance(item, str) and is_count(item) for item in given)
    of_counts = isinstance(first, str | Path | Mapping) or hasattr(first, "columns")
    if counts or (second is None and reference is None and of_counts):
        for name in {**settings, **({} if n_max is None else {"n_max": n_max})}:
            require(name in OF_COUNTS, f"{name} has no effect on counts", parameter=name)
        alpha, columns = settings.get("alpha", 0.05), settings.get("columns")
        return _by_counts(given, reference, alpha, columns, tasks)
    require(
        second is not None or reference is not None,
        "give two policies to compare, or one and the number to compare it with: reference=0.9",
        parameter="second",
    )
    require(
        not isinstance(names, str) and len(set(names)) == len(names) == 2,
        f"names must be two that differ, but got {names!r}",
        parameter="names",
    )
    if settings.get("margin", 0) < 0 and settings.get("reference") is None:
        settings.setdefault("baseline", names[0])
    columns = dict(zip(names, given, strict=False))
    asked: dict[str, Any] = {"n_max": n_max, "bounds": bounds, "design": design, "tasks": tasks}
    return analyze(columns, **asked, unequal=unequal, **settings)


def refuse_rates(*policies: Any) -> None:
    """Raise for a number: what a rate shows depends on how many trials there were."""
    for one in policies:
        typed = isinstance(one, str) and RATE.fullmatch(one) and not Path(one).exists()
        number = isinstance(one, int | float) or (isinstance(one, tuple) and is_count(one))
        require(
            not typed and not number,
            f"compare takes scores or counts, but got {one!r}: give successes and trials, as in ",
            Setting("first", words="sw.compare('17/20', '14/20')"),
        )


def _rerun(given: list[Any], bounds: Any, **settings: Any) -> dict[str, Rerun]:
    require(len(given) == 2, "a rerun is two runs: give both", parameter="second")
    alpha = settings.pop("alpha", 0.05)
    for name in settings:
        text = f"{name} has no effect on a rerun, which compares two runs of the same policy"
        require(name in INPUT or name == "lower_is_better", text, parameter=name)
    runs = [
        source if isinstance(source, Trials) else read_trials(source, bounds=bounds, **settings)
        for source in given
    ]
    return reruns(runs[0], runs[1], alpha)


def _by_counts(
    given: Sequence[Any], number: float | None, alpha: float, columns: Any, tasks: str | None
) -> CountsResult | dict[str, CountsResult]:
    if not is_count(given[0]):
        by_task = counted_tasks(given[0], alpha=alpha, columns=columns)
        require(
            len(by_task) == 1 or tasks == "each",
            f"compare takes the counts of one task, but got {names_listed(by_task)}; give ",
            Setting("tasks", "each"),
            " for an answer on each of them",
        )
        return by_task if tasks == "each" else next(iter(by_task.values()))
    if number is not None:
        return count_beside(as_count(given[0]), number, alpha)
    require(
        len(given) == 2,
        f"{given[0]} is one policy: give the other too, or the number to compare it with: "
        "reference=0.9",
        parameter="second",
    )
    return counted_tasks(dict(zip(("first", "second"), given, strict=True)), alpha=alpha)["task"]

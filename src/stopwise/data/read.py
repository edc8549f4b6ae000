"""One function from any file, folder or frame to the trial table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from stopwise.data.bounds import bounds_of_data, declared_bounds
from stopwise.data.duplicates import refuse_copies, tell_equal_policies, tell_equal_tasks
from stopwise.data.growing import growing
from stopwise.data.raw import Bounds
from stopwise.data.roles import ColumnChoice, require_columns
from stopwise.data.sources import Loaded, load
from stopwise.data.standard import Part, standardise
from stopwise.data.told import in_order, odd_names, one_name
from stopwise.data.trials import ORDERS, Trials, numbered
from stopwise.errors import InvalidInput, require, require_choice
from stopwise.messages import BLANK, Notes, Setting, named

MISSING = ("error", "drop", "keep")


def read_trials(
    source: Any,
    *,
    format: str | None = None,  # noqa: A002 - the plain word is the right one for users
    policy: str | None = None,
    task: str | None = None,
    columns: Mapping[str, ColumnChoice] | None = None,
    score: str | None = None,
    policies: Sequence[str] | None = None,
    bounds: Bounds | Mapping[str, Bounds] | str | None = None,
    order: str = "file",
    seed: int | None = None,
    missing: str = "error",
) -> Trials:
    """Read trials from the files that people have, and note what was assumed.

    Parameters
    ----------
    source
        A path to a file, or to a folder with a file or sub-folder per policy; a list of paths; a
        dictionary of policy: path; a polars, pandas or Arrow frame; a NumPy array with a column of
        scores per policy; a dictionary of columns, or of policy: scores.
    format
        The name of the format, if it should not be recognised from the content.
    policy, task
        A name for all rows, for files that hold no such column.
    columns
        The columns of task, policy, trial, score, success, block, seed (of the training), time,
        evaluator and proxy (a cheap score of the same trial) by name; several names are joined with
        "/", None ignores what would be guessed.
    score
        Short for ``columns={"score": ...}``: which of a format's measures to compare.
    policies
        Of a table without a policy column: the columns that hold the scores of one policy each.
    bounds
        The range of the score, (low, high) or per task, known before the data; a score outside is
        an error. "data" takes the range of the data, which voids the guarantee. None leaves the
        range unknown, unless the format defines it, as for a success.
    order
        "file", "time" (sorted by the time column) or "shuffled" (needs a seed).
    seed
        A whole number for the shuffled order.
    missing
        "error", "drop" to leave out (and count) trials without a score, or "keep" where a judge
        has scored them all (``columns={"proxy": ...}``) and people some.

    Returns
    -------
    Trials
        Its notes say what was guessed, assumed or dropped.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = sw.read_trials({"base": [0, 1, 0], "new": [1, 1]}, bounds=(0, 1))
    >>> trials.frame["score"].to_list()
    [0.0, 1.0, 0.0, 1.0, 1.0]
    >>> print(*trials.notes, sep="; ")
    no array has the usual name of a column, so each holds the scores of one policy; ...
    """
    chosen = _columns(columns, score)
    _require_choices(order, seed, missing, bounds)
    require(
        missing != "keep" or "proxy" in chosen,
        Setting("missing", "keep"),
        " is for trials that a judge has scored: name its column with ",
        Setting("columns", {"proxy": BLANK}),
        code="no-proxy",
    )
    tables = load(source, format_name=format, policy=policy, columns=chosen, policies=policies)
    parts = [_part(table, task, chosen, missing) for table in tables]
    frame = _ordered(_concatenated(parts), order, seed)
    require(
        len(frame) > 0,
        f"{parts[0].raw.source}: no trial is left after dropping those without a score",
    )
    notes = Notes()
    if "trial" not in chosen or chosen["trial"] is not None:
        refuse_copies(parts, notes)
    tell_equal_policies(frame, notes)
    tell_equal_tasks(frame, notes)
    odd_names(frame, notes)
    one_name(parts, notes)
    limits = _bounds(bounds, parts, frame, notes)
    for part in parts:
        part.require_within(limits)
    if order == "file" and "time" in frame.columns and not frame["time"].drop_nulls().is_sorted():
        unsorted = "trials are taken in file order, which is not the order of their times; "
        notes.add(unsorted, Setting("order", "time"), " sorts them", code="order-of-file")
    if order == "shuffled":
        shuffled = f"order: shuffled with seed {seed}, not the order in which trials were run"
        notes.add(shuffled, code="order-shuffled")
    return Trials(
        numbered(frame),
        limits,
        in_order(parts, notes),
        order,
        bounds_inferred=bounds == "data",
        preferences=any(part.preferences for part in parts),
    )


def _part(
    table: Loaded, task: str | None, columns: Mapping[str, ColumnChoice], missing: str
) -> Part:
    files = growing()
    if files is None:
        return standardise(table, task, columns, missing)
    # Whoever watches asks for the same of each table, as long as it is the same.
    mark = id(table.raw), table.policy, table.policy_from_file
    return files.kept(standardise, table.raw.source, mark, table, task, columns, missing)


def _columns(
    columns: Mapping[str, ColumnChoice] | None, score: str | None
) -> dict[str, ColumnChoice]:
    chosen = dict(columns or {})
    if score is not None:
        require(
            chosen.setdefault("score", score) == score,
            Setting("score", score),
            " and ",
            Setting("columns", {"score": chosen["score"]}),
            " contradict each other: give one of them",
            code="two-scores",
        )
    require_columns(chosen)
    return chosen


def _require_choices(order: str, seed: int | None, missing: str, bounds: object) -> None:
    require_choice("order", order, ORDERS)
    require_choice("missing", missing, MISSING)
    require(
        not isinstance(bounds, str) or bounds == "data",
        named("bounds"),
        f" must be (low, high), task: (low, high) pairs or 'data', but got {bounds!r}",
        code="bad-bounds",
    )
    if order == "shuffled":
        require(
            isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0,
            Setting("order", "shuffled"),
            " needs ",
            Setting("seed", words="a seed"),
            f", a whole number of at least 0{'' if seed is None else f', but got {seed!r}'}",
            code="seed-missing",
        )


def _concatenated(parts: Sequence[Part]) -> pl.DataFrame:
    kinds = {part.frame["time"].dtype for part in parts if "time" in part.frame.columns}
    if len(kinds) > 1:
        raise InvalidInput(
            f"{parts[-1].raw.source}: its times are not of the same kind (numbers or dates) as "
            "those of the other files; choose the column with ",
            Setting("columns", {"time": BLANK}),
            " or ignore the times with ",
            Setting("columns", {"time": None}),
            code="times-differ",
        )
    return pl.concat([part.frame for part in parts], how="diagonal")


def _ordered(frame: pl.DataFrame, order: str, seed: int | None) -> pl.DataFrame:
    if order == "shuffled":
        return frame[np.random.default_rng(seed).permutation(len(frame))]
    if order == "time":
        by_time = Setting("order", "time")
        require(
            "time" in frame.columns,
            by_time,
            " needs a time column, but none was found",
            code="no-time-column",
        )
        gaps = frame["time"].null_count()
        require(
            gaps == 0,
            by_time,
            f" needs the time of every trial, but {gaps} have none",
            code="time-missing",
        )
        return frame.sort("time", maintain_order=True)
    return frame


def _bounds(
    bounds: Bounds | Mapping[str, Bounds] | str | None,
    parts: Sequence[Part],
    frame: pl.DataFrame,
    notes: Notes,
) -> dict[str, Bounds]:
    if isinstance(bounds, str):
        notes.add("bounds: taken from the data, which voids the guarantee", code="bounds-of-data")
        return bounds_of_data(frame)
    tasks = frame["task"].unique(maintain_order=True).to_list()
    return {**_defined_bounds(parts), **declared_bounds(bounds, tasks)}


def _defined_bounds(parts: Sequence[Part]) -> dict[str, Bounds]:
    """Return the bounds that formats define, for tasks of which every file says the same."""
    found: dict[str, set[Bounds | None]] = {}
    for part in parts:
        for task in part.frame["task"].unique(maintain_order=True):
            found.setdefault(task, set()).add(part.bounds)
    agreed = {task: next(iter(limits)) for task, limits in found.items() if len(limits) == 1}
    return {task: limits for task, limits in agreed.items() if limits is not None}

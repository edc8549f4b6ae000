"""The tidy trial table: one row per trial, whatever file it came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from stopwise.data.bounds import declared_bounds, require_within
from stopwise.data.reading import ORDERS, Bounds
from stopwise.data.roles import Column
from stopwise.data.typed_columns import (
    Complaint,
    require_known,
    require_zero_or_one,
    to_names,
    to_numbers,
    to_times,
)
from stopwise.errors import InvalidInput, require, require_choice
from stopwise.messages import counted, names_listed

NAMES = ("task", "policy")
OPTIONAL = ("success", "block", "seed", "time", "evaluator", "row", "proxy")


@dataclass(frozen=True, eq=False, repr=False)
class Trials:
    """Trials of several policies on one or more tasks, in the order of the analysis.

    Parameters
    ----------
    frame
        The columns task, policy, trial (from 0 within task and policy) and score; where known also
        success (0 or 1), block (what policies share: environment, session or its seed), seed (the
        training run that the policy came from), time, evaluator, row (of a table with a column
        per policy) and proxy (a cheap score of the same trial).
    bounds
        The range of the score per task, as declared; a task that is missing has none.
    notes
        What was guessed, assumed or dropped, one plain sentence each.
    order
        "file", "time" or "shuffled".
    bounds_inferred
        Whether the bounds were taken from the data, which voids every guarantee.
    preferences
        Whether scores say which of two trials was preferred: then wins are compared.
    columns
        Of each column of the files the name, the role that it plays, and why.
    unit
        What one row is: a "trial", or the "seed" of a training run.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = sw.Trials.from_columns(
    ...     {"policy": ["base", "new", "base"], "score": [0.0, 1.0, 0.5]}, bounds=(0, 1)
    ... )
    >>> trials.policies, trials.counts()
    (('base', 'new'), {('task', 'base'): 2, ('task', 'new'): 1})
    """

    frame: pl.DataFrame
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    order: str = "file"
    bounds_inferred: bool = False
    preferences: bool = False
    columns: tuple[Column, ...] = ()
    unit: str = "trial"

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Any],
        *,
        bounds: Bounds | Mapping[str, Bounds] | None = None,
        notes: Iterable[str] = (),
        order: str = "file",
        bounds_inferred: bool = False,
    ) -> "Trials":
        """Return the table of equally long columns with the names above, checked.

        Rows are in the order of the analysis; trials are numbered here. Without a column "task"
        there is one task, named "task".
        """
        require_choice("order", order, ORDERS)
        frame = _checked_frame(columns)
        tasks = frame["task"].unique(maintain_order=True).to_list()
        declared = declared_bounds(bounds, tasks)
        require_within(frame["score"], frame["task"], declared, _complaint("score"))
        said = tuple(dict.fromkeys(notes))
        return cls(numbered(frame), declared, said, order, bounds_inferred)

    def __len__(self) -> int:
        return len(self.frame)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    def __repr__(self) -> str:
        tasks = counted(self.frame["task"].n_unique(), "task")
        return f"<Trials: {self.frame.height} of {names_listed(self.policies)} on {tasks}>"

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in order of appearance."""
        return tuple(self.frame["task"].unique(maintain_order=True))

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies, in order of appearance."""
        return tuple(self.frame["policy"].unique(maintain_order=True))

    def counts(self) -> dict[tuple[str, str], int]:
        """Return the number of trials per task and policy."""
        counted = self.frame.group_by("task", "policy", maintain_order=True).len()
        return {(task, policy): n for task, policy, n in counted.rows()}


def numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Return checked columns in their order, with the number of each trial."""
    number = pl.int_range(pl.len(), dtype=pl.Int64).over("task", "policy").alias("trial")
    order = [*NAMES, "trial", "score", *(name for name in OPTIONAL if name in frame.columns)]
    return frame.with_columns(number).select(order)


def _checked_frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    known = (*NAMES, "score", *OPTIONAL)
    for name in columns:
        require(name in known, f"columns must be among {', '.join(known)}, but got {name!r}")
    for name in ("policy", "score"):
        require(name in columns, f"column {name!r} is required, but got {names_listed(columns)}")
    series = {name: _series(name, values) for name, values in columns.items()}
    lengths = {name: len(values) for name, values in series.items()}
    require(
        len(set(lengths.values())) == 1, f"columns must be equally long, but got lengths {lengths}"
    )
    require(lengths["score"] > 0, "a table needs at least one trial, but got none")
    series.setdefault("task", pl.Series("task", ["task"]).new_from_index(0, lengths["score"]))
    # Beside the scores of a proxy, trials may have none of their own.
    needed = {*NAMES, "proxy"} if "proxy" in series else {*NAMES, "score"}
    given = [name for name in known if name in series]
    return pl.DataFrame(
        [_checked(name, series[name], needed=name in needed).alias(name) for name in given]
    )


def _series(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values, strict=False)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        rule = str(error).splitlines()[0]
        raise InvalidInput(f"column {name!r} must be one array: {rule}") from error


def _checked(name: str, column: pl.Series, *, needed: bool) -> pl.Series:
    complaint = _complaint(name)
    if name == "time":
        values = to_times(column, complaint)
    elif name in ("score", "success", "proxy"):
        values = to_numbers(column, complaint)
    else:
        values = to_names(column)
    if name == "success":
        require_zero_or_one(values, complaint)
    return require_known(values, complaint) if needed else values


def _complaint(name: str) -> Complaint:
    return lambda row, rule: InvalidInput(f"column {name!r}, row {row}: {rule}")

"""The measures of the same rollouts: success, partial credit, continuous scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from stopwise.data.read import read_trials
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import Message, Setting

__all__ = ["Measure", "measures"]

# More different scores than this are called continuous.
MOST_LEVELS = 20


@dataclass(frozen=True, eq=False)
class Measure:
    """One way to score the rollouts."""

    name: str
    trials: Trials


def measures(
    source: Any,
    *,
    scores: Mapping[str, tuple[float, float]] | None = None,
    milestones: Sequence[str] = (),
    bounds: tuple[float, float] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> list[Measure]:
    """Return every measure of the rollouts, success first.

    Parameters
    ----------
    source
        Files or frames as for ``read_trials``, or a trial table.
    scores
        Columns with their bounds, one measure each.
    milestones
        Columns of milestones, reached (1) or not (0): all reached is success, their share is
        partial credit.
    bounds
        Of the score that is found without being named.
    columns
        As for ``read_trials``.
    """
    own = bool(scores or milestones) or isinstance(source, Trials)
    require(
        bounds is None or not own,
        "bounds are for a score that is found: named columns and trial tables have their own",
    )
    found: list[Measure] = []
    if milestones:
        found += _of_milestones(source, milestones, columns)
    for column, limits in (scores or {}).items():
        trials = read_trials(source, score=column, bounds=limits, columns=columns)
        found.append(Measure(_named(trials, column), trials))
    if not found:
        found = _of_score(source, bounds, columns)
    require(
        len(found) >= 2,
        "to compare measures there must be at least 2, but the rollouts have only "
        f"{', '.join(repr(measure.name) for measure in found)}; name columns with bounds",
    )
    return found


def _of_milestones(source: Any, names: Sequence[str], columns: Any) -> list[Measure]:
    parts = [read_trials(source, score=name, bounds=(0, 1), columns=columns) for name in names]
    reached = np.array([part.frame["score"].to_numpy() for part in parts])
    for name, column in zip(names, reached, strict=True):
        bad = column[~np.isin(column, (0.0, 1.0))]
        require(
            bad.size == 0,
            f"milestone {name!r} must be reached (1) or not (0), but got {bad[:1].tolist()}",
        )
    share = reached.mean(axis=0)
    return [
        Measure("success (all milestones)", _with_score(parts[0], reached.min(axis=0))),
        Measure(f"partial credit ({len(names)} milestones)", _with_score(parts[0], share)),
    ]


def _of_score(source: Any, bounds: Any, columns: Any) -> list[Measure]:
    """Return success, as far as it is known, and the score."""
    if isinstance(source, Trials):
        trials = source
    else:
        trials = read_trials(source, bounds=bounds, columns=columns)
    for task in trials.tasks:
        require(
            task in trials.bounds,
            Message(
                f"the range of the score of {task!r} must be declared: give ",
                Setting("bounds"),
                code="bounds-missing",
            ),
        )
    frame = trials.frame
    if "success" in frame.columns and frame["success"].null_count() == 0:
        succeeded, name = frame["success"].to_numpy(), "success"
    else:
        tops = frame["task"].replace_strict({task: trials.bounds[task][1] for task in trials.tasks})
        succeeded, name = (frame["score"] >= tops - 1e-9).cast(pl.Float64).to_numpy(), "full score"
    score = Measure(_named(trials, "score"), trials)
    if np.isin(frame["score"].to_numpy(), (0.0, 1.0)).all():
        return [score]
    return [Measure(name, _with_score(trials, succeeded)), score]


def _with_score(trials: Trials, score: Any) -> Trials:
    """Return the same trials with another score in [0, 1]."""
    content = trials.frame.drop("trial").with_columns(pl.Series("score", score)).to_dict()
    return Trials.from_columns(content, bounds=(0.0, 1.0), notes=trials.notes, order=trials.order)


def _named(trials: Trials, name: str) -> str:
    """Return the name of a measure with its kind."""
    levels = trials.frame["score"].n_unique()
    if levels <= 2:
        return f"{name} (binary)"
    return f"{name} ({levels} levels)" if levels <= MOST_LEVELS else f"{name} (continuous)"

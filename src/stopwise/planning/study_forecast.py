"""The forecast of a live study, under its own rules."""

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from stopwise.errors import require
from stopwise.planning.forecast import forecast
from stopwise.planning.forecast_result import Forecast
from stopwise.ranking.table import Table

if TYPE_CHECKING:
    from stopwise.report.analysis import Analysis
    from stopwise.study.study import Study

__all__ = ["forecast_study"]


def forecast_study(
    study: "Study", *, n_max: int | None = None, **settings: Any
) -> dict[str, Forecast]:
    """Return a forecast for each task with rows left; policies keep their labels until unblinded.

    Parameters
    ----------
    study
        A study with trials.
    n_max
        The greatest number of trials per policy, for a study that declared none.
    **settings
        ``futility``, ``minutes_per_trial``, ``precision``, ``seed``, ``executor``, ``progress``.
    """
    found = {}
    for task, analysis in study.analyses().items():
        require(
            analysis.n_max is None or n_max in (None, analysis.n_max),
            f"the study declared n_max = {analysis.n_max} for {task!r}: it cannot be {n_max}",
        )
        horizon = analysis.n_max or n_max
        require(horizon is not None, f"the study declared no n_max for {task!r}: give one")
        assert horizon is not None
        table = _used_rows(study, task, analysis)
        if len(table.scores) >= horizon:
            continue
        found[task] = forecast(
            table,
            n_max=horizon,
            method=analysis.method,
            alpha=analysis.alpha,
            adjust=analysis.adjust,
            baseline=analysis.baseline,
            ties=analysis.ties,
            **settings,
            **study.plan.parameters,
        )
    require(bool(found), "every task has reached its n_max: nothing is left to forecast")
    return found


def _used_rows(study: "Study", task: str, analysis: "Analysis") -> Table:
    """Return the rows behind a verdict, with a gap where a trial was voided for good."""
    (rows,) = [found.rows for found in study.verdict().tasks if found.task == task]
    used = study.records().filter(pl.col("used") & (pl.col("task") == task))
    policies = tuple(analysis.scores)
    # A trial may have come in between the two looks.
    scores = np.full((max(rows, *used["row"]), len(policies)), np.nan)
    scores[used["row"].to_numpy() - 1, [policies.index(name) for name in used["policy"]]] = used[
        "score"
    ]
    return Table(
        policies=policies, scores=scores, design=analysis.design, task=task, bounds=analysis.bounds
    )

"""The forecast of a live study, under its own rules."""

from typing import TYPE_CHECKING, Any

from stopwise.errors import require
from stopwise.planning.forecast import forecast
from stopwise.planning.forecast_result import Forecast

if TYPE_CHECKING:
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
        if max(map(len, analysis.scores.values())) >= horizon:
            continue
        found[task] = forecast(
            analysis.scores,
            n_max=horizon,
            bounds=analysis.bounds,
            design=analysis.design,
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

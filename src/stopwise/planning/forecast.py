"""The question, midway through a study, whether it is worth continuing."""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from stopwise.core.keywords import flat
from stopwise.core.progress import Progress
from stopwise.core.rules import Rules
from stopwise.core.scores import is_number, require_whole
from stopwise.core.settings import ForecastSettings
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, counted, named
from stopwise.planning.continuation import Continuation, study_rules
from stopwise.planning.forecast_result import ForecastResult
from stopwise.planning.naming_continuation import NamingContinuation
from stopwise.planning.simulation import ExecutorChoice, Simulator, check_simulation, opened
from stopwise.questions import for_files
from stopwise.rows.reading import read_if_place
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables

if TYPE_CHECKING:
    from stopwise.study.study import Study

MOST_RUNS = 20_000
# By the goal that is declared: what draws the ways in which a study may go on.
CONTINUED: dict[str, Callable[[Table, Rules], Continuation | NamingContinuation]] = {
    "order": Continuation.of,
    "best": NamingContinuation.of,
}


@flat(ForecastSettings)
def forecast(
    trials: Any,
    *,
    n_max: int,
    futility: float | None = None,
    minutes_per_trial: float | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    precision: float = 0.015,
    seed: int = 0,
    executor: ExecutorChoice = None,
    progress: Progress | None = None,
    **settings: Unpack[ForecastSettings],
) -> ForecastResult:
    """Forecast, midway, the chance of a verdict by n_max and the trials still needed.

    Further trials are drawn from what was seen, with its uncertainty (a Bayesian bootstrap whose
    prior assumes the policies are as similar as they look so far), and the study is continued from
    its actual state.

    Parameters
    ----------
    trials, bounds, design, **settings
        The trials so far and the settings of the study, as for ``analyze``.
    n_max
        The declared maximum number of trials per policy.
    futility
        A threshold in (0, 1), set before the study: the advice is to stop once the chance of any
        further verdict is below it.
    minutes_per_trial
        To convert trials to hours.
    precision
        Standard error of the chances.
    seed, executor, progress
        As for ``plan``.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = {"base": [0, 1, 0, 0, 1, 0, 0, 1], "new": [1, 1, 0, 1, 0, 1, 1, 1]}
    >>> ahead = sw.forecast(trials, n_max=60, futility=0.1)
    >>> ahead.seen, ahead.futile, 0.3 < ahead.chance < 0.6
    ({'base': 8, 'new': 8}, False, True)
    """
    found = tables(read_if_place(trials), design=design)
    require(len(found) == 1, f"a forecast needs trials of one task, but got {len(found)} tasks")
    table = found[0].declaring(bounds)
    require_whole(n_max, "n_max", 2)
    return _forecast(
        table,
        study_rules(table, n_max, for_files(settings)),
        futility=futility,
        minutes_per_trial=minutes_per_trial,
        precision=precision,
        seed=seed,
        executor=executor,
        progress=progress,
    )


def _forecast(
    table: Table,
    rules: Rules,
    *,
    futility: float | None = None,
    minutes_per_trial: float | None = None,
    precision: float = 0.015,
    seed: int = 0,
    executor: ExecutorChoice = None,
    progress: Progress | None = None,
) -> ForecastResult:
    assert rules.n_max is not None
    require(
        futility is None or (is_number(futility) and 0 < futility < 1),
        named("futility"),
        f" must lie strictly between 0 and 1, but got {futility!r}",
    )
    check_simulation(minutes_per_trial, precision, seed)
    where = "" if table.task is None else f" of {table.task!r}"
    require(
        len(table.scores) < rules.n_max,
        Setting("n_max", rules.n_max, f"n_max = {rules.n_max}"),
        f" must exceed the {counted(len(table.scores), 'trial')} per "
        f"policy{where} so far: nothing is left to forecast",
    )
    require_choice("goal", rules.goal, CONTINUED)
    continuation = CONTINUED[rules.goal](table, rules)
    with opened(executor) as workers:
        simulator = Simulator(workers, seed, precision, progress)
        (ends,) = simulator.run([continuation], most=MOST_RUNS)
    return ForecastResult(
        **continuation.answer(ends),
        seen={
            name: count
            for name, count in zip(table.policies, table.counts, strict=True)
            if name in rules.reading.run
        },
        n_max=rules.n_max,
        chance=ends.share(ends.every),
        chance_error=0.0 if ends.trials == 0 else ends.error(ends.every),
        chance_further=ends.share(ends.further),
        mean_n=float(ends.rows @ np.arange(ends.rows.size)) / ends.runs,
        n_quantiles=(ends.quantile(0.1), ends.quantile(0.5), ends.quantile(0.9)),
        chance_by=ends.chance_by(),
        mean_trials=ends.trials / ends.runs,
        futility=futility,
        minutes_per_trial=minutes_per_trial,
        rules=rules,
        bounds_inferred=table.bounds_inferred,
        runs=ends.runs,
        notes=table.notes,
    )


def forecast_study(
    study: "Study",
    *,
    n_max: int | None = None,
    tasks: Collection[str] | None = None,
    **settings: Any,
) -> dict[str, ForecastResult]:
    """Return a forecast for each task with rows left, under the study's own rules.

    Policies keep their labels until they are unblinded.

    Parameters
    ----------
    study
        A study with trials.
    n_max
        The maximum number of trials per policy, for a study that declared none.
    tasks
        Only these.
    **settings
        ``futility``, ``minutes_per_trial``, ``precision``, ``seed``, ``executor``, ``progress``.
    """
    found = {}
    for task, analysis in study.analyses().items():
        if tasks is not None and task not in tasks:
            continue
        require(
            analysis.n_max is None or n_max in (None, analysis.n_max),
            f"the study declared n_max = {analysis.n_max} for {task!r}, so it cannot be {n_max}",
        )
        horizon = analysis.n_max or n_max
        require(
            horizon is not None, f"the study declared no n_max for {task!r}: give ", named("n_max")
        )
        assert horizon is not None
        if len(analysis.aligned.scores) < horizon:
            rules = replace(analysis.rules, n_max=horizon)
            found[task] = _forecast(analysis.aligned, rules, **settings)
    require(bool(found), "every task has reached its n_max: nothing is left to forecast")
    return found

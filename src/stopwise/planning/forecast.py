"""The question, midway through a study, whether it is worth continuing."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from stopwise.core.keywords import flat
from stopwise.core.progress import Progress
from stopwise.core.rules import Rules
from stopwise.core.scores import MOST_PLANNED, is_number, require_whole
from stopwise.core.settings import ForecastSettings
from stopwise.errors import require, require_choice
from stopwise.messages import Setting, counted, named
from stopwise.planning.ends import Ends, mean, quantiles
from stopwise.planning.forecast_result import ForecastResult
from stopwise.planning.simulation import Simulator, check_minutes
from stopwise.planning.studies import BestStudy, OrderStudy
from stopwise.questions import QUESTIONS, for_files
from stopwise.rows.reading import read_if_place
from stopwise.rows.table import Table
from stopwise.rows.task_tables import tables

if TYPE_CHECKING:
    from stopwise.study.study import Study

MOST_RUNS = 20_000


@flat(ForecastSettings, futility_chance=None)
def forecast(
    trials: Any,
    *,
    n_max: int,
    minutes_per_trial: float | None = None,
    bounds: tuple[float, float] | None = None,
    design: str | None = None,
    precision: float = 0.015,
    seed: int = 0,
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
    futility_chance
        A threshold in (0, 1), set before the study: the advice is to stop once the chance of any
        further verdict is below it.
    minutes_per_trial
        To convert trials to hours.
    precision
        Standard error of the chances.
    seed, progress
        As for ``plan``.

    Examples
    --------
    >>> import stopwise as sw
    >>> trials = {"base": [0, 1, 0, 0, 1, 0, 0, 1], "new": [1, 1, 0, 1, 0, 1, 1, 1]}
    >>> ahead = sw.forecast(trials, n_max=60, futility_chance=0.1)
    >>> ahead.seen, ahead.futile, 0.3 < ahead.chance < 0.6
    ({'base': 8, 'new': 8}, False, True)
    """
    by_task = tables(read_if_place(trials), design=design)
    require(len(by_task) == 1, f"a forecast needs trials of one task, but got {len(by_task)} tasks")
    table = by_task[0].declaring(bounds)
    futility_chance = settings.pop("futility_chance", None)
    rules = Rules.of(
        policies=table.policies,
        n_max=require_whole(n_max, "n_max", 2, MOST_PLANNED),
        bounds=table.bounds or (0.0, 1.0),
        design=table.design,
        **for_files(settings),
    )
    simulator = Simulator(seed, precision, progress)
    return _forecast(table, rules, simulator, futility_chance, minutes_per_trial)


def _forecast(
    table: Table,
    rules: Rules,
    simulator: Simulator,
    futility_chance: float | None,
    minutes_per_trial: float | None,
) -> ForecastResult:
    assert rules.n_max is not None
    require(
        futility_chance is None or (is_number(futility_chance) and 0 < futility_chance < 1),
        named("futility_chance"),
        f" must lie strictly between 0 and 1, but got {futility_chance!r}",
    )
    check_minutes(minutes_per_trial)
    where = "" if table.task is None else f" of {table.task!r}"
    require(
        len(table.scores) < rules.n_max,
        Setting("n_max", rules.n_max, f"n_max = {rules.n_max}"),
        f" must exceed the {counted(len(table.scores), 'trial')} per "
        f"policy{where} so far: nothing is left to forecast",
    )
    require_choice("goal", rules.goal, QUESTIONS)
    study = (BestStudy if rules.goal == "best" else OrderStudy).after(table, rules)
    (ends,) = simulator.run([study], most=MOST_RUNS, needed=Ends.runs_for_forecast)
    trials = zip(table.policies, table.counts, strict=True)
    return ForecastResult(
        **study.answer(ends),
        seen={name: count for name, count in trials if name in rules.reading.run},
        n_max=rules.n_max,
        chance=ends.chance(ends.decided),
        chance_error=ends.error(ends.decided) if ends.mean_trials else 0.0,
        chance_further=ends.chance(ends.further),
        mean_n=mean(ends.more) / ends.runs,
        n_quantiles=quantiles(ends.more),
        chance_by=ends.decided_by(),
        mean_trials=ends.mean_trials,
        futility_chance=futility_chance,
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
    futility_chance: float | None = None,
    minutes_per_trial: float | None = None,
    precision: float = 0.015,
    seed: int = 0,
    progress: Progress | None = None,
) -> dict[str, ForecastResult]:
    """Forecast each task with rows left (or of ``tasks``), under the study's own rules.

    Policies keep their labels until they are unblinded; ``n_max`` is for a study without one.
    """
    ahead, simulator = {}, Simulator(seed, precision, progress)
    for task, analysis in study.analyses().items():
        if tasks is not None and task not in tasks:
            continue
        declared, horizon = analysis.n_max, analysis.n_max or n_max
        require(
            n_max in (None, horizon),
            f"the study declared n_max = {declared} for {task!r}, so it cannot be {n_max}",
        )
        none = f"the study declared no n_max for {task!r}: give "
        require(horizon is not None, none, named("n_max"))
        table, rules = analysis.aligned, replace(analysis.rules, n_max=horizon)
        if len(table.scores) < (rules.n_max or 0):
            ahead[task] = _forecast(table, rules, simulator, futility_chance, minutes_per_trial)
    require(bool(ahead), "every task has reached its n_max: nothing is left to forecast")
    return ahead

"""Midway: how much longer a running study will take, and whether it is worth going on."""

from typing import Any

import numpy as np

from stopwise.core.scores import is_number, require_whole
from stopwise.errors import require
from stopwise.planning.checks import check_work
from stopwise.planning.continuation import Continuation, Ends, study_rules
from stopwise.planning.executors import Choice
from stopwise.planning.forecast_result import Forecast, PairForecast
from stopwise.planning.gathering import Progress, gather
from stopwise.planning.population import Resampled
from stopwise.questions.pairs import replay
from stopwise.questions.rules import Rules
from stopwise.rows.table import Table, tables, unit_scores

__all__ = ["forecast"]

MOST_RUNS = 20_000


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
    executor: Choice = None,
    progress: Progress | None = None,
    **settings: Any,
) -> Forecast:
    """Forecast, midway, the chance of a verdict by n_max and the trials still needed.

    Further trials are drawn from what was seen, with its uncertainty (Bayesian bootstrap, with a
    prior that the policies are alike, as strong as what was seen makes likely), and the study is
    continued from its actual state.

    Parameters
    ----------
    trials, bounds, design, **settings
        The trials so far and the settings of the study, as for ``analyze``.
    n_max
        The greatest number of trials per policy that was declared.
    futility
        A threshold in (0, 1), set before the study: advise to stop when the chance of any
        further verdict is below it.
    minutes_per_trial
        For the time in hours.
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
    require(
        futility is None or (is_number(futility) and 0 < futility < 1),
        f"futility must lie strictly between 0 and 1, but got {futility!r}",
    )
    check_work(minutes_per_trial, precision, seed)
    found = tables(trials, design=design)
    require(len(found) == 1, f"a forecast takes one task, but got {len(found)}")
    table = found[0].declaring(bounds)
    rules = _rules(table, n_max, settings)
    past = unit_scores(table, rules.comparison)
    population = Resampled(past, rules.design == "paired")
    question = Continuation(rules, past, population)
    (ends,) = gather(
        [question],
        precision=precision,
        seed=seed,
        most=MOST_RUNS,
        executor=executor,
        progress=progress,
    )
    return Forecast(
        seen={
            name: int(count)
            for name, count in zip(table.policies, (~np.isnan(past)).sum(axis=0), strict=True)
        },
        n_max=n_max,
        chance=ends.share(ends.every),
        chance_error=0.0 if ends.trials == 0 else ends.error(ends.every),
        chance_further=ends.share(ends.further),
        pairs=_pairs(question, ends),
        mean_n=float(ends.rows @ np.arange(ends.rows.size)) / ends.runs,
        n_quantiles=(ends.quantile(0.1), ends.quantile(0.5), ends.quantile(0.9)),
        chance_by=ends.chance_by(),
        mean_trials=ends.trials / ends.runs,
        futility=futility,
        minutes_per_trial=minutes_per_trial,
        method=rules.method,
        alpha=rules.alpha,
        adjust=rules.adjust,
        design=rules.design,
        bounds_inferred=table.bounds_inferred,
        runs=ends.runs,
        notes=table.warnings,
    )


def _rules(table: Table, n_max: int, settings: dict[str, Any]) -> Rules:
    require_whole(n_max, "n_max", 2)
    where = "" if table.task is None else f" of {table.task!r}"
    require(
        len(table.scores) < n_max,
        f"n_max = {n_max} must exceed the {len(table.scores)} trials per policy seen{where}: "
        "nothing is left to forecast",
    )
    return study_rules(table, n_max, settings)


def _pairs(question: Continuation, ends: Ends) -> tuple[PairForecast, ...]:
    rules = question.rules
    now = replay(rules.comparison, rules.budget, question.past[None], with_p_values=False)
    found = []
    for pair, (first, second) in enumerate(rules.family.pairs.tolist()):
        names = rules.policies[first], rules.policies[second]
        claims = now.claims[0, pair]
        count1, count0 = ends.claims[pair]
        found.append(
            PairForecast(
                policy0=names[0],
                policy1=names[1],
                decided=names[1] if claims[0] else names[0] if claims[1] else None,
                chance=ends.share(count0 + count1),
                chance_error=0.0 if claims.any() else ends.error(count0 + count1),
                chance0=ends.share(count0),
                chance1=ends.share(count1),
            )
        )
    return tuple(found)

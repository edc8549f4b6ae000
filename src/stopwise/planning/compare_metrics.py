"""The question which metric needs the fewest trials, on rollouts that exist."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import polars as pl

from stopwise.core.arrays import Floats
from stopwise.core.keywords import flat
from stopwise.core.rules import Rules
from stopwise.core.scores import require_whole
from stopwise.core.settings import RaceSettings
from stopwise.data.read import read_trials
from stopwise.data.trials import Trials
from stopwise.errors import require
from stopwise.messages import Setting, counted
from stopwise.planning.continuation import further_trials, study_rules
from stopwise.planning.metrics_result import MetricComparison, MetricRow
from stopwise.planning.populations import Resampled
from stopwise.planning.simulation import check_minutes
from stopwise.questions.pairs import replay
from stopwise.questions.ranking import Ranking
from stopwise.rows.table import Table, unit_scores
from stopwise.rows.task_tables import tables

# More different scores than this are called continuous.
MOST_LEVELS = 20


@flat(RaceSettings)
def compare_metrics(
    source: Any,
    *,
    scores: Mapping[str, tuple[float, float]] | None = None,
    milestones: Sequence[str] = (),
    bounds: tuple[float, float] | None = None,
    columns: Mapping[str, Any] | None = None,
    n_max: int | None = None,
    design: str | None = None,
    orders: int = 200,
    seed: int = 0,
    minutes_per_trial: float | None = None,
    **settings: Unpack[RaceSettings],
) -> MetricComparison:
    """Show what success, partial credit and continuous scores need, on the same rollouts.

    Parameters
    ----------
    source
        Rollouts as for ``read_trials``, or a trial table.
    scores, milestones, bounds, columns
        The metrics: columns with their bounds, columns of milestones (1 if reached, else 0), or by
        default the score that is found (with its bounds) and the success column or full score.
    n_max
        Maximum number of trials per policy; by default all there are. A larger one resamples
        the rollouts with their uncertainty.
    design, **settings
        As for ``analyze``.
    orders
        Number of random orders of the rollouts, the same ones for every metric.
    seed
        A whole number for them.
    minutes_per_trial
        To convert trials to hours.

    Examples
    --------
    >>> import numpy as np
    >>> import stopwise as sw
    >>> rng = np.random.default_rng(0)
    >>> progress = np.round(np.concatenate([rng.beta(3, 3, 60), rng.beta(4, 2, 60)]) * 6) / 6
    >>> columns = {"policy": ["base"] * 60 + ["new"] * 60, "score": progress}
    >>> compared = sw.compare_metrics(sw.read_trials(columns, bounds=(0, 1)))
    >>> [(row.metric, row.decided > 0.5) for row in compared.rows]
    [('full score', False), ('score (6 levels)', True)]
    """
    check_minutes(minutes_per_trial)
    for name in ("lower_is_better", "by"):
        require(
            settings.get(name, getattr(Rules, name)) == getattr(Rules, name),
            f"metrics are compared by their means, and more must be better: do not give {name}",
            parameter=name,
        )
    require_whole(orders, "orders", 1)
    rng_seed = require_whole(seed, "seed", 0)
    cases = [
        (metric, table, _ranking(table, n_max, settings))
        for metric, trials in _metrics(source, scores, milestones, bounds, columns).items()
        for table in tables(trials, design=design)
    ]
    rows = [_row(table, ranking, name, orders, rng_seed) for name, table, ranking in cases]
    return MetricComparison(
        rows=tuple(sorted(rows, key=lambda row: row.task)),
        orders=orders,
        resampled=any(len(table.scores) < (n_max or 0) for _, table, _ in cases),
        rules=cases[0][2].rules,
        minutes_per_trial=minutes_per_trial,
        notes=tuple(dict.fromkeys(note for _, table, _ in cases for note in table.notes)),
    )


def _ranking(table: Table, n_max: int | None, settings: RaceSettings) -> Ranking:
    require(
        settings.get("reference") is None,
        "scores of different kinds cannot be compared with one reference",
        parameter="reference",
    )
    require(
        len(table.policies) >= 2,
        f"comparing metrics needs at least 2 policies, but got {len(table.policies)}",
    )
    if n_max is not None:
        require_whole(n_max, "n_max", 2)
    return Ranking(study_rules(table, n_max or len(table.scores), settings))


def _row(table: Table, ranking: Ranking, metric: str, orders: int, seed: int) -> MetricRow:
    rules = ranking.rules
    unit = unit_scores(table, ranking.comparison)
    assert rules.n_max is not None
    drawn = _orders(unit, rules, orders, np.random.default_rng(seed))
    outcome = replay(ranking.comparison, ranking.budget, drawn, with_p_values=False)
    nothing = np.empty((0, len(rules.policies)))
    trials = further_trials(ranking, nothing, outcome)
    longest = trials.max(axis=1)
    decided = outcome.decided
    own = replay(ranking.comparison, ranking.budget, unit[None, : rules.n_max], with_p_values=False)
    tenth, half, most = np.quantile(longest, (0.1, 0.5, 0.9), method="inverted_cdf")
    return MetricRow(
        task=table.task or "task",
        metric=metric,
        n_max=rules.n_max,
        decided=float(decided.all(axis=1).mean()),
        pairs_decided=float(decided.mean()),
        mean_n=float(longest.mean()),
        n_quantiles=(int(tenth), int(half), int(most)),
        mean_trials=float(trials.sum(axis=1).mean()),
        file_order_n=int(own.rows.max()) if own.decided.all() else None,
    )


def _orders(unit: Floats, rules: Rules, orders: int, rng: np.random.Generator) -> Floats:
    """Return random orders of the rollouts, or studies drawn from them if they are too few."""
    n_max = rules.n_max
    assert n_max is not None
    paired = rules.design == "paired"
    if n_max > len(unit):
        return Resampled(unit, paired).draw(rng, orders, n_max).scores
    drawn = np.repeat(unit[None], orders, axis=0)
    if paired:
        return np.stack([rng.permutation(table) for table in drawn])[:, :n_max]
    for column in range(unit.shape[1]):
        known = ~np.isnan(unit[:, column])
        drawn[:, known, column] = rng.permuted(drawn[:, known, column], axis=1)
    return drawn[:, :n_max]


def _metrics(
    source: Any,
    scores: Mapping[str, tuple[float, float]] | None,
    milestones: Sequence[str],
    bounds: tuple[float, float] | None,
    columns: Mapping[str, Any] | None,
) -> dict[str, Trials]:
    """Return the rollouts scored by each metric, success first."""
    require(
        bounds is None or not (scores or milestones or isinstance(source, Trials)),
        "bounds are for a score that is found automatically: named columns and trial tables have "
        "their own",
    )
    found = _by_milestones(source, milestones, columns) if milestones else {}
    for column, limits in (scores or {}).items():
        trials = read_trials(source, score=column, bounds=limits, columns=columns)
        found[_with_kind(column, trials)] = trials
    if not found:
        found = _by_score(source, bounds, columns)
    require(
        len(found) >= 2,
        "comparing metrics needs at least 2, but the rollouts have only "
        f"{', '.join(map(repr, found))}; name columns with their bounds",
    )
    return found


def _by_milestones(source: Any, names: Sequence[str], columns: Any) -> dict[str, Trials]:
    """Return success (all milestones reached) and partial credit (the share reached)."""
    parts = [read_trials(source, score=name, bounds=(0, 1), columns=columns) for name in names]
    reached = np.array([part.frame["score"].to_numpy() for part in parts])
    for name, column in zip(names, reached, strict=True):
        bad = column[~np.isin(column, (0.0, 1.0))]
        require(
            bad.size == 0,
            f"milestone {name!r} must be reached (1) or not (0), but got {bad[:1].tolist()}",
        )
    return {
        "success (all milestones)": _rescored(parts[0], reached.min(axis=0)),
        f"partial credit ({counted(len(names), 'milestone')})": _rescored(
            parts[0], reached.mean(axis=0)
        ),
    }


def _by_score(source: Any, bounds: Any, columns: Any) -> dict[str, Trials]:
    """Return success, as far as it is known, and the score."""
    found = isinstance(source, Trials)
    trials = source if found else read_trials(source, bounds=bounds, columns=columns)
    for task in trials.tasks:
        require(
            task in trials.bounds,
            f"the range of the score of {task!r} must be declared in advance: give ",
            Setting("bounds"),
            code="bounds-undeclared",
        )
    frame = trials.frame
    score = {_with_kind("score", trials): trials}
    if np.isin(frame["score"].to_numpy(), (0.0, 1.0)).all():
        return score
    if "success" in frame.columns and frame["success"].null_count() == 0:
        return {"success": _rescored(trials, frame["success"].to_numpy()), **score}
    tops = frame["task"].replace_strict({task: trials.bounds[task][1] for task in trials.tasks})
    full = (frame["score"] >= tops - 1e-9).cast(pl.Float64).to_numpy()
    return {"full score": _rescored(trials, full), **score}


def _rescored(trials: Trials, score: Any) -> Trials:
    """Return the same trials with another score in [0, 1]."""
    content = trials.frame.drop("trial").with_columns(pl.Series("score", score)).to_dict()
    return Trials.from_columns(content, bounds=(0.0, 1.0), notes=trials.notes, order=trials.order)


def _with_kind(name: str, trials: Trials) -> str:
    """Return the name of a metric with its kind."""
    levels = trials.frame["score"].n_unique()
    if levels <= 2:
        return f"{name} (binary)"
    return (
        f"{name} ({counted(levels, 'level')})" if levels <= MOST_LEVELS else f"{name} (continuous)"
    )

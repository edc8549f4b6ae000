"""Which measure needs fewest trials, on rollouts that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.scores import require_whole
from stopwise.errors import require
from stopwise.planning import figure_data
from stopwise.planning.checks import check_minutes
from stopwise.planning.continuation import further_trials, study_rules
from stopwise.planning.finding import SCHEMA, Finding
from stopwise.planning.measures import measures
from stopwise.planning.pages import measures_page
from stopwise.planning.population import Resampled
from stopwise.questions.pairs import Replay, replay
from stopwise.questions.rules import Rules
from stopwise.report import plan_figures
from stopwise.rows.table import Table, tables, unit_scores

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MetricComparison", "MetricRow", "compare_metrics"]


@dataclass(frozen=True, kw_only=True)
class MetricRow:
    """What one measure needs on one task.

    Attributes
    ----------
    decided
        Share of the orders in which every pair is decided by n_max.
    pairs_decided
        Mean share of pairs decided.
    mean_n, n_quantiles
        Trials per policy until the study ends: mean, and 10, 50 and 90 % of the orders.
    mean_trials
        Trials of all policies together, on average.
    file_order_n
        Trials per policy in the order of the file until every pair was decided, or None.
    """

    task: str
    metric: str
    n_max: int
    decided: float
    pairs_decided: float
    mean_n: float
    n_quantiles: tuple[int, int, int]
    mean_trials: float
    file_order_n: int | None


@dataclass(frozen=True, kw_only=True)
class MetricComparison(Finding):
    """What success, partial credit and continuous scores need; never changes afterwards.

    Attributes
    ----------
    rows
        One per task and measure, success first.
    orders
        Random orders of the rollouts that were gone through.
    resampled
        Whether n_max exceeds the rollouts, so that they were resampled with their uncertainty.
    method, alpha, adjust, design
        The settings.
    minutes_per_trial
        For hours; None if not given.
    notes
        What was assumed about the rollouts, one sentence each.
    """

    rows: tuple[MetricRow, ...]
    orders: int
    resampled: bool
    method: str
    alpha: float
    adjust: str
    design: str
    minutes_per_trial: float | None
    notes: tuple[str, ...]

    @property
    def means(self) -> dict[str, float]:
        """Mean trials of all policies by measure, averaged over tasks."""
        names = dict.fromkeys(row.metric for row in self.rows)
        return {
            name: float(np.mean([row.mean_trials for row in self.rows if row.metric == name]))
            for name in names
        }

    @property
    def sentence(self) -> str:
        """What was found, in words, and what it rests on."""
        means = self.means
        listed = ", ".join(f"{name} {mean:.0f}" for name, mean in means.items())
        best = min(means, key=lambda name: means[name])
        first = next(iter(means))
        gain = ""
        if best != first and means[best] > 0:
            share = 1 - means[best] / means[first]
            hours = self._hours(means[first] - means[best])
            gain = f": {best} needs {100 * share:.0f} % fewer than {first}{hours}"
        how = "resampled with their uncertainty" if self.resampled else "in random order"
        return (
            f"Trials of all policies until the verdict or the end, mean over {self.orders} orders: "
            f"{listed}{gain}. These are your rollouts {how}, not new ones ({self.method}, alpha = "
            f"{self.alpha:g}, {self.design} design); choose the measure before the next study, "
            "and choose one that measures what you want."
        )

    def _hours(self, trials: float) -> str:
        known = self.minutes_per_trial
        return "" if known is None else f", {trials * known / 60:.1f} hours"

    def table(self) -> list[dict[str, Any]]:
        """Return one row per task and measure."""
        return [vars(row) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        rows = [{**row, "n_quantiles": list(row["n_quantiles"])} for row in self.table()]
        return {
            "schema": SCHEMA,
            "sentence": self.sentence,
            **vars(self),
            "rows": rows,
            "notes": list(self.notes),
        }

    def figures(self) -> dict[str, "Figure"]:
        """Return the figure by the name under which it is saved."""
        return {"measures": plan_figures.plot_ranges(figure_data.measure_ranges(self))}

    def to_html(self) -> str:
        """Return a self-contained page with the table and the figure."""
        return measures_page(self)


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
    **settings: Any,
) -> MetricComparison:
    """Show what success, partial credit and continuous scores need, on the same rollouts.

    Parameters
    ----------
    source
        Rollouts as for ``read_trials``, or a trial table.
    scores, milestones, bounds, columns
        Which measures there are: columns with their bounds, columns of milestones, or by default
        the score that is found (with its bounds) and the success column or full score.
    n_max
        Greatest number of trials per policy; by default all there are. A larger one resamples
        the rollouts with their uncertainty.
    design, **settings
        As for ``analyze``.
    orders
        Random orders of the rollouts, the same ones for every measure.
    seed
        A whole number for them.
    minutes_per_trial
        For the time in hours.

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
    require_whole(orders, "orders", 1)
    rng_seed = require_whole(seed, "seed", 0)
    found = measures(source, scores=scores, milestones=milestones, bounds=bounds, columns=columns)
    cases = [
        (measure.name, table, _rules(table, n_max, settings))
        for measure in found
        for table in tables(measure.trials, design=design)
    ]
    rows = [_row(table, rules, name, orders, rng_seed) for name, table, rules in cases]
    rules = cases[0][2]
    return MetricComparison(
        rows=tuple(sorted(rows, key=lambda row: row.task)),
        orders=orders,
        resampled=any(len(table.scores) < (n_max or 0) for _, table, _ in cases),
        method=rules.method,
        alpha=rules.alpha,
        adjust=rules.adjust,
        design=rules.design,
        minutes_per_trial=minutes_per_trial,
        notes=tuple(dict.fromkeys(note for _, table, _ in cases for note in table.warnings)),
    )


def _rules(table: Table, n_max: int | None, settings: dict[str, Any]) -> Rules:
    require(
        len(table.policies) >= 2,
        f"measures are compared on at least 2 policies, but got {len(table.policies)}",
    )
    if n_max is not None:
        require_whole(n_max, "n_max", 2)
    return study_rules(table, n_max or len(table.scores), settings)


def _row(table: Table, rules: Rules, metric: str, orders: int, seed: int) -> MetricRow:
    unit = unit_scores(table, rules.comparison)
    assert rules.n_max is not None
    drawn = _orders(unit, rules, orders, np.random.default_rng(seed))
    outcome = replay(rules.comparison, rules.budget, drawn, with_p_values=False)
    nothing = np.empty((0, len(rules.policies)))
    trials = further_trials(rules, nothing, outcome)
    longest = trials.max(axis=1)
    decided = np.asarray(outcome.claims.any(axis=-1))
    own = replay(rules.comparison, rules.budget, unit[None, : rules.n_max], with_p_values=False)
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
        file_order_n=_file_order(own),
    )


def _file_order(outcome: Replay) -> int | None:
    decided = bool(outcome.claims.any(axis=-1).all())
    return int(outcome.rows.max()) if decided else None


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

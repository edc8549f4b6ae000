"""The answer to "which metric needs the fewest trials?": frozen rows and one sentence."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stopwise.core.rules import Rules
from stopwise.planning.presentation import PER_POLICY, PlanningResult, Rows
from stopwise.report.plan_figures import plot_ranges

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class MetricRow:
    """What one metric needs on one task.

    Attributes
    ----------
    decided
        Share of the orders in which every pair is decided by n_max.
    pairs_decided
        Mean share of pairs decided.
    mean_n, n_quantiles
        Trials per policy until the study ends: the mean, and within which 10, 50 and 90 % of the
        orders end.
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
class MetricComparison(PlanningResult):
    """What success, partial credit and continuous scores need on the same rollouts.

    Attributes
    ----------
    rows
        One per task and metric, success first.
    orders
        Number of random orders of the rollouts.
    resampled
        Whether n_max exceeds the rollouts, so that they were resampled with their uncertainty.
    rules
        What was declared, for the first task.
    minutes_per_trial
        To convert trials to hours, or None.
    notes
        What was assumed about the rollouts, one sentence each.
    """

    rows: tuple[MetricRow, ...]
    orders: int
    resampled: bool
    rules: Rules
    minutes_per_trial: float | None
    notes: tuple[str, ...]

    TITLE: ClassVar[str] = "Which metric needs the fewest trials?"
    LEGEND: ClassVar[str] = PER_POLICY

    @property
    def means(self) -> dict[str, float]:
        """Mean trials of all policies by metric, averaged over tasks."""
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
            saved = means[first] - means[best]
            minutes = self.minutes_per_trial
            hours = "" if minutes is None else f", saving {saved * minutes / 60:.1f} hours"
            share = saved / means[first]
            gain = f" On average, {best} needs {100 * share:.0f} % fewer than {first}{hours}."
        how = "resampled with their uncertainty" if self.resampled else "in random order"
        return (
            f"Trials of all policies until a verdict or n_max, averaged over {self.orders} orders: "
            f"{listed}.{gain} These are your own rollouts {how}, not new ones ({self.method}, "
            f"alpha = {self.alpha:g}, {self.design} design). Choose the metric before the next "
            "study, and choose one that measures what you care about."
        )

    def table(self) -> list[dict[str, Any]]:
        """Return one row per task and metric."""
        return [asdict(row) for row in self.rows]

    def text_tables(self) -> dict[str, Rows]:
        """Return the rows as people read them."""
        rows = [
            {
                "task": row.task,
                "metric": row.metric,
                "decided": f"{row.decided:.2f}",
                "mean": f"{row.mean_n:.1f}",
                "10/50/90 %": "/".join(map(str, row.n_quantiles)),
                "total": f"{row.mean_trials:.0f}",
                "in file order": "undecided" if row.file_order_n is None else row.file_order_n,
            }
            for row in self.rows
        ]
        return {"What each metric needs": rows}

    def figures(self) -> dict[str, "Figure"]:
        """Return the figure by the name under which it is saved."""
        several = len({row.task for row in self.rows}) > 1
        ranges = {
            f"{row.task}: {row.metric}" if several else row.metric: row.n_quantiles
            for row in self.rows
        }
        return {"measures": plot_ranges(ranges)}

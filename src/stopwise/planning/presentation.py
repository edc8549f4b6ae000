"""The answers of planning as people read them: JSON, rows of text, and self-contained pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.core.promise import promise
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import score_text
from stopwise.messages import in_short
from stopwise.report.drawn import Drawn
from stopwise.report.html import captioned, render_page

if TYPE_CHECKING:
    from stopwise.planning.best_plan_result import BestPlan
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics_result import MetricComparison
    from stopwise.planning.plan_result import Plan
    from stopwise.planning.plan_row import PlanRow

SCHEMA = 1
Rows = list[dict[str, Any]]
# Columns of words; all others are numbers.
TEXT_COLUMNS = ("method", "design", "policy", "pair", "now", "task", "metric", "two best")
CAPTIONS = {
    "named": "Chance that the right policy is named, by trials of all policies",
    "power": "Chance of the right verdict, by maximum number of trials",
    "stopping": "Chance of having reached the right verdict, by trial",
    "detectable": "Smallest detectable gap, by maximum number of trials",
    "naming": "Chance that one is named, by number of further rows",
    "further": "Chance that all pairs are decided, by number of further trials",
    "measures": "Trials per policy until the study ends, by metric",
}
PER_POLICY = "Mean and quantiles are in trials per policy; totals are over all policies."


class PlanningResult(Drawn):
    """An answer of planning: one sentence that sums it up, tables, JSON, a page and figures.

    Attributes
    ----------
    SETTINGS
        Settings that JSON holds as its own.
    TITLE, LEGEND
        The question that heads its page, and what the tables there need to be understood.
    """

    rules: Rules
    notes: tuple[str, ...]
    SETTINGS: ClassVar[tuple[str, ...]] = ("method", "alpha", "adjust", "design")
    TITLE: ClassVar[str]
    LEGEND: ClassVar[str] = ""

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of any false claim.")
    adjust = FromRules[str]("adjust", "How alpha is shared.")
    design = FromRules[str]("design", 'The design, "independent" or "paired".')

    def to_html(self) -> str:
        """Return a self-contained page with the tables, the figures and the assumptions."""
        return planning_page({"": self})

    def _promised(self, n_max: int | None, *, bounds_inferred: bool) -> str:
        """Return what the method promises about false claims."""
        claim = "the chance of a false claim"
        return promise(self.method, claim, self.alpha, n_max=n_max, bounds_inferred=bounds_inferred)

    def _derived(self) -> dict[str, Any]:
        """Return what JSON holds besides the fields."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        settings = {name: getattr(self, name) for name in self.SETTINGS}
        fields = {name: value for name, value in vars(self).items() if name != "rules"}
        content = _plain({**fields, **settings, **self._derived()})
        return {"schema": SCHEMA, "sentence": self.sentence, **content}

    def to_json(self) -> str:
        """Return everything as JSON; the schema is in docs/design/planning.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return dataclasses and tuples within a value as mappings and lists."""
    if is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def plan_rows(plan: "Plan", rows: "Sequence[PlanRow] | None" = None) -> Rows:
    """Return a row for each scenario and n_max; ``rows``: others than those of what is assumed."""
    several = len({row.scenario for row in plan.rows}) > 1  # one for each gap
    return [
        {
            **({"gap": f"{row['gap']:.4g}"} if several else {}),
            "n_max": row["n_max"],
            "power": f"{row['power']:.3f}",
            "± SE": "exact" if row["exact"] else f"{row['power_error']:.3f}",
            **({"same": f"{row['same']:.2f}"} if "same" in row else {}),
            "undecided": f"{row['undecided']:.2f}",
            "mean": f"{row['mean_n']:.1f}",
            "10/50/90 %": "/".join(map(str, row["n_quantiles"])),
            "total": f"{row['mean_trials']:.0f}",
            **({"people": f"{row['human_scores']:.0f}"} if "human_scores" in row else {}),
            "fixed": "-" if row["fixed_n"] is None else row["fixed_n"] * plan.policies,
            "saved": "-" if row["trials_saved"] is None else f"{row['trials_saved']:.0f}",
            **_hours(row),
        }
        for row in plan.table(rows)
    ]


def _hours(row: dict[str, Any]) -> dict[str, str]:
    """Return the hours of a row, if a trial takes a known time."""
    if row["mean_hours"] is None:
        return {}
    return {"hours": f"{row['mean_hours']:.1f}", "max h": f"{row['most_hours']:.1f}"}


def best_rows(plan: "BestPlan") -> Rows:
    """Return a row for each scenario and n_max of a plan to name the best."""
    several = len({row.scenario for row in plan.rows if not row.what_if}) > 1
    return [
        {
            **({"lead": f"{row['gap']:.4g}"} if several else {}),
            "two best": "equal" if row["what_if"] else "as assumed",
            "n_max": row["n_max"],
            "power": f"{row['power']:.3f}",
            "± SE": f"{row['power_error']:.3f}",
            "none": f"{row['undecided']:.2f}",
            "left": "-" if row["mean_left"] is None else f"{row['mean_left']:.1f}",
            "rows": f"{row['mean_n']:.0f}",
            "total": f"{row['mean_trials']:.0f}",
            "10/50/90 %": "/".join(map(str, row["trial_quantiles"])),
            **_hours(row),
        }
        for row in plan.table()
    ]


def gap_rows(plan: "Plan") -> Rows:
    """Return the smallest detectable gap for each n_max."""
    return [
        {
            "n_max": entry.n_max,
            f"smallest gap detected with power {plan.power:g}": "none"
            if entry.gap is None
            else score_text(entry.gap) + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
        }
        for entry in plan.detectable
    ]


def pair_rows(forecast: "Forecast") -> Rows:
    """Return a row for each pair of policies."""
    return [
        {
            "pair": f"{pair.policy0}, {pair.policy1}",
            "now": pair.decided or "undecided",
            "chance of a verdict": f"{pair.chance:.2f} ± {pair.chance_error:.1g}",
            "for the first": f"{pair.chance0:.2f}",
            "for the second": f"{pair.chance1:.2f}",
            **({} if pair.chance_same is None else {"the same": f"{pair.chance_same:.2f}"}),
        }
        for pair in forecast.pairs
    ]


def metric_rows(compared: "MetricComparison") -> Rows:
    """Return a row for each task and metric."""
    return [
        {
            "task": row.task,
            "metric": row.metric,
            "decided": f"{row.decided:.2f}",
            "mean": f"{row.mean_n:.1f}",
            "10/50/90 %": "/".join(map(str, row.n_quantiles)),
            "total": f"{row.mean_trials:.0f}",
            "in file order": "undecided" if row.file_order_n is None else row.file_order_n,
        }
        for row in compared.rows
    ]


def planning_page(answers: Mapping[str, PlanningResult]) -> str:
    """Return the page of the answers of one kind, by task."""
    sections = [
        {
            "heading": f"Task {task}" if len(answers) > 1 else "",
            "sentence": answer.sentence,
            "tables": answer.text_tables(),
            "legend": answer.LEGEND,
            "figures": captioned(answer.figures(), CAPTIONS),
            "notes": in_short(answer.notes),
        }
        for task, answer in answers.items()
    ]
    title = next(iter(answers.values())).TITLE
    return render_page("planning.html", title=title, sections=sections, text_columns=TEXT_COLUMNS)

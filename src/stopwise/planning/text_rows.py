"""Plans, forecasts and comparisons of measures as rows of text, for terminals and pages alike."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics import MetricComparison
    from stopwise.planning.result import Plan

__all__ = ["WORDS", "limit_rows", "measure_rows", "pair_rows", "plan_rows"]

Rows = list[dict[str, Any]]

# Columns of words; all others are numbers.
WORDS = ("policies", "pair", "now", "task", "measure")


def plan_rows(made: "Plan") -> Rows:
    """Return a row for each supposition and n_max."""
    several = len({row.scenario for row in made.rows}) > 1
    hours = made.minutes_per_trial is not None
    return [
        {
            **({"policies": row["scenario"]} if several else {}),
            "n_max": row["n_max"],
            "power": f"{row['power']:.3f}",
            "± se": "exact" if row["exact"] else f"{row['power_error']:.3f}",
            "undecided": f"{row['undecided']:.2f}",
            "mean": f"{row['mean_n']:.1f}",
            "10/50/90 %": "/".join(map(str, row["n_quantiles"])),
            "in all": f"{row['mean_trials']:.0f}",
            "fixed plan": "-" if row["fixed_n"] is None else row["fixed_n"] * made.policies,
            "saved": "-" if row["trials_saved"] is None else f"{row['trials_saved']:.0f}",
            **({"hours": f"{row['mean_hours']:.1f}"} if hours else {}),
            **({"most": f"{row['most_hours']:.1f}"} if hours else {}),
        }
        for row in made.table()
    ]


def limit_rows(made: "Plan") -> Rows:
    """Return the smallest gap found, by n_max."""
    from stopwise.core.scores import score_text

    return [
        {
            "n_max": entry.n_max,
            f"smallest gap found with power {made.power:g}": "none"
            if entry.gap is None
            else score_text(entry.gap) + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
        }
        for entry in made.detectable
    ]


def pair_rows(ahead: "Forecast") -> Rows:
    """Return a row for each pair of policies."""
    return [
        {
            "pair": f"{pair.policy0}, {pair.policy1}",
            "now": pair.decided or "undecided",
            "chance of a verdict": f"{pair.chance:.2f} ± {pair.chance_error:.1g}",
            "for the first": f"{pair.chance0:.2f}",
            "for the second": f"{pair.chance1:.2f}",
        }
        for pair in ahead.pairs
    ]


def measure_rows(compared: "MetricComparison") -> Rows:
    """Return a row for each task and measure."""
    return [
        {
            "task": row.task,
            "measure": row.metric,
            "decided": f"{row.decided:.2f}",
            "mean": f"{row.mean_n:.1f}",
            "10/50/90 %": "/".join(map(str, row.n_quantiles)),
            "in all": f"{row.mean_trials:.0f}",
            "in file order": "undecided" if row.file_order_n is None else row.file_order_n,
        }
        for row in compared.rows
    ]

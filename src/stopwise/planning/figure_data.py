"""What the figures of a plan show, computed apart from drawing it."""

from typing import TYPE_CHECKING

import numpy as np

from stopwise.report.plan_figures import Curve, Point, Range

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics import MetricComparison
    from stopwise.planning.result import Plan

__all__ = [
    "detectable_points",
    "further_curve",
    "measure_ranges",
    "power_curves",
    "stopping_curves",
]


def power_curves(plan: "Plan") -> list[Curve]:
    """Return a curve of power against n_max for each supposition."""
    curves = []
    for scenario in dict.fromkeys(row.scenario for row in plan.rows):
        rows = [row for row in plan.rows if row.scenario == scenario]
        curves.append(
            Curve(
                scenario,
                np.array([float(row.n_max) for row in rows]),
                np.array([row.power for row in rows]),
                np.array([row.power_error for row in rows]),
            )
        )
    return curves


def stopping_curves(plan: "Plan") -> list[Curve]:
    """Return the chance of the right verdict by each trial: one curve per row.

    With several suppositions only the largest n_max is shown.
    """
    single = len({row.scenario for row in plan.rows}) == 1
    largest = max(row.n_max for row in plan.rows)
    curves = []
    for row in plan.rows:
        if single or row.n_max == largest:
            chance = np.concatenate([[0.0], row.times.chance_by()])
            label = f"n_max {row.n_max}" if single else row.scenario
            n = np.arange(chance.size, dtype=float)
            curves.append(Curve(label, n, chance, np.zeros(chance.size)))
    return curves


def detectable_points(plan: "Plan") -> list[Point]:
    """Return the smallest gaps found, by n_max."""
    return [
        Point(float(entry.n_max), entry.gap, entry.gap_error)
        for entry in plan.detectable
        if entry.gap is not None
    ]


def further_curve(ahead: "Forecast") -> Curve:
    """Return the chance that every pair is decided, by further trial."""
    chance = np.array(ahead.chance_by)
    n = np.arange(chance.size, dtype=float)
    return Curve(f"by n_max = {ahead.n_max}", n, chance, np.zeros(chance.size))


def measure_ranges(compared: "MetricComparison") -> list[Range]:
    """Return when studies end, by task and measure."""
    several = len({row.task for row in compared.rows}) > 1
    return [
        Range(f"{row.task}: {row.metric}" if several else row.metric, *row.n_quantiles)
        for row in compared.rows
    ]

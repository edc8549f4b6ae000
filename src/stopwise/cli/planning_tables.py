"""Plans, forecasts and comparisons of measures as tables in the terminal."""

from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.options import json_of
from stopwise.cli.printing import print_finding
from stopwise.planning.presentation import (
    TEXT_COLUMNS,
    gap_rows,
    metric_rows,
    pair_rows,
    plan_rows,
)

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics_result import MetricComparison
    from stopwise.planning.plan_result import Plan

__all__ = ["show_forecasts", "show_metrics", "show_plan"]


def show_plan(made: "Plan", as_json: bool) -> None:
    """Print a plan."""
    if as_json:
        typer.echo(made.to_json())
        return
    _show_rows(plan_rows(made))
    _show_rows(gap_rows(made))
    print_finding(made.sentence, made.notes)


def show_forecasts(found: dict[str, "Forecast"], as_json: bool) -> None:
    """Print a forecast for each task."""
    if as_json:
        typer.echo(json_of([{"task": task, **ahead.to_dict()} for task, ahead in found.items()]))
        return
    for task, ahead in found.items():
        if len(found) > 1:
            typer.echo(f"task {task}")
        _show_rows(pair_rows(ahead))
        print_finding(ahead.sentence, ahead.notes)


def show_metrics(compared: "MetricComparison", as_json: bool) -> None:
    """Print how many trials each measure needs."""
    if as_json:
        typer.echo(compared.to_json())
        return
    _show_rows(metric_rows(compared))
    print_finding(compared.sentence, compared.notes)


def _show_rows(rows: list[dict[str, Any]]) -> None:
    """Print a table whose columns are the keys of its rows."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        return
    table = Table(box=SIMPLE, padding=0, collapse_padding=True)
    for name in rows[0]:
        table.add_column(escape(name), justify="left" if name in TEXT_COLUMNS else "right")
    for row in rows:
        table.add_row(*(escape(str(value)) for value in row.values()))
    Console(highlight=False).print(table)

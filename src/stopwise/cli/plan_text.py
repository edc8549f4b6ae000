"""Plans, forecasts and comparisons of measures as text in the terminal."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics import MetricComparison
    from stopwise.planning.result import Plan

__all__ = ["show_forecasts", "show_metrics", "show_plan"]


def show_plan(made: "Plan", *, as_json: bool, html: Path | None, figures: Path | None) -> None:
    """Print a plan, and write its page and figures."""
    if html is not None:
        html.write_text(made.to_html(), encoding="utf-8")
    if figures is not None:
        made.save_figures(figures)
    if as_json:
        typer.echo(made.to_json())
        return
    _show_rows(_plan_rows(made))
    limits = [
        {
            "n_max": entry.n_max,
            f"smallest gap found with power {made.power:g}": "none"
            if entry.gap is None
            else f"{entry.gap:.3g}" + (f" ± {entry.gap_error:.1g}" if entry.gap_error else ""),
        }
        for entry in made.detectable
    ]
    _show_rows(limits)
    _show_sentence(made.sentence, made.notes)
    for path in (html, figures):
        if path is not None:
            typer.echo(f"written: {path}")


def _plan_rows(made: "Plan") -> list[dict[str, Any]]:
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
        }
        for row in made.table()
    ]


def show_forecasts(found: dict[str, "Forecast"], as_json: bool) -> None:
    """Print a forecast for each task."""
    if as_json:
        content = [{"task": task, **ahead.to_dict()} for task, ahead in found.items()]
        typer.echo(json.dumps(content[0] if len(content) == 1 else content, indent=2))
        return
    for task, ahead in found.items():
        if len(found) > 1:
            typer.echo(f"task {task}")
        rows = [
            {
                "pair": f"{pair.policy0}, {pair.policy1}",
                "now": pair.decided or "undecided",
                "chance of a verdict": f"{pair.chance:.2f} ± {pair.chance_error:.1g}",
                "for the first": f"{pair.chance0:.2f}",
                "for the second": f"{pair.chance1:.2f}",
            }
            for pair in ahead.pairs
        ]
        _show_rows(rows)
        _show_sentence(ahead.sentence, ahead.notes)


def show_metrics(compared: "MetricComparison", as_json: bool) -> None:
    """Print what each measure needs."""
    if as_json:
        typer.echo(compared.to_json())
        return
    rows = [
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
    _show_rows(rows)
    _show_sentence(compared.sentence, compared.notes)


def _show_rows(rows: list[dict[str, Any]]) -> None:
    """Print a table whose columns are the keys of its rows."""
    from rich.box import SIMPLE
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not rows:
        return
    table = Table(box=SIMPLE, padding=0, collapse_padding=True)
    words = ("policies", "pair", "now", "task", "measure")
    for name in rows[0]:
        table.add_column(escape(name), justify="left" if name in words else "right")
    for row in rows:
        table.add_row(*(escape(str(value)) for value in row.values()))
    Console(highlight=False).print(table)


def _show_sentence(sentence: str, notes: tuple[str, ...]) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    console.print(f"[bold]{escape(sentence)}[/bold]")
    for note in notes:
        console.print(f"[dim]note: {escape(note)}[/dim]")

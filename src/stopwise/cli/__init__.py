"""The command line: one file per command; each parses, calls the library and prints."""

from functools import partial
from typing import Annotated

import typer

from stopwise.cli import (
    analyze,
    compare,
    demo,
    forecast,
    gate,
    methods,
    metrics,
    plan,
    race,
    reproduce,
    study,
    watch,
)
from stopwise.cli.command import Command, CommandGroup

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)
_command = partial(app.command, cls=Command)
_command("analyze")(analyze.analyze)
_command("compare")(compare.compare)
_command("demo")(demo.demo)
_command("forecast")(forecast.forecast)
_command("gate")(gate.gate)
_command("methods")(methods.methods)
_command("metrics")(metrics.metrics)
app.command("plan", cls=plan.PlanCommand)(plan.plan)
_command("race")(race.race)
_command("reproduce")(reproduce.reproduce)
app.add_typer(study.app, name="study")
_command("watch")(watch.watch)


def _show_version(wanted: bool) -> None:
    if wanted:
        from stopwise import __version__

        typer.echo(f"stopwise {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find out which policy is better, with as few trials as possible and a guarantee."""

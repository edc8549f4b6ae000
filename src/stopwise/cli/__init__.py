"""The command line: one file per command; each parses, calls the library and prints."""

from typing import Annotated

import typer

from stopwise.cli import analyze, compare, demo, methods, plan, race, reproduce, study, watch
from stopwise.cli.options import Bounded

__all__ = ["app"]

app = typer.Typer(
    help="Which policy is better? As few trials as possible, with a guarantee.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("analyze", cls=Bounded)(analyze.analyze)
app.command("compare", cls=Bounded)(compare.compare)
app.command("demo")(demo.demo)
app.command("methods")(methods.methods)
app.command("plan", cls=Bounded)(plan.plan)
app.command("race", cls=Bounded)(race.race)
app.command("reproduce")(reproduce.reproduce)
app.add_typer(study.app, name="study")
app.command("watch", cls=Bounded)(watch.watch)


def _show_version(wanted: bool) -> None:
    if wanted:
        from stopwise import __version__

        typer.echo(f"stopwise {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Which policy is better? As few trials as possible, with a guarantee."""

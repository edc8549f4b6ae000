"""The command line: one file per command; each parses, calls the library and prints."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any

import typer

from stopwise.cli.command import Command, CommandGroup

__all__ = ["app", "app_for"]

app: typer.Typer
# Each command is in the file of its name.
COMMANDS = (
    *("analyze", "compare", "demo", "forecast", "gate", "methods", "plan", "race"),
    *("study", "watch"),
)


def app_for(words: Sequence[str]) -> typer.Typer:
    """The app for what was typed: only its command, or all if it begins with none."""
    return _app(tuple(name for name in COMMANDS if name in words[:1]) or COMMANDS)


@cache
def _app(names: tuple[str, ...]) -> typer.Typer:
    made = typer.Typer(cls=CommandGroup, no_args_is_help=True, pretty_exceptions_enable=False)
    for name in names:
        module = import_module(f"stopwise.cli.{name}")
        if name == "study":
            made.add_typer(module.app, name=name)
        else:
            made.command(name, cls=Command)(getattr(module, name))
    made.callback()(main)
    return made


def __getattr__(name: str) -> Any:
    if name == "app":
        return _app(COMMANDS)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _show_version(wanted: bool) -> None:
    if wanted:
        from stopwise import __version__

        typer.echo(f"stopwise {__version__}")
        raise typer.Exit


def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find out which policy is better, with as few trials as possible and a guarantee."""

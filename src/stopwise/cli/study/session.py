"""What the commands of a study share: opening it, saying who acts, and clear errors."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stopwise.study.study import Study

__all__ = ["AsJson", "Place", "Who", "clear_errors", "opened", "person"]

Place = Annotated[str, typer.Argument(help="The study's folder, or the URL of its database.")]
Who = Annotated[str | None, typer.Option(help="Your name in the journal.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def clear_errors(command: str) -> Iterator[None]:
    """Say in one line what is wrong, and exit with 2."""
    from stopwise.errors import StopwiseError

    try:
        yield
    except (StopwiseError, OSError) as error:
        typer.echo(f"stopwise study {command}: {error}", err=True)
        raise typer.Exit(2) from error


@contextmanager
def opened(place: str, command: str) -> Iterator["Study"]:
    """Open a study for one command."""
    with clear_errors(command):
        from stopwise import Study

        with Study.open(place) as study:
            yield study


def person(who: str | None) -> str:
    """Return the name to enter: the one given, or that of the account."""
    if who:
        return who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"

"""What the commands of a study share: opening it, saying who acts, and clear errors."""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from stopwise.cli.failing import clear_errors

if TYPE_CHECKING:
    from stopwise.study.study import Study

__all__ = ["AsJson", "Place", "Who", "opened", "person"]

Place = Annotated[str, typer.Argument(help="The study's folder, or the URL of its database.")]
Who = Annotated[str | None, typer.Option(help="Your name in the journal.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def opened(place: str, command: str, *, options: bool = False) -> Iterator["Study"]:
    """Open a study for one command; ``options`` as for ``clear_errors``."""
    with clear_errors(f"study {command}", options=options):
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

"""What the commands of a study share: opening it, and who acts."""

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stopwise.study.study import Study

Place = Annotated[
    str, typer.Argument(metavar="STUDY", help="Folder of the study, or URL of its database.")
]
Who = Annotated[
    str | None, typer.Option(help="Your name in the journal; defaults to your account name.")
]
Reason = Annotated[str, typer.Option(help="Why; shown in the report.")]


def open_study(place: str) -> "Study":
    """Open a study, to be used in a ``with`` statement."""
    from stopwise import Study

    return Study.open(place)


def person(who: str | None) -> str:
    """Return the name to enter: the one given, or that of the account."""
    if who:
        return who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "owner"

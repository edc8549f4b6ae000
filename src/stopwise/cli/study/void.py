"""``stopwise study void``: a trial that must not count."""

from typing import Annotated

import typer

from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["void"]


def void(
    trial: Annotated[int, typer.Argument(help="The number of the trial.")],
    place: Place = ".",
    reason: Annotated[
        str, typer.Option(help="A cause that has nothing to do with the score.")
    ] = "",
    not_repeatable: Annotated[
        bool, typer.Option("--not-repeatable", help="Leave its place empty.")
    ] = False,
    who: Who = None,
) -> None:
    """Do not count a trial, for a stated cause; it is kept in the journal and tried again."""
    with opened(place, "void") as study:
        study.void(trial, reason, redraw=not not_repeatable, who=person(who))
    typer.echo(f"voided: trial {trial}")

"""``stopwise study import``: trials that were run elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.options import Column, Missing, column_choices
from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["import_trials"]


def import_trials(
    file: Annotated[Path, typer.Argument(help="A file of trials, as for `stopwise analyze`.")],
    place: Place = ".",
    reason: Annotated[str, typer.Option(help="Why; shown in the report.")] = "",
    score: Annotated[str | None, typer.Option(help="Which column or measure is the score.")] = None,
    column: Column = None,
    missing: Missing = "error",
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="These are other trials than those imported before with such scores."
        ),
    ] = False,
    who: Who = None,
) -> None:
    """Add trials from a file as further rows; the report says that they were imported."""
    with opened(place, "import", options=True) as study:
        from stopwise import read_trials

        trials = read_trials(file, score=score, columns=column_choices(column), missing=missing)
        count = study.add_trials(
            trials, source=file.name, reason=reason, again=again, who=person(who)
        )
    typer.echo(f"imported: {count} trials")

"""``stopwise study unblind``: the names, for good."""

from typing import Annotated

import typer

from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["unblind"]


def unblind(
    place: Place = ".",
    reason: Annotated[str, typer.Option(help="Why now.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    who: Who = None,
) -> None:
    """Reveal which policy is behind each label; no trial can be voided or undone afterwards."""
    with opened(place, "unblind") as study:
        if not study.finished and not yes:
            typer.confirm("The study is not finished. Unblind it for good?", abort=True)
        names = study.unblind(reason=reason, who=person(who))
        verdict = study.verdict()
    for label, name in names.items():
        typer.echo(f"{label} is {name}")
    typer.echo(str(verdict))

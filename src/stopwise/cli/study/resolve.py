"""``stopwise study resolve``: what to start for a code; for the program at the robot."""

import json
from typing import Annotated

import typer

from stopwise.cli.study.session import AsJson, Place, opened

__all__ = ["resolve"]


def resolve(
    code: Annotated[str, typer.Argument(help="The code that the operator reads out.")],
    place: Place = ".",
    as_json: AsJson = False,
) -> None:
    """Print what to run for a code: its `run`, or its name. Not for the eyes of who scores."""
    with opened(place, "resolve") as study:
        found = study.resolve(code)
    if as_json:
        content = {"trial": found.trial, "policy": found.policy, "run": found.run}
        typer.echo(json.dumps(content))
    else:
        typer.echo(found.run or found.policy)

"""``stopwise study verify``: whether everything holds."""

import json

import typer

from stopwise.cli.study.session import AsJson, Place, opened

__all__ = ["verify"]


def verify(place: Place = ".", as_json: AsJson = False) -> None:
    """Replay the journal from its first entry; check chain, random draws and assignments."""
    with opened(place, "verify") as study:
        found = study.verify()
    if as_json:
        content = {"entries": found.entries, "hash": found.hash, "problems": found.problems}
        typer.echo(json.dumps(content, indent=2))
    else:
        for problem in found.problems:
            typer.echo(problem, err=True)
        if found.sound:
            typer.echo(f"everything holds: {found.entries} entries, hash {found.hash}")
    if not found.sound:
        raise typer.Exit(1)

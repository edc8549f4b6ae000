"""``stopwise study init``: a commented plan to start from."""

from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.failing import clear_errors

__all__ = ["init"]


def init(
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    store: Annotated[
        str | None, typer.Option(help="URL of a PostgreSQL database, for a team: ...#NAME.")
    ] = None,
) -> None:
    """Write a commented study.yaml into a new folder."""
    with clear_errors("study init", options=False):
        from stopwise.study.plan_file import plan_text, write_plan

        write_plan(folder, plan_text(None), store)
    typer.echo(f"written: {folder / 'study.yaml'}")
    typer.echo(f"Edit it, then freeze it: stopwise study lock {folder}")

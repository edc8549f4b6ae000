"""``stopwise study``: one file per command."""

import typer

from stopwise.cli.study import serve

__all__ = ["app"]

app = typer.Typer(help="Live studies: blinded trials at the robot.", no_args_is_help=True)
app.command("serve")(serve.serve)

"""``stopwise study``: live studies."""

import typer

from stopwise.cli.command import Command, CommandGroup
from stopwise.cli.study import commands, run, runner

app = typer.Typer(
    cls=CommandGroup,
    help="Run trials on the robot: blinded, never lost, stopped as soon as the answer is clear.",
    no_args_is_help=True,
)
GROUPS = {
    "Set up": (commands.init, commands.lock),
    "Run": (run.run, commands.serve, runner.runner, commands.resolve),
    "Repair": (commands.correct, commands.void, commands.amend, commands.import_trials),
    "Read": (
        *(commands.status, commands.unblind, commands.report),
        *(commands.export, commands.verify, commands.backup),
    ),
}
for panel, some in GROUPS.items():
    for command in some:
        name = command.__name__.removesuffix("_trials")
        app.command(name, cls=Command, rich_help_panel=panel)(command)
token_app = typer.Typer(
    cls=CommandGroup,
    help="Manage tokens, which say who may do what in the web app.",
    no_args_is_help=True,
)
for command in (commands.create, commands.revoke, commands.list_tokens):
    token_app.command(command.__name__.removesuffix("_tokens"), cls=Command)(command)
app.add_typer(token_app, name="token", rich_help_panel="Access")

"""``stopwise study``: live studies."""

from collections.abc import Callable

import typer

from stopwise.cli.command import Command, CommandGroup
from stopwise.cli.study import plan, run, runner, serve, status, trials

app = typer.Typer(
    cls=CommandGroup,
    help="Run trials on the robot: blinded, never lost, stopped as soon as the answer is clear.",
    no_args_is_help=True,
)
GROUPS: dict[str, dict[str, Callable[..., None]]] = {
    "Set up": {"init": plan.init, "lock": plan.lock},
    "Run": {
        "run": run.run,
        "serve": serve.serve,
        "runner": runner.runner,
        "resolve": trials.resolve,
    },
    "Repair": {
        "correct": trials.correct,
        "void": trials.void,
        "amend": plan.amend,
        "import": trials.import_trials,
    },
    "Read": {
        "status": status.status,
        "unblind": plan.unblind,
        "report": status.report,
        "export": trials.export,
        "verify": status.verify,
        "backup": status.backup,
    },
}
for panel, commands in GROUPS.items():
    for name, command in commands.items():
        app.command(name, cls=Command, rich_help_panel=panel)(command)
app.add_typer(serve.token_app, name="token", rich_help_panel="Access")

"""``stopwise study``: live studies."""

from functools import partial

import typer

from stopwise.cli.command import Command, CommandGroup
from stopwise.cli.study import plan, run, runner, serve, status, trials

app = typer.Typer(
    cls=CommandGroup,
    help="Run trials on the robot: blinded, never lost, stopped as soon as the answer is clear.",
    no_args_is_help=True,
)
_command = partial(app.command, cls=Command)
_command("init")(plan.init)
_command("lock")(plan.lock)
_command("status")(status.status)
_command("run")(run.run)
_command("serve")(serve.serve)
_command("runner")(runner.runner)
_command("correct")(trials.correct)
_command("void")(trials.void)
_command("amend")(plan.amend)
_command("unblind")(plan.unblind)
_command("report")(status.report)
_command("export")(trials.export)
_command("import")(trials.import_trials)
_command("resolve")(trials.resolve)
_command("verify")(status.verify)
_command("backup")(status.backup)
app.add_typer(serve.token_app, name="token")

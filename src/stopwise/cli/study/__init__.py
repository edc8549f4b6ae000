"""``stopwise study``: live studies; one file per command."""

import typer

from stopwise.cli.study import (
    amend,
    correct,
    exporting,
    importing,
    init,
    lock,
    report,
    resolve,
    run,
    serve,
    status,
    token,
    unblind,
    verify,
    void,
)

__all__ = ["app"]

app = typer.Typer(
    help="Run trials at the robot: blinded, never lost, stopped when the answer is known.",
    no_args_is_help=True,
)
app.command("init")(init.init)
app.command("lock")(lock.lock)
app.command("status")(status.status)
app.command("run")(run.run)
app.command("serve")(serve.serve)
app.command("correct")(correct.correct)
app.command("void")(void.void)
app.command("amend")(amend.amend)
app.command("unblind")(unblind.unblind)
app.command("report")(report.report)
app.command("export")(exporting.export)
app.command("import")(importing.import_trials)
app.command("resolve")(resolve.resolve)
app.command("verify")(verify.verify)
app.add_typer(token.app, name="token")

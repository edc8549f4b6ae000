"""``stopwise study lock``: freeze the plan."""

import typer

from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["lock"]


def lock(place: Place = ".", who: Who = None) -> None:
    """Freeze and hash the plan, draw the random order: from now on trials can be run."""
    with opened(place, "lock") as study:
        study.lock(who=person(who))
        status = study.status()
    typer.echo(f"locked: {status.name}")
    typer.echo(f"plan, SHA-256: {status.plan_digest} (publish it, and it is a preregistration)")
    typer.echo(f"Run trials: stopwise study run {place}")

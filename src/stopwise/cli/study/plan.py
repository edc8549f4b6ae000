"""``stopwise study init``, ``lock``, ``amend`` and ``unblind``: from draft to end."""

from pathlib import Path
from typing import Any

import typer

from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import ReportingOptions
from stopwise.cli.study.opening import Place, Reason, Who, open_study, person
from stopwise.cli.values import named_values


@grouped
def init(
    folder: Path = argument("A new folder for the study.", ...),
    store: str | None = option(
        "URL of a PostgreSQL database, if a team shares the study: ...#NAME."
    ),
    aa: bool = flag("Plan two copies of one policy, to see what the rig does to scores."),
) -> None:
    """Write a commented plan, study.yaml, into a new folder."""
    from stopwise.study.plan_file import aa_template, plan_text, write_plan

    write_plan(folder, aa_template() if aa else plan_text(None), store)
    typer.echo(f"written: {folder / 'study.yaml'}")
    typer.echo(f"Edit it, then lock it: stopwise study lock {folder}")


def lock(place: Place = ".", who: Who = None) -> None:
    """Freeze the plan and draw the random order, so that trials can begin."""
    with open_study(place) as study:
        study.lock(who=person(who))
        status, hopeless = study.status(), study.plan.hopeless()
    for note in hopeless:
        typer.echo(f"note: {note}; start a new study with another plan", err=True)
    typer.echo(f"locked: {status.name}")
    typer.echo(f"SHA-256 of the plan: {status.plan_digest} (publish it to preregister the study)")
    typer.echo(f"Hash of the journal: {status.hash} (write it down: `verify --against` checks it)")
    typer.echo(f"Run trials: stopwise study run {place}")


@grouped
def amend(
    place: Place = ".",
    reason: Reason = "",
    change: list[str] | None = option(
        "A setting to change, e.g. lease_minutes=60.", name="--set", metavar="NAME=VALUE"
    ),
    who: Who = None,
) -> None:
    """Record a change or a remark after the lock; what the guarantee rests on cannot change."""
    with open_study(place) as study:
        study.amend(reason, _changes(change or []), who=person(who))
    typer.echo("amended")


@grouped
def unblind(
    place: Place = ".",
    reason: Reason = "",
    yes: bool = flag("Do not ask, even if the study is not finished."),
    *,
    reporting: ReportingOptions,
    who: Who = None,
) -> None:
    """Reveal which policy is behind each label; after that no trial can be voided or undone."""
    with open_study(place, **reporting.keywords()) as study:
        if not study.finished and not yes:
            typer.confirm("The study is not finished. Unblind it for good?", abort=True)
        names = study.unblind(reason=reason, who=person(who))
        verdict = study.verdict()
    for label, name in names.items():
        typer.echo(f"{label} is {name}")
    typer.echo(str(verdict))


def _changes(items: list[str]) -> dict[str, Any]:
    import yaml

    from stopwise.errors import InvalidInput

    changes = {}
    for name, value in named_values(items, "NAME=VALUE", may_be_empty=True).items():
        try:
            changes[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InvalidInput(f"{name}: {value!r} cannot be read") from error
    return changes

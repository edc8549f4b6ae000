"""``stopwise study amend``: what changed after the lock."""

from typing import Annotated, Any

import typer

from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["amend"]


def amend(
    place: Place = ".",
    reason: Annotated[str, typer.Option(help="Why; shown in the report.")] = "",
    change: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE, e.g. lease_minutes=60.")
    ] = None,
    who: Who = None,
) -> None:
    """Log a change, or a mere remark, with its reason; nothing the guarantee rests on changes."""
    with opened(place, "amend") as study:
        study.amend(reason, _changes(change or []), who=person(who))
    typer.echo("amended")


def _changes(items: list[str]) -> dict[str, Any]:
    import yaml

    from stopwise.errors import InvalidInput

    changes = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not (name and equals):
            raise InvalidInput(f"expected NAME=VALUE, but got {item!r}")
        try:
            changes[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InvalidInput(f"{name}: {value!r} cannot be read") from error
    return changes

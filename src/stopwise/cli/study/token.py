"""``stopwise study token``: who may do what through the web app."""

import json
from typing import Annotated

import typer

from stopwise.cli.study.session import AsJson, Place, Who, opened, person

__all__ = ["app"]

app = typer.Typer(help="Tokens: create, revoke, list.", no_args_is_help=True)


@app.command("create")
def create(
    role: Annotated[str, typer.Argument(help="owner, operator, viewer or runner.")],
    name: Annotated[str, typer.Argument(help="Whom it is for.")],
    place: Place = ".",
    who: Who = None,
) -> None:
    """Print a new token; it is shown this once, only its hash is kept."""
    with opened(place, "token create") as study:
        typer.echo(study.create_token(role, name, who=person(who)))


@app.command("revoke")
def revoke(
    token: Annotated[str, typer.Argument(help="Its id, from `token list`.")],
    place: Place = ".",
    who: Who = None,
) -> None:
    """Make a token void at once."""
    with opened(place, "token revoke") as study:
        study.revoke_token(token, who=person(who))
    typer.echo(f"revoked: {token}")


@app.command("list")
def list_tokens(place: Place = ".", as_json: AsJson = False) -> None:
    """List all tokens ever made."""
    with opened(place, "token list") as study:
        tokens = study.tokens()
    if as_json:
        rows = [
            {"token": t.token, "role": t.role, "name": t.name, "revoked": t.revoked} for t in tokens
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    for token in tokens:
        typer.echo(f"{token.token}  {token.role:<8}  {token.name}{'  (revoked)' * token.revoked}")

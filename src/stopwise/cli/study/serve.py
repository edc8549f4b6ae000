"""``stopwise study serve`` and ``token``: the web app of a study, and who may use it."""

import json
from functools import partial
from pathlib import Path

import typer

from stopwise.cli.command import Command, CommandGroup, Mistyped
from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import AsJson, ReportingOptions
from stopwise.cli.study.opening import Place, Who, open_study, person, warn_if_readable

WARNING = (
    "Warning: everyone on this network can reach the study. Each request needs a token, but "
    "without TLS tokens can be read on the way: use --certificate and --key, a proxy with TLS and "
    "--url, or a network that you trust."
)

token_app = typer.Typer(
    cls=CommandGroup,
    help="Manage tokens, which say who may do what in the web app.",
    no_args_is_help=True,
)
_token_command = partial(token_app.command, cls=Command)


@grouped
def serve(
    place: Place = ".",
    port: int = option("Port; 0 for any free one.", 8000, min=0, max=65535),
    lan: bool = flag("Also serve phones and other machines on this network."),
    url: str | None = option("The public address, if the app is behind a proxy."),
    certificate: Path | None = option("Serve over TLS, with the certificate in this file."),
    key: Path | None = option("With --certificate: the file of its private key."),
    qr: bool = flag("Print the owner's link as a QR code."),
    access_log: bool = flag("Log each request, but never a token."),
    *,
    reporting: ReportingOptions,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Serve the web app: pages for operators and owners, and the API. Press Ctrl-C to end."""
    if (certificate is None) != (key is None):
        raise Mistyped("--certificate and --key belong together: give both, or neither")
    with open_study(place, **reporting.keywords()) as study:
        from stopwise.web.links import qr_text
        from stopwise.web.server import Serving, Tls

        tls = Tls(certificate, key) if certificate and key else None
        serving = Serving.bind(study, port=port, lan=lan, url=url, tls=tls)
        with serving.listener:
            link = serving.owner_link(person(who))
            if lan and tls is None:
                typer.echo(WARNING, err=True)
            warn_if_readable(study)
            if as_json:
                typer.echo(json.dumps({"url": serving.url, "owner_link": link}))
            else:
                typer.echo(f"Serving at {serving.url}; the owner's link, for you alone:\n{link}")
                typer.echo(qr_text(link) if qr else "Invite operators on that page.")
            serving.run(access_log=access_log)


@_token_command("create")
@grouped
def create(
    place: Place = ".",
    *,
    role: str = argument("owner, operator, viewer or runner.", ...),
    name: str = argument("The person or machine it is for.", ...),
    days: float = option("How many days it is valid.", 90.0),
    who: Who = None,
) -> None:
    """Print a new token. It is shown only once, since the study keeps just its hash."""
    with open_study(place) as study:
        typer.echo(study.create_token(role, name, days=days, who=person(who)))


@_token_command("revoke")
@grouped
def revoke(
    place: Place = ".",
    *,
    token: str = argument("The id of the token, from `token list`.", ...),
    who: Who = None,
) -> None:
    """Revoke a token at once."""
    with open_study(place) as study:
        study.revoke_token(token, who=person(who))
    typer.echo(f"revoked: {token}")


@_token_command("list")
def list_tokens(place: Place = ".", as_json: AsJson = False) -> None:
    """List all tokens, including the revoked ones."""
    with open_study(place) as study:
        tokens = study.tokens()
    if as_json:
        rows = [
            {"token": t.token, "role": t.role, "name": t.name, "revoked": t.revoked} for t in tokens
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    for token in tokens:
        typer.echo(f"{token.token}  {token.role:<8}  {token.name}{'  (revoked)' * token.revoked}")

"""``stopwise study serve``: the web app of a study."""

import json
from typing import Annotated

import typer

from stopwise.cli.study.session import AsJson, Place, opened

__all__ = ["serve"]

WARNING = (
    "Warning: everyone in this network can reach the study. Each request needs a token, but "
    "without TLS tokens can be read on the way: use a network that you trust, or a proxy with TLS "
    "and --url."
)


def serve(
    place: Place = ".",
    port: Annotated[int, typer.Option(help="0 for any that is free.", min=0, max=65535)] = 8000,
    lan: Annotated[
        bool, typer.Option("--lan", help="Also for phones and other machines of this network.")
    ] = False,
    url: Annotated[
        str | None, typer.Option(help="The address that people use, if a proxy stands before this.")
    ] = None,
    qr: Annotated[bool, typer.Option("--qr", help="Print the owner's link as a QR code.")] = False,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Log each request; tokens never are in it.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Serve a study: pages for operators and owners, and the API; ends with Ctrl-C."""
    with opened(place, "serve") as study:
        from stopwise.web.links import qr_text
        from stopwise.web.server import Serving

        serving = Serving.bind(study, port=port, lan=lan, url=url)
        with serving.listener:
            link = serving.owner_link()
            if lan:
                typer.echo(WARNING, err=True)
            if as_json:
                typer.echo(json.dumps({"url": serving.url, "owner_link": link}))
            else:
                typer.echo(f"Serving at {serving.url}; the owner's link, for you alone:\n{link}")
                typer.echo(qr_text(link) if qr else "Invite operators on that page.")
            serving.run(access_log=access_log)

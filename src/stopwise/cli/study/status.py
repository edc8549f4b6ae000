"""``stopwise study status``: where a study stands."""

import json
from typing import TYPE_CHECKING

import typer

from stopwise.cli.study.chart import evidence_chart
from stopwise.cli.study.session import AsJson, Place, opened

if TYPE_CHECKING:
    from stopwise.study.views import Status

__all__ = ["status"]


def status(place: Place = ".", as_json: AsJson = False) -> None:
    """Show trials, stations and what is decided so far, blinded until `unblind`."""
    with opened(place, "status") as study:
        now = study.status()
        verdict = study.verdict() if study.locked else None
    if as_json:
        found = None if verdict is None else verdict.to_dict()
        typer.echo(json.dumps({**now.to_dict(), "verdict": found}, indent=2))
        return
    _show(now)
    if verdict is not None:
        typer.echo(evidence_chart(verdict))
        typer.echo(str(verdict))


def _show(now: "Status") -> None:
    typer.echo(f"{now.name}: {now.phase}{', unblinded' if now.unblinded else ''}")
    if now.phase == "draft":
        typer.echo("The plan is fine; freeze it with `stopwise study lock`.")
        return
    typer.echo(
        f"{now.scored} trials scored, {now.in_flight} under way, {now.voided} voided, "
        f"{now.duplicates} second results, {now.amendments} amendments"
    )
    for station in now.stations:
        doing = f"trial {station.trial}, code {station.code}" if station.trial else "nothing"
        typer.echo(f"  {station.station}: {station.scored} scored; now {doing}")
    typer.echo(f"journal: {now.seq} entries, hash {now.hash}")

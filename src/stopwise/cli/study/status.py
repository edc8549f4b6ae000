"""``stopwise study status``, ``report`` and ``verify``: how a study is doing."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.option_groups import argument, grouped, option
from stopwise.cli.options import AsJson
from stopwise.cli.output_files import check_places
from stopwise.cli.study.evidence_chart import evidence_chart
from stopwise.cli.study.opening import Place, open_study
from stopwise.messages import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from stopwise.study.study import Study
    from stopwise.study.views import Status


def status(place: Place = ".", as_json: AsJson = False) -> None:
    """Show trials, stations and the evidence so far; policies are labels until `unblind`."""
    with open_study(place) as study:
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


@grouped
def report(
    place: Place = ".", html: Path = option("The file to write.", Path("report.html"))
) -> None:
    """Check the whole journal and write the report, a web page for readers of the study."""
    check_places(html, None)
    with open_study(place) as study:
        html.write_text(study.report(_links(study, html)), encoding="utf-8")
    typer.echo(f"written: {html}")


def _links(study: "Study", html: Path) -> "Callable[[int, str], str] | None":
    """Where recordings are, seen from the report."""
    from stopwise.study.recordings import FOLDER

    if study.folder is None:
        return None
    way = os.path.relpath(study.folder / FOLDER, html.resolve().parent)
    return lambda _, file: f"{Path(way).as_posix()}/{file}"


@grouped
def backup(
    place: Place = ".", *, file: Path = argument("The file to write, e.g. cups.db.", ...)
) -> None:
    """Copy a study in SQLite into one file, also while it is in use, and verify the copy."""
    with open_study(place) as study:
        found = study.backup(file)
    typer.echo(f"written: {file}, {counted(found.entries, 'entry')}, hash {found.hash}")


@grouped
def verify(
    place: Place = ".",
    against: str | None = option(
        "The hash of an entry that was written down elsewhere.", metavar="HASH"
    ),
    *,
    as_json: AsJson = False,
) -> None:
    """Check the journal from its first entry: hashes, random draws and assignments.

    Whoever holds the disk can rewrite the whole journal, which then passes: --against finds that.
    A copy of study.db needs `stopwise study backup`; without study.db-wal, a plain copy is older.
    """
    with open_study(place) as study:
        found = study.verify(against)
    if as_json:
        typer.echo(json.dumps(asdict(found), indent=2))
    else:
        for problem in found.problems:
            typer.echo(problem, err=True)
        if found.sound:
            typer.echo(f"all checks passed: {counted(found.entries, 'entry')}, hash {found.hash}")
        for note in found.notes:
            typer.echo(f"Warning: {note}", err=True)
    if not found.sound:
        raise typer.Exit(1)


def _show(now: "Status") -> None:
    most = "no limit" if now.n_max is None else f"at most {now.n_max} trials per policy"
    phase = f"{now.phase}, unblinded" if now.unblinded else now.phase
    typer.echo(f"{now.name}: {phase} ({now.method}, {most})")
    if now.warning is not None:
        typer.echo(f"Warning: {now.warning}")
    if now.phase == "draft":
        typer.echo("The plan is fine; lock it with `stopwise study lock`.")
        return
    typer.echo(
        f"{counted(now.scored, 'trial')} scored, {now.in_flight} in progress, {now.voided} voided, "
        f"{now.given_back} given back, {counted(now.duplicates, 'duplicate result')}, "
        f"{counted(now.amendments, 'amendment')}"
    )
    for station in now.stations:
        running = f"running trial {station.trial}, code {station.code}"
        doing = running if station.trial else "idle"
        typer.echo(f"  {station.station}: {station.scored} scored; {doing}")
    typer.echo(f"journal: {counted(now.seq, 'entry')}, hash {now.hash}")

"""Commands of a study that do one thing: set up, serve, repair, read."""

import json
import os
from pathlib import Path
from typing import Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.evidence import print_evidence
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.output_files import check_places
from stopwise.cli.study.opening import open_study, person
from stopwise.cli.values import named_values
from stopwise.errors import InvalidInput, require
from stopwise.messages import counted

WARNING = (
    "Warning: everyone on this network can reach the study. Each request needs a token, but "
    "without TLS tokens can be read on the way: use --certificate and --key, a proxy with TLS and "
    "--url, or a network that you trust."
)
SUFFIXES = (".csv", ".jsonl", ".parquet")


@takes("init")
def init(given: Given) -> None:
    """Write a commented plan, study.yaml, into a new folder."""
    from stopwise.study.plan_file import plan_text, write_plan

    write_plan(given.folder, plan_text(None), given.store)
    typer.echo(f"written: {given.folder / 'study.yaml'}")
    typer.echo(f"Edit it, then lock it: stopwise study lock {given.folder}")


@takes("lock")
def lock(given: Given) -> None:
    """Freeze the plan and draw the random order, so that trials can begin."""
    with open_study(given.place) as study:
        study.lock(who=person(given.who))
        status, hopeless = study.status(), study.plan.hopeless()
    for note in hopeless:
        typer.echo(f"note: {note}; start a new study with another plan", err=True)
    typer.echo(f"locked: {status.name}")
    typer.echo(f"SHA-256 of the plan: {status.plan_digest} (publish it to preregister the study)")
    typer.echo(f"Hash of the journal: {status.hash} (write it down: `verify --against` checks it)")
    typer.echo(f"Run trials: stopwise study run {given.place}")


@takes("serve")
def serve(given: Given) -> None:
    """Serve the web app: pages for operators and owners, and the API. Press Ctrl-C to end."""
    if (given.certificate is None) != (given.key is None):
        raise Mistyped("--certificate and --key belong together: give both, or neither")
    with open_study(given.place) as study:
        from stopwise.web.links import qr_text
        from stopwise.web.server import Serving, Tls

        tls = Tls(given.certificate, given.key) if given.certificate else None
        serving = Serving.bind(study, port=given.port, lan=given.lan, url=given.url, tls=tls)
        with serving.listener:
            link = serving.owner_link(person(given.who))
            if given.lan and tls is None:
                typer.echo(WARNING, err=True)
            if given.as_json:
                typer.echo(json.dumps({"url": serving.url, "owner_link": link}))
            else:
                typer.echo(f"Serving at {serving.url}; the owner's link, for you alone:\n{link}")
                typer.echo(qr_text(link) if given.qr else "Invite operators on that page.")
            serving.run()


@takes("resolve")
def resolve(given: Given) -> None:
    """Print what the robot should run for a code. From then on, the trial has begun.

    Whoever scores the trial must not see it.
    """
    with open_study(given.place) as study:
        resolved = study.resolve(given.code, who=person(given.who))
    typer.echo(resolved.run or resolved.policy)


@takes("correct")
def correct(given: Given) -> None:
    """Replace a score that was entered by mistake; after unblinding, the report shows both."""
    from stopwise.study.rubric import in_words, parse_answer

    with open_study(given.place) as study:
        answer = parse_answer(study.rubric(given.trial), given.score)
        study.correct(given.trial, answer, given.reason, who=person(given.who))
    typer.echo(f"corrected: trial {given.trial}, {in_words(answer)}")


@takes("void")
def void(given: Given) -> None:
    """Exclude a trial for a stated cause; it stays in the journal and is run again."""
    with open_study(given.place) as study:
        study.void(given.trial, given.reason, redraw=given.redraw, who=person(given.who))
    typer.echo(f"voided: trial {given.trial}")


@takes("amend")
def amend(given: Given) -> None:
    """Record a change or a remark after the lock; what the guarantee rests on cannot change."""
    import yaml

    changes: dict[str, Any] = {}
    for name, value in named_values(given.change, "NAME=VALUE", may_be_empty=True).items():
        try:
            changes[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InvalidInput(f"{name}: {value!r} cannot be read") from error
    with open_study(given.place) as study:
        study.amend(given.reason, changes, who=person(given.who))
    typer.echo("amended")


@takes("import")
def import_trials(given: Given) -> None:
    """Add trials that were run elsewhere; the report says that they were imported."""
    from stopwise import read_trials

    with open_study(given.place) as study:
        trials = read_trials(given.file, **given.keywords("reading"))
        said = {"source": given.file.name, "reason": given.reason, "who": person(given.who)}
        count = study.add_trials(trials, again=given.again, **said)
    typer.echo(f"imported: {counted(count, 'trial')}")


@takes("status")
def status(given: Given) -> None:
    """Show trials, stations and the evidence so far; policies are labels until `unblind`."""
    from stopwise.study.reader import EDITED

    with open_study(given.place) as study:
        now, edited = study.status(), study.edited
        verdict = study.verdict() if study.locked else None
    if given.as_json:
        answer = None if verdict is None else verdict.to_dict()
        typer.echo(json.dumps({**now.to_dict(), "verdict": answer}, indent=2))
        return
    most = "no limit" if now.n_max is None else f"at most {now.n_max} trials per policy"
    phase = f"{now.phase}, unblinded" if now.unblinded else now.phase
    typer.echo(f"{now.name}: {phase} ({now.method}, {most})")
    if edited:
        typer.echo(f"Warning: {EDITED}", err=True)
    if verdict is None:
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
    print_evidence(verdict)
    typer.echo(str(verdict))


@takes("unblind")
def unblind(given: Given) -> None:
    """Reveal which policy is behind each label; after that no trial can be voided or undone."""
    with open_study(given.place) as study:
        if not study.finished and not given.yes:
            typer.confirm("The study is not finished. Unblind it for good?", abort=True)
        names = study.unblind(reason=given.reason, who=person(given.who))
        verdict = study.verdict()
    for label, name in names.items():
        typer.echo(f"{label} is {name}")
    typer.echo(str(verdict))


@takes("report")
def report(given: Given) -> None:
    """Check the whole journal and write the report, a web page for readers of the study."""
    from stopwise.study.recordings import FOLDER

    check_places(given.html)
    with open_study(given.place) as study:
        # Where recordings are, seen from the report.
        recordings = None if study.folder is None else study.folder / FOLDER
        seen_from = given.html.resolve().parent
        place = recordings and Path(os.path.relpath(recordings, seen_from)).as_posix()
        text = study.report(None if place is None else lambda _, file: f"{place}/{file}")
    given.html.write_text(text, encoding="utf-8")
    typer.echo(f"written: {given.html}")


@takes("export")
def export(given: Given) -> None:
    """Write the trials as a table; before unblinding only those that count, by label."""
    from stopwise.study.records import csv_text

    file, known = given.file, ", ".join(SUFFIXES)
    require(file.suffix in SUFFIXES, f"the file must end in {known}, but got {str(file)!r}")
    with open_study(given.place) as study:
        frame = study.exported(used=given.used)
    if file.suffix == ".csv":
        file.write_text(csv_text(frame), encoding="utf-8")
    elif file.suffix == ".jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_parquet(file)
    typer.echo(f"written: {file}, {counted(len(frame), 'trial')}")


@takes("verify")
def verify(given: Given) -> None:
    """Check the journal from its first entry: hashes, random draws and assignments.

    Whoever holds the disk can rewrite the whole journal, which then passes: --against finds that.
    A copy of study.db needs `stopwise study backup`; without study.db-wal, a plain copy is older.
    """
    with open_study(given.place) as study:
        result = study.verify(given.against)
    for problem in result.problems:
        typer.echo(problem, err=True)
    for note in result.notes:
        typer.echo(f"Warning: {note}", err=True)
    if not result.sound:
        raise typer.Exit(1)
    typer.echo(f"all checks passed: {counted(result.entries, 'entry')}, hash {result.hash}")


@takes("backup")
def backup(given: Given) -> None:
    """Copy a study in SQLite into one file, also while it is in use, and verify the copy."""
    with open_study(given.place) as study:
        copy = study.backup(given.file)
    typer.echo(f"written: {given.file}, {counted(copy.entries, 'entry')}, hash {copy.hash}")


@takes("create")
def create(given: Given) -> None:
    """Print a new token. It is shown only once, since the study keeps just its hash."""
    who = person(given.who)
    with open_study(given.place) as study:
        typer.echo(study.create_token(given.role, given.name, days=given.days, who=who))


@takes("revoke")
def revoke(given: Given) -> None:
    """Revoke a token at once."""
    with open_study(given.place) as study:
        study.revoke_token(given.token, who=person(given.who))
    typer.echo(f"revoked: {given.token}")


@takes("list")
def list_tokens(given: Given) -> None:
    """List all tokens, including the revoked ones."""
    with open_study(given.place) as study:
        for token in study.tokens():
            revoked = "  (revoked)" * token.revoked
            typer.echo(f"{token.token}  {token.role:<8}  {token.name}{revoked}")

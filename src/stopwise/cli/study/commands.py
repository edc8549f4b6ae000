"""The commands of a study that do one thing: set it up, serve it, put it right, read it."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.evidence import print_evidence
from stopwise.cli.given import Given
from stopwise.cli.options import AsJson, takes
from stopwise.cli.output_files import check_places
from stopwise.cli.study.opening import Place, Who, open_study, person, warn_if_readable
from stopwise.cli.values import named_values
from stopwise.errors import InvalidInput, require
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.study.views import Status

WARNING = (
    "Warning: everyone on this network can reach the study. Each request needs a token, but "
    "without TLS tokens can be read on the way: use --certificate and --key, a proxy with TLS and "
    "--url, or a network that you trust."
)
SUFFIXES = (".csv", ".jsonl", ".parquet")
Number = Annotated[int, typer.Argument(help="The number of the trial.")]
Reason = Annotated[str, typer.Option(help="Why; shown in the report.")]


def init(
    folder: Annotated[Path, typer.Argument(help="A new folder for the study.")],
    store: str | None = typer.Option(
        None, help="URL of a PostgreSQL database, if a team shares the study: ...#NAME."
    ),
    aa: bool = typer.Option(
        False, "--aa", help="Plan two copies of one policy, to see what the rig does to scores."
    ),
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


def serve(
    place: Place = ".",
    port: int = typer.Option(8000, min=0, max=65535, help="Port; 0 for any free one."),
    lan: bool = typer.Option(
        False, "--lan", help="Also serve phones and other machines on this network."
    ),
    url: str | None = typer.Option(None, help="The public address, if the app is behind a proxy."),
    certificate: Path | None = typer.Option(
        None, help="Serve over TLS, with the certificate in this file."
    ),
    key: Path | None = typer.Option(None, help="With --certificate: the file of its private key."),
    qr: bool = typer.Option(False, "--qr", help="Print the owner's link as a QR code."),
    access_log: bool = typer.Option(
        False, "--access-log", help="Log each request, but never a token."
    ),
    *,
    who: Who = None,
    as_json: AsJson = False,
) -> None:
    """Serve the web app: pages for operators and owners, and the API. Press Ctrl-C to end."""
    if (certificate is None) != (key is None):
        raise Mistyped("--certificate and --key belong together: give both, or neither")
    with open_study(place) as study:
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


def resolve(
    place: Place = ".",
    *,
    code: Annotated[str, typer.Argument(help="The code that the operator reads out.")],
    as_json: AsJson = False,
    who: Who = None,
) -> None:
    """Print what the robot should run for a code. From then on, the trial has begun.

    Whoever scores the trial must not see it.
    """
    with open_study(place) as study:
        found = study.resolve(code, who=person(who))
    typer.echo(json.dumps(asdict(found)) if as_json else found.run or found.policy)


def correct(
    place: Place = ".",
    *,
    trial: Number,
    score: Annotated[str, typer.Argument(help="As typed in `run`, e.g. y, 0.5, all or '1 2'.")],
    reason: str = typer.Option("", help="How the mistake happened."),
    who: Who = None,
) -> None:
    """Replace a score that was entered by mistake; after unblinding, the report shows both."""
    from stopwise.study.rubric import in_words, parse_answer

    with open_study(place) as study:
        answer = parse_answer(study.rubric(trial), score)
        study.correct(trial, answer, reason, who=person(who))
    typer.echo(f"corrected: trial {trial}, {in_words(answer)}")


def void(
    place: Place = ".",
    *,
    trial: Number,
    reason: str = typer.Option("", help="The cause, which must have nothing to do with the score."),
    not_repeatable: bool = typer.Option(
        False, "--not-repeatable", help="Do not run the trial again."
    ),
    who: Who = None,
) -> None:
    """Exclude a trial for a stated cause; it stays in the journal and is run again."""
    with open_study(place) as study:
        study.void(trial, reason, redraw=not not_repeatable, who=person(who))
    typer.echo(f"voided: trial {trial}")


def amend(
    place: Place = ".",
    reason: Reason = "",
    change: list[str] = typer.Option(
        (), "--set", metavar="NAME=VALUE", help="A setting to change, e.g. lease_minutes=60."
    ),
    who: Who = None,
) -> None:
    """Record a change or a remark after the lock; what the guarantee rests on cannot change."""
    import yaml

    changes: dict[str, Any] = {}
    for name, value in named_values(change, "NAME=VALUE", may_be_empty=True).items():
        try:
            changes[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InvalidInput(f"{name}: {value!r} cannot be read") from error
    with open_study(place) as study:
        study.amend(reason, changes, who=person(who))
    typer.echo("amended")


@takes("import")
def import_trials(
    place: Place = ".",
    *,
    file: Annotated[Path, typer.Argument(help="A file of trials, as for `stopwise analyze`.")],
    reason: Reason = "",
    given: Given,
    again: bool = typer.Option(
        False,
        "--again",
        help="These are new trials, although some with the same scores were imported before.",
    ),
    who: Who = None,
) -> None:
    """Add trials that were run elsewhere; the report says that they were imported."""
    from stopwise import read_trials

    with open_study(place) as study:
        trials = read_trials(file, **given.keywords("reading"))
        named = {"source": file.name, "who": person(who)}
        count = study.add_trials(trials, reason=reason, again=again, **named)
    typer.echo(f"imported: {counted(count, 'trial')}")


def status(place: Place = ".", as_json: AsJson = False) -> None:
    """Show trials, stations and the evidence so far; policies are labels until `unblind`."""
    from stopwise.study.reader import EDITED

    with open_study(place) as study:
        now = study.status()
        verdict = study.verdict() if study.locked else None
        edited = study.edited
    if as_json:
        found = None if verdict is None else verdict.to_dict()
        typer.echo(json.dumps({**now.to_dict(), "verdict": found}, indent=2))
        return
    _show(now)
    if edited:
        typer.echo(f"Warning: {EDITED}", err=True)
    if verdict is not None:
        print_evidence(verdict)
        typer.echo(str(verdict))


def _show(now: "Status") -> None:
    most = "no limit" if now.n_max is None else f"at most {now.n_max} trials per policy"
    phase = f"{now.phase}, unblinded" if now.unblinded else now.phase
    typer.echo(f"{now.name}: {phase} ({now.method}, {most})")
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


def unblind(
    place: Place = ".",
    reason: Reason = "",
    yes: bool = typer.Option(False, "--yes", help="Do not ask, even if it is not finished."),
    who: Who = None,
) -> None:
    """Reveal which policy is behind each label; after that no trial can be voided or undone."""
    with open_study(place) as study:
        if not study.finished and not yes:
            typer.confirm("The study is not finished. Unblind it for good?", abort=True)
        names = study.unblind(reason=reason, who=person(who))
        verdict = study.verdict()
    for label, name in names.items():
        typer.echo(f"{label} is {name}")
    typer.echo(str(verdict))


def report(
    place: Place = ".",
    html: Path = typer.Option(Path("report.html"), help="The file to write."),
) -> None:
    """Check the whole journal and write the report, a web page for readers of the study."""
    from stopwise.study.recordings import FOLDER

    check_places(html)
    with open_study(place) as study:
        # Where recordings are, seen from the report.
        recordings = None if study.folder is None else study.folder / FOLDER
        way = recordings and Path(os.path.relpath(recordings, html.resolve().parent)).as_posix()
        text = study.report(None if way is None else lambda _, file: f"{way}/{file}")
    html.write_text(text, encoding="utf-8")
    typer.echo(f"written: {html}")


def export(
    place: Place = ".",
    *,
    file: Annotated[Path, typer.Argument(help="A file that ends in .csv, .jsonl or .parquet.")],
    used: bool = typer.Option(False, "--used", help="Only the trials that the verdict rests on."),
) -> None:
    """Write the trials as a table; before unblinding only those that count, by label."""
    from stopwise.study.records import csv_text

    known = ", ".join(SUFFIXES)
    require(file.suffix in SUFFIXES, f"the file must end in {known}, but got {str(file)!r}")
    with open_study(place) as study:
        frame = study.exported(used=used)
    if file.suffix == ".csv":
        file.write_text(csv_text(frame), encoding="utf-8")
    elif file.suffix == ".jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_parquet(file)
    typer.echo(f"written: {file}, {counted(len(frame), 'trial')}")


def verify(
    place: Place = ".",
    against: str | None = typer.Option(
        None, metavar="HASH", help="The hash of an entry that was written down elsewhere."
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


def backup(
    place: Place = ".",
    *,
    file: Annotated[Path, typer.Argument(help="The file to write, e.g. cups.db.")],
) -> None:
    """Copy a study in SQLite into one file, also while it is in use, and verify the copy."""
    with open_study(place) as study:
        found = study.backup(file)
    typer.echo(f"written: {file}, {counted(found.entries, 'entry')}, hash {found.hash}")


def create(
    place: Place = ".",
    *,
    role: Annotated[str, typer.Argument(help="owner, operator, viewer or runner.")],
    name: Annotated[str, typer.Argument(help="The person or machine it is for.")],
    days: float = typer.Option(90.0, help="How many days it is valid."),
    who: Who = None,
) -> None:
    """Print a new token. It is shown only once, since the study keeps just its hash."""
    with open_study(place) as study:
        typer.echo(study.create_token(role, name, days=days, who=person(who)))


def revoke(
    place: Place = ".",
    *,
    token: Annotated[str, typer.Argument(help="The id of the token, from `token list`.")],
    who: Who = None,
) -> None:
    """Revoke a token at once."""
    with open_study(place) as study:
        study.revoke_token(token, who=person(who))
    typer.echo(f"revoked: {token}")


def list_tokens(place: Place = ".", as_json: AsJson = False) -> None:
    """List all tokens, including the revoked ones."""
    with open_study(place) as study:
        tokens = study.tokens()
    names = ("token", "role", "name", "revoked")
    rows = [{name: getattr(token, name) for name in names} for token in tokens]
    if as_json:
        typer.echo(json.dumps(rows, indent=2))
    for token in () if as_json else tokens:
        typer.echo(f"{token.token}  {token.role:<8}  {token.name}{'  (revoked)' * token.revoked}")

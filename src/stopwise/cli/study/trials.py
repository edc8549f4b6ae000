"""``stopwise study correct``, ``void``, ``export``, ``resolve`` and imports: its trials."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import AsJson, ReadingOptions
from stopwise.cli.study.opening import Place, Reason, Who, open_study, person
from stopwise.messages import counted

SUFFIXES = (".csv", ".jsonl", ".parquet")

Number = Annotated[int, typer.Argument(help="The number of the trial.")]


@grouped
def correct(
    place: Place = ".",
    *,
    trial: Number,
    score: str = argument("As typed in `run`, e.g. y, 0.5, all or '1 2'.", ...),
    reason: str = option("How the mistake happened.", ""),
    who: Who = None,
) -> None:
    """Replace a score that was entered by mistake; after unblinding, the report shows both."""
    from stopwise.study.rubric import in_words, parse_answer

    with open_study(place) as study:
        answer = parse_answer(study.rubric(trial), score)
        study.correct(trial, answer, reason, who=person(who))
    typer.echo(f"corrected: trial {trial}, {in_words(answer)}")


@grouped
def void(
    place: Place = ".",
    *,
    trial: Number,
    reason: str = option("The cause, which must have nothing to do with the score.", ""),
    not_repeatable: bool = flag("Do not run the trial again."),
    who: Who = None,
) -> None:
    """Exclude a trial for a stated cause; it stays in the journal and is run again."""
    with open_study(place) as study:
        study.void(trial, reason, redraw=not not_repeatable, who=person(who))
    typer.echo(f"voided: trial {trial}")


@grouped
def export(
    place: Place = ".",
    *,
    file: Path = argument("A file that ends in .csv, .jsonl or .parquet.", ...),
    used: bool = flag("Only the trials that the verdict rests on."),
) -> None:
    """Write the trials as a table; before unblinding only those that count, by label."""
    from stopwise.errors import require
    from stopwise.study.records import csv_text

    require(
        file.suffix in SUFFIXES,
        f"the file must end in {', '.join(SUFFIXES)}, but got {str(file)!r}",
    )
    with open_study(place) as study:
        frame = study.exported(used=used)
    if file.suffix == ".csv":
        file.write_text(csv_text(frame), encoding="utf-8")
    elif file.suffix == ".jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_parquet(file)
    typer.echo(f"written: {file}, {counted(len(frame), 'trial')}")


@dataclass(frozen=True, kw_only=True)
class ImportReadingOptions(ReadingOptions, left_out=("bounds", "file_format", "order", "seed")):
    """A file to import; the study knows the range of its scores, and the order of rows counts."""


@grouped
def import_trials(
    *,
    place: Place = ".",
    file: Path = argument("A file of trials, as for `stopwise analyze`.", ...),
    reason: Reason = "",
    reading: ImportReadingOptions,
    again: bool = flag(
        "These are new trials, although some with the same scores were imported before."
    ),
    who: Who = None,
) -> None:
    """Add trials that were run elsewhere; the report says that they were imported."""
    from stopwise import read_trials

    with open_study(place) as study:
        trials = read_trials(file, **reading.keywords())
        count = study.add_trials(
            trials, source=file.name, reason=reason, again=again, who=person(who)
        )
    typer.echo(f"imported: {counted(count, 'trial')}")


@grouped
def resolve(
    place: Place = ".",
    *,
    code: str = argument("The code that the operator reads out.", ...),
    as_json: AsJson = False,
    who: Who = None,
) -> None:
    """Print what the robot should run for a code. From then on, the trial has begun.

    Whoever scores the trial must not see it.
    """
    with open_study(place) as study:
        found = study.resolve(code, who=person(who))
    if as_json:
        typer.echo(json.dumps(asdict(found)))
    else:
        typer.echo(found.run or found.policy)

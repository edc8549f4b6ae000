"""``stopwise gate``: may this policy replace the old one? An exit code for CI, and one line."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.compare import TwoPolicyOptions
from stopwise.cli.option_groups import argument, grouped, option
from stopwise.cli.options import AsJson, ReadingOptions, json_of, refuse_unused
from stopwise.cli.output_files import check_file, check_places, origin_of
from stopwise.cli.printing import print_finding
from stopwise.errors import StopwiseError

if TYPE_CHECKING:
    from stopwise.questions.anywhere import AnywhereResult
    from stopwise.questions.gate_result import GateResult


@dataclass(frozen=True, kw_only=True)
class GateReadingOptions(ReadingOptions, left_out=("seed",)):
    """Files as they were written: their order is that of the trials, and their range declared."""

    bounds: str | None = option(
        'Range of the score: "LOW,HIGH", or "TASK=LOW,HIGH; ..." for each task.'
    )


# Of several policies, or of other ends.
OF_OTHERS = ("margin", "equivalence", "futility", "by")


@dataclass(frozen=True, kw_only=True)
class GateOptions(TwoPolicyOptions, left_out=(*TwoPolicyOptions.left_out, *OF_OTHERS)):
    """The settings of a gate of means, which has its own margin, and two ends to wait for."""


@grouped
def gate(
    *,
    context: typer.Context,
    new: str = argument(
        "The new policy: a file or folder of its trials, or of both policies; with "
        "--results its name.",
        ...,
    ),
    baseline: str | None = option("The old policy: a file or folder of its trials, or its name."),
    margin: float | None = option(
        "How much worse is still acceptable, in units of the score: a positive number, such as "
        "0.05 or 5%. Required; with --reference it is 0 if not given.",
    ),
    not_worse_anywhere: float | None = option(
        "Of several tasks: how much worse is still acceptable on each of them. All must be shown.",
        metavar="MARGIN",
    ),
    results: list[Path] | None = option(
        "A file or folder that holds both policies; repeat for each."
    ),
    task: str | None = option("Which task, if there are several."),
    comparison: GateOptions,
    reading: GateReadingOptions,
    state: Path | None = option(
        "Where to remember the trials counted so far. Give all trials each time, old and "
        "new; changed results or other settings are refused. Without it the trials are taken to be "
        "complete."
    ),
    versions: str | None = option(
        "With --state: text that names the exact versions of both policies, such as two "
        "checkpoint hashes; another one is refused."
    ),
    as_json: AsJson = False,
    junit: Path | None = option("Write the answer to this file as a JUnit test."),
    summary: Path | None = option(
        "Append the answer to this file as a Markdown table, for a CI summary."
    ),
    html: Path | None = option("Write a self-contained page to this file."),
) -> None:
    """Check before a release that a new policy is not worse than the old one.

    stopwise gate new.csv --baseline old.csv --margin .05 --bounds 0,1 --n-max 500
    stopwise gate new.csv --reference .9 --bounds 0,1

    Exit code 0, pass: shown not worse by the margin or more; 1, fail: shown worse by more than the
    margin; 3, undecided: more trials are needed; 2: bad input. Each claim, if false, is ever made
    with probability at most alpha, however often you look.
    """
    places = results or [Path(name) for name in (new, baseline) if name is not None]
    if state is not None:
        _require_apart(state, places)
    check_places(html, None)
    for place in filter(None, (junit, summary)):
        check_file(place)
    if not_worse_anywhere is not None:
        own = {"margin", "task", "state", "versions", "junit", "summary", "html", "reference"}
        refuse_unused(context, own, "with --not-worse-anywhere, which looks at all tasks")
        with _no_false_alarm():
            source = new, baseline, results
            anywhere = _asked_anywhere(source, reading.keywords(), not_worse_anywhere, comparison)
            typer.echo(json_of([anywhere.to_dict()]) if as_json else anywhere.sentence)
        raise typer.Exit(anywhere.exit_code)
    with _no_false_alarm():
        found = _asked(
            (new, baseline, results),
            reading.keywords(),
            {"margin": margin, "task": task, "state": state, "versions": versions},
            comparison.keywords(),
        )
        _tell(found, as_json=as_json, junit=junit, summary=summary)
        if html is not None:
            origin = origin_of([place for place in places if place.exists()])
            html.write_text(found.to_html(origin), encoding="utf-8")
    raise typer.Exit(found.exit_code)


def _asked(
    source: tuple[str, str | None, list[Path] | None],
    reading: dict[str, Any],
    own: dict[str, Any],
    settings: dict[str, Any],
) -> "GateResult":
    from stopwise import gate as ask
    from stopwise.questions.gate import found_policies

    new, baseline, results = source
    place = results[0] if results is not None and len(results) == 1 else results or None
    trials, names = found_policies(new, baseline, place, reading)
    old_name = None if baseline is None else names[0]
    return ask(names[-1], old_name, results=trials, **own, **settings)


def _asked_anywhere(
    source: tuple[str, str | None, list[Path] | None],
    reading: dict[str, Any],
    margin: float,
    comparison: GateOptions,
) -> "AnywhereResult":
    from stopwise.questions.anywhere import not_worse_anywhere
    from stopwise.questions.gate import found_policies

    new, baseline, results = source
    if baseline is None:
        raise Mistyped("--not-worse-anywhere needs the old policy: name it with --baseline")
    place = results[0] if results is not None and len(results) == 1 else results or None
    trials, names = found_policies(new, baseline, place, reading)
    settings = comparison.keywords()
    settings.pop("reference")
    return not_worse_anywhere(names[-1], names[0], margin, results=trials, **settings)


@contextmanager
def _no_false_alarm() -> Iterator[None]:
    """Exit with 2 where something breaks: Python's own 1 would say that the policy is worse."""
    try:
        yield
    except BrokenPipeError as error:  # nobody reads the answer
        raise typer.Exit(2) from error
    except (StopwiseError, OSError):
        raise  # said in one line by the command
    except Exception as error:
        traceback.print_exc()
        raise typer.Exit(2) from error


def _require_apart(state: Path, places: list[Path]) -> None:
    from stopwise.data.sources import require_apart

    require_apart(state, [place for place in places if place.exists()])


def _tell(found: "GateResult", *, as_json: bool, junit: Path | None, summary: Path | None) -> None:
    if as_json:
        typer.echo(found.to_json())
    else:
        print_finding(found.sentence, found.warnings)
    if junit is not None:
        junit.write_text(found.to_junit(), encoding="utf-8")
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write(found.to_markdown())

"""``stopwise gate``: may this policy replace the old one? An exit code for CI, and one line."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.output_files import check_places, origin_of
from stopwise.cli.printing import print_notes, say, tell
from stopwise.errors import StopwiseError


@takes("gate")
def gate(given: Given) -> None:
    """Check before a release that a new policy is not worse than the old one.

    stopwise gate new.csv --baseline old.csv --margin .05 --bounds 0,1 --n-max 500
    stopwise gate new.csv --reference .9 --bounds 0,1

    Exit code 0, pass: shown not worse by the margin or more; 1, fail: shown worse by more than the
    margin; 3, undecided: more trials are needed; 2: bad input. Each claim, if false, is ever made
    with probability at most alpha, however often you look.
    """
    named = given.results or [Path(name) for name in (given.new, given.baseline) if name]
    places = [place for place in named if place.exists()]
    if given.state is not None:
        from stopwise.data.sources import require_apart

        require_apart(given.state, places)
    check_places(given.html, None, given.summary)
    with _no_false_alarm():
        ask = _on_one_task if given.not_worse_anywhere is None else _on_all_tasks
        code = ask(given, places)
    raise typer.Exit(code)


def _trials(given: Given) -> tuple[Any, tuple[str, ...]]:
    from stopwise.questions.gate import found_policies

    results = given.results[0] if len(given.results) == 1 else given.results or None
    return found_policies(given.new, given.baseline, results, given.keywords("reading"))


def _on_one_task(given: Given, places: list[Path]) -> int:
    from stopwise import gate as ask

    trials, names = _trials(given)
    old = None if given.baseline is None else names[0]
    settings = given.keywords("gate") | given.keywords("comparison")
    result = ask(names[-1], old, results=trials, **settings)

    def show() -> None:
        say(result.sentence, style="bold")
        print_notes(result.warnings)

    tell([result], given, show)
    if given.summary is not None:
        with given.summary.open("a", encoding="utf-8") as file:
            file.write(result.to_markdown())
    if given.html is not None:
        given.html.write_text(result.to_html(origin_of(places)), encoding="utf-8")
    return result.exit_code


def _on_all_tasks(given: Given, _: list[Path]) -> int:
    from stopwise.questions.anywhere import not_worse_anywhere

    others = {*given.names("gate"), "summary", "html", "reference"}
    given.refuse(others, "with --not-worse-anywhere, which looks at all tasks")
    if given.baseline is None:
        raise Mistyped("--not-worse-anywhere needs the old policy: name it with --baseline")
    trials, names = _trials(given)
    settings = given.keywords("comparison")
    settings.pop("reference")
    margin = given.not_worse_anywhere
    result = not_worse_anywhere(names[-1], names[0], margin, results=trials, **settings)
    tell([result], given)
    return result.exit_code


@contextmanager
def _no_false_alarm() -> Iterator[None]:
    """Exit with 2 on a crash: Python's own 1 would mean that the policy is worse."""
    try:
        yield
    except BrokenPipeError as error:  # the reader closed the pipe
        raise typer.Exit(2) from error
    except (StopwiseError, OSError):
        raise  # said in one line by the command
    except Exception as error:
        traceback.print_exc()
        raise typer.Exit(2) from error

"""``stopwise analyze``: from files of trials to a ranking, figures and one sentence."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.command import Mistyped, number
from stopwise.cli.exit_codes import code_of
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.output_files import check_places, origin_of, write_files
from stopwise.cli.printing import json_of, print_analyses, print_rows, say
from stopwise.cli.values import trial_source
from stopwise.cli.wording import in_options, in_words

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis


@takes("analyze")
def analyze(given: Given) -> None:
    """Rank policies from files of trials.

    stopwise analyze results.csv --bounds 0,1 --n-max 100 --html report.html
    stopwise analyze --policy old=old.csv --policy new=new.csv --bounds 0,1

    Shows which policies differ, how many trials that took and how many were not needed. Policies
    that share a letter could not be told apart.
    """
    from stopwise import analyze as rank
    from stopwise import read_trials

    check_places(given.html, given.figures)
    settings, mean = given.keywords("comparison"), given.keywords("tasks")
    reading = given.keywords("reading") | {"lower_is_better": settings.get("lower_is_better")}
    how, known = _with_proxy(given.proxy, reading)
    source = trial_source(given.files, given.policy)
    if given.explain:
        _explain(source, how)
        return
    trials = read_trials(source, **how)
    if given.not_worse_anywhere is not None:
        _tell_anywhere(trials, given)
        return
    _refuse_stored_files(given.stored, trials.policies)
    settings |= given.keywords("analyze") | known
    found = (
        list(rank(trials, tasks="each", **settings).values())
        if mean["tasks"] is None and given.list_size is None  # whose scenes may be of several
        else [rank(trials, **mean, **settings)]
    )
    code = code_of(found) if given.exit_code else None
    if given.as_json:
        typer.echo(json_of(found))
    else:
        print_analyses(found, verbose=given.verbose)
    named = [(analysis.task or "task", analysis) for analysis in found]
    places = source.values() if isinstance(source, dict) else source
    paths = [Path(place) for place in ([places] if isinstance(places, Path) else places)]
    board = partial(_board, found) if len(found) > 1 else None
    write_files(lambda: _report(found, paths), named, given, board)
    if code is not None:
        raise typer.Exit(code)


def _with_proxy(typed: str | None, how: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords of ``read_trials``, with the column of a cheap score, and those of ``analyze``."""
    if typed is None:
        return how, {}
    column, _, source = typed.partition("=")
    how = {**how, "columns": {**how["columns"], "proxy": column}}
    if not source:
        return how, {"proxy": column}
    try:
        audit = number(source)
    except ValueError:
        from stopwise.rows.scenes import read_scenes

        return how, {"proxy": column, "proxy_scores": read_scenes(Path(source), column, **how)}
    return {**how, "missing": "keep"}, {"proxy": column, "audit": audit}


def _tell_anywhere(trials: Any, given: Given) -> None:
    """Say of each policy whether it is not worse than the baseline on any task."""
    from stopwise.core.settings import GateSettings
    from stopwise.questions.anywhere import not_worse_anywhere

    if given.baseline is None:
        raise Mistyped("--not-worse-anywhere needs a policy to hold others against: --baseline")
    settings = {*GateSettings.__annotations__, "design"} - {"alpha"}
    known = given.keywords("comparison")
    asked = {name: value for name, value in known.items() if name in settings}
    others = [name for name in trials.policies if name != given.baseline]
    asked |= {"results": trials, "alpha": given.alpha / len(others)}
    margin = given.not_worse_anywhere
    found = [not_worse_anywhere(name, given.baseline, margin, **asked) for name in others]
    if given.as_json:
        typer.echo(json_of(found))
    for own in () if given.as_json else found:
        say(own.sentence, style="bold")


def _explain(source: Any, how: dict[str, Any]) -> None:
    """Print what each column is taken for and why, and the question that is left, if any."""
    from stopwise.data.read import explained

    columns, question = explained(source, **how)
    rows = [{"column": own.name, "role": own.role or "none", "why": own.why} for own in columns]
    if rows:
        print_rows(rows)
    if question is not None:
        say(in_words(question))


def _refuse_stored_files(stored: list[str], policies: Sequence[str]) -> None:
    """Raise if a file is given as in ``race`` and ``watch``, and say how it is here."""
    for item in stored:
        if "=" in item and item not in policies:
            name = item.partition("=")[0]
            raise Mistyped(
                f"--stored takes the name of a policy in the files, but got {item!r}: give its "
                f"file with the others, as in --policy {item} --policy new=FILE --stored {name}"
            )


def _board(analyses: list["Analysis"]) -> Any:
    from stopwise.report.figures import plot_board

    return plot_board(analyses)


def _report(analyses: list["Analysis"], paths: list[Path]) -> str:
    from stopwise.questions.analysis import report

    return report(list(map(as_typed, analyses)), origin_of(paths))


def as_typed(analysis: "Analysis") -> "Analysis":
    """The analysis with its notes in the words of the command line."""
    return replace(analysis, warnings=in_options(analysis.warnings))

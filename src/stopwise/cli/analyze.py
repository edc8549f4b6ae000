"""``stopwise analyze``: from files of trials to a ranking, figures and one sentence."""

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
from stopwise.cli.printing import print_analyses, print_rows, say, tell
from stopwise.cli.values import trial_source
from stopwise.cli.wording import in_options, in_words

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

Keywords = dict[str, Any]


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
    from stopwise.questions.analysis import report

    check_places(given.html, given.figures)
    settings, mean = given.keywords("comparison"), given.keywords("tasks")
    reading = given.keywords("reading") | {"lower_is_better": settings.get("lower_is_better")}
    reading, known = _with_proxy(given.proxy, reading)
    source = trial_source(given.files, given.policy)
    if given.explain:
        _explain(source, reading)
        return
    trials = read_trials(source, **reading)
    if given.not_worse_anywhere is not None:
        tell(_not_worse_anywhere(trials, given), given)
        return
    settings |= given.keywords("analyze") | known
    if mean["tasks"] is None and given.list_size is None:  # whose scenes may be of several
        answers = list(rank(trials, tasks="each", **settings).values())
    else:
        answers = [rank(trials, **mean, **settings)]
    code = code_of(answers) if given.exit_code else None
    tell(answers, given, partial(print_analyses, answers, verbose=given.verbose))
    places = source.values() if isinstance(source, dict) else source
    origin = origin_of([places] if isinstance(places, Path) else map(Path, places))
    write_files(
        lambda: report(list(map(as_typed, answers)), origin),
        [(analysis.task or "task", analysis) for analysis in answers],
        given,
        partial(_board, answers) if len(answers) > 1 else None,
    )
    if code is not None:
        raise typer.Exit(code)


def _board(analyses: list["Analysis"]) -> Any:
    from stopwise.report.figures import plot_board

    return plot_board(analyses)


def _with_proxy(
    typed: str | None, reading: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords of ``read_trials``, with the column of a cheap score, and those of ``analyze``."""
    if typed is None:
        return reading, {}
    column, _, source = typed.partition("=")
    reading = {**reading, "columns": {**reading["columns"], "proxy": column}}
    if not source:
        return reading, {"proxy": column}
    try:
        audit = number(source)
    except ValueError:
        from stopwise.rows.scenes import read_scenes

        scores = read_scenes(Path(source), column, **reading)
        return reading, {"proxy": column, "proxy_scores": scores}
    return {**reading, "missing": "keep"}, {"proxy": column, "audit": audit}


def _not_worse_anywhere(trials: Any, given: Given) -> list[Any]:
    """Whether each policy is not worse than the baseline on any task."""
    from stopwise.core.settings import GateSettings
    from stopwise.questions.anywhere import not_worse_anywhere

    if given.baseline is None:
        raise Mistyped("--not-worse-anywhere compares policies with one: name it with --baseline")
    settings = {*GateSettings.__annotations__, "design"}
    known = given.keywords("comparison")
    asked = {name: value for name, value in known.items() if name in settings}
    others = [name for name in trials.policies if name != given.baseline]
    asked |= {"results": trials, "alpha": given.alpha / len(others)}
    margin = given.not_worse_anywhere
    return [not_worse_anywhere(name, given.baseline, margin, **asked) for name in others]


def _explain(source: Any, reading: dict[str, Any]) -> None:
    """Print the role of each column and the reason, and the open question, if any."""
    from stopwise.data.read import explained

    columns, question = explained(source, **reading)
    if columns:
        print_rows(
            [
                {"column": column.name, "role": column.role or "none", "why": column.why}
                for column in columns
            ]
        )
    if question is not None:
        say(in_words(question))


def as_typed(analysis: "Analysis") -> "Analysis":
    """The analysis with notes that name options instead of keywords."""
    return replace(analysis, warnings=in_options(analysis.warnings))

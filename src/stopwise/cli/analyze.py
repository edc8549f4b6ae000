"""``stopwise analyze``: from files of trials to a ranking, figures and one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import ExitCode, code_of
from stopwise.cli.option_groups import flag, grouped, option
from stopwise.cli.options import (
    ComparisonOptions,
    NamedFiles,
    OutputOptions,
    ProxyOptions,
    ReadingOptions,
    TaskOptions,
    TrialFiles,
    json_of,
)
from stopwise.cli.output_files import check_places, origin_of, write_files
from stopwise.cli.printing import print_analyses, print_rows, say
from stopwise.cli.values import trial_paths, trial_source
from stopwise.cli.wording import in_options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from stopwise.questions.analysis import Analysis


@dataclass(frozen=True, kw_only=True)
class FileComparisonOptions(ComparisonOptions):
    """The settings of an analysis of trials that were all run before."""

    design: str | None = option(
        "How trials of different policies meet: auto, independent, paired (one trial each from the "
        "same start), stratified (several), or groups (all trials of unequal numbers, which were "
        "fixed before any score was seen).",
        "auto",
    )

    def keywords(self) -> dict[str, Any]:
        """The settings as keywords of the library."""
        found = super().keywords()
        if self.design == "groups":
            found.update(design=None, unequal="groups")
        return found


@grouped
def analyze(
    *,
    files: TrialFiles = None,
    policy: NamedFiles = None,
    comparison: FileComparisonOptions,
    bins: int | None = option("Number of bins for the scores, with --method nscore."),
    reading: ReadingOptions,
    proxy: ProxyOptions,
    unit: str = option(
        "What counts as one trial: trial, or seed (the mean of a training run, so that "
        "claims are about the algorithm).",
        "trial",
    ),
    tasks: TaskOptions,
    stored: list[str] | None = option(
        "A policy whose trials were run before the study, under the same conditions: all "
        "of them count. Repeat for each."
    ),
    not_worse_anywhere: float | None = option(
        "With --baseline, of several tasks: show that policies are not worse than it by this much "
        "on any of them.",
        metavar="MARGIN",
    ),
    explain: bool = flag("Show what each column is taken for and why, and nothing else."),
    exit_code: ExitCode = False,
    verbose: bool = flag("Of several tasks, print the tables of each."),
    output: OutputOptions,
) -> None:
    """Rank policies from files of trials.

    stopwise analyze results.csv --bounds 0,1 --n-max 100 --html report.html
    stopwise analyze --policy old=old.csv --policy new=new.csv --bounds 0,1

    Shows which policies differ, how many trials that took and how many were not needed. Policies
    that share a letter could not be told apart.
    """
    from stopwise import analyze as rank
    from stopwise import read_trials

    check_places(output.html, output.folder)
    settings = comparison.keywords()
    how = reading.keywords() | {"lower_is_better": settings.get("lower_is_better")}
    how, known = proxy.settings(how)
    source = trial_source(files, policy)
    if explain:
        _explain(source, how)
        return
    trials = read_trials(source, **how)
    if not_worse_anywhere is not None:
        _tell_anywhere(trials, not_worse_anywhere, comparison, as_json=output.as_json)
        return
    _refuse_stored_files(stored or [], trials.policies)
    settings |= {"stored": stored or (), "unit": unit, **known}
    if bins is not None:
        settings["bins"] = bins
    mean = tasks.keywords()
    found = (
        list(rank(trials, tasks="each", **settings).values())
        if mean["tasks"] is None and not comparison.of_scenes
        else [rank(trials, **mean, **settings)]
    )
    code = code_of(found) if exit_code else None
    _tell(found, output, trial_paths(files, policy), verbose=verbose)
    if code is not None:
        raise typer.Exit(code)


def _tell_anywhere(
    trials: Any, margin: float, comparison: FileComparisonOptions, *, as_json: bool
) -> None:
    """Say of each policy whether it is not worse than the baseline on any task."""
    from stopwise.core.settings import GateSettings
    from stopwise.questions.anywhere import not_worse_anywhere

    if comparison.baseline is None:
        raise Mistyped("--not-worse-anywhere needs a policy to hold others against: --baseline")
    known = comparison.keywords()
    settings = {*GateSettings.__annotations__, "design"} - {"alpha"}
    asked = {name: value for name, value in known.items() if name in settings}
    others = [name for name in trials.policies if name != comparison.baseline]
    found = [
        not_worse_anywhere(
            name,
            comparison.baseline,
            margin,
            results=trials,
            alpha=comparison.alpha / len(others),
            **asked,
        )
        for name in others
    ]
    if as_json:
        typer.echo(json_of([own.to_dict() for own in found]))
    for own in () if as_json else found:
        say(own.sentence, style="bold")


def _explain(source: Any, how: dict[str, Any]) -> None:
    """Print what each column is taken for and why, and the question that is left, if any."""
    from stopwise.cli.wording import in_words
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


def _tell(
    analyses: list["Analysis"], output: OutputOptions, paths: list[Path], *, verbose: bool
) -> None:
    if output.as_json:
        typer.echo(json_of([analysis.to_dict() for analysis in analyses]))
    else:
        print_analyses(analyses, verbose=verbose)
    named = [(analysis.task or "task", analysis) for analysis in analyses]
    board = partial(_board, analyses) if len(analyses) > 1 else None
    write_files(lambda: _report(analyses, paths), named, output, board)


def _board(analyses: list["Analysis"]) -> "Figure":
    from stopwise.report.overview import plot_board

    return plot_board(analyses)


def _report(analyses: list["Analysis"], paths: list[Path]) -> str:
    from stopwise.questions.analysis import report

    return report(list(map(as_typed, analyses)), origin_of(paths))


def as_typed(analysis: "Analysis") -> "Analysis":
    """The analysis with its notes in the words of the command line."""
    return replace(analysis, warnings=in_options(analysis.warnings))

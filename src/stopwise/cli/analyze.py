"""``stopwise analyze``: from files of trials to a ranking, figures and one sentence."""

from collections.abc import Sequence
from dataclasses import replace
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
    TableReadingOptions,
    TaskOptions,
    TrialFiles,
    json_of,
)
from stopwise.cli.output_files import check_places, origin_of, write_files
from stopwise.cli.printing import print_finding, print_notes, print_tables, say, table_of
from stopwise.cli.values import trial_paths, trial_source
from stopwise.cli.wording import in_options

if TYPE_CHECKING:
    from stopwise.data.trials import Trials
    from stopwise.questions.analysis import Analysis


@grouped
def analyze(
    *,
    files: TrialFiles = None,
    policy: NamedFiles = None,
    comparison: ComparisonOptions,
    bins: int | None = option("Number of bins for the scores, with --method nscore."),
    reading: TableReadingOptions,
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
    unequal: str = option(
        "Unequal numbers of trials: shorter (leave out those without a partner), or "
        "groups (use all, if the numbers were fixed in advance).",
        "shorter",
    ),
    strict: bool = flag("Refuse anything that would void the guarantee."),
    explain: bool = flag("Show what each column is taken for and why, and nothing else."),
    exit_code: ExitCode = False,
    output: OutputOptions,
) -> None:
    """Rank policies from files of trials.

    Shows which policies differ, how many trials that took and how many were not needed. Policies
    that share a letter could not be told apart.
    """
    from stopwise import analyze as rank
    from stopwise import analyze_tasks, read_trials
    from stopwise.rows.scenes import read_scenes
    from stopwise.rows.task_mean import require_tasks_choice

    check_places(output.html, output.figures)
    source, how = trial_source(files, policy), proxy.reading(reading.keywords())
    how["lower_is_better"] = comparison.keywords().get("lower_is_better")
    if explain:
        _explain(source, how)
        return
    trials = read_trials(source, **how)
    _refuse_stored_files(stored or [], trials.policies)
    settings: dict[str, Any] = {
        **comparison.keywords(),
        **({} if bins is None else {"bins": bins}),
        "stored": stored or (),
        "unequal": unequal,
        "unit": unit,
        **proxy.keywords(),
    }
    if proxy.proxy_scores is not None:
        settings["proxy_scores"] = read_scenes(proxy.proxy_scores, proxy.proxy, **how)
    if strict:
        _refuse_unproven(trials, comparison)
    mean = tasks.keywords()
    if tasks.tasks is not None:
        found = [rank(trials, **mean, **settings)]
    else:
        require_tasks_choice(tasks.tasks, tasks.task_order, mean["weights"])
        found = list(analyze_tasks(trials, **settings).values())
    if strict:
        _refuse_doubts(found)
    code = code_of(found) if exit_code else None
    _tell(found, output, trial_paths(files, policy))
    if code is not None:
        raise typer.Exit(code)


def _explain(source: Any, how: dict[str, Any]) -> None:
    """Print what each column is taken for and why, and the question that is left, if any."""
    from rich.console import Console

    from stopwise.cli.wording import in_words
    from stopwise.data.read import explained

    columns, question = explained(source, **how)
    rows = [{"column": own.name, "role": own.role or "none", "why": own.why} for own in columns]
    Console(highlight=False).print(table_of(rows, ("column", "role", "why")))
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


def _refuse_unproven(trials: "Trials", comparison: ComparisonOptions) -> None:
    from stopwise.errors import require

    require(
        comparison.by == "wins"
        or (
            not trials.bounds_inferred
            and all(task in trials.bounds for task in trials.tasks)
            and not any(getattr(note, "code", "") == "bounds-assumed" for note in trials.notes)
        ),
        "--strict needs declared bounds for every task: give --bounds",
    )


def _place(analysis: "Analysis", *, alone: bool) -> str | None:
    """Return which task this is; a file without a task column has one, called "task"."""
    if analysis.aligned.mean is not None:
        return analysis.task
    named = analysis.task is not None and not (alone and analysis.task == "task")
    return f"task {analysis.task}" if named else None


def _refuse_doubts(analyses: list["Analysis"]) -> None:
    from stopwise.errors import require
    from stopwise.messages import first_few

    for analysis in analyses:
        title = _place(analysis, alone=len(analyses) == 1)
        place = "" if title is None else f"{title}: "
        require(
            not analysis.serious_doubts,
            "--strict needs fresh draws in random order, which these trials do not look like (is "
            f"the file sorted, or did something change midway?): {place}"
            f"{first_few(analysis.serious_doubts)}",
        )


def _tell(analyses: list["Analysis"], output: OutputOptions, paths: list[Path]) -> None:
    if output.as_json:
        typer.echo(json_of([analysis.to_dict() for analysis in analyses]))
    else:
        shared = [
            note
            for note in analyses[0].warnings
            if len(analyses) > 1 and all(note in analysis.warnings for analysis in analyses)
        ]
        for analysis in analyses:
            show(analysis, without=shared, alone=len(analyses) == 1)
        print_notes(shared)
    named = [(analysis.task or "task", analysis) for analysis in analyses]
    write_files(lambda: _report(analyses, paths), named, output)


def _report(analyses: list["Analysis"], paths: list[Path]) -> str:
    from stopwise.questions.analysis import report

    return report(list(map(as_typed, analyses)), origin_of(paths))


def as_typed(analysis: "Analysis") -> "Analysis":
    """Return the analysis with its notes in the words of the command line."""
    return replace(analysis, warnings=in_options(analysis.warnings))


def show(analysis: "Analysis", *, without: Sequence[str] = (), alone: bool = True) -> None:
    """Print one analysis: its table, its sentence and its notes, ``without`` some of them."""
    print_tables(analysis, _place(analysis, alone=alone))
    print_finding(analysis.sentence, [note for note in analysis.warnings if note not in without])

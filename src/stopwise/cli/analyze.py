"""``stopwise analyze``: from files to letters, plots and one honest sentence."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli import options
from stopwise.cli.failing import as_options, clear_errors
from stopwise.cli.options import column_choices, json_of, parse_bounds, trial_source
from stopwise.cli.telling import tell, tell_notes
from stopwise.cli.writing import check_places, write

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

__all__ = ["analyze", "as_typed", "show"]


def analyze(
    files: Annotated[list[Path] | None, typer.Argument(help="Files or a folder of trials.")] = None,
    policy: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE, once per policy, instead of FILES.")
    ] = None,
    method: options.Method = "nscore-plus",
    alpha: options.Alpha = 0.05,
    n_max: options.NMax = None,
    bounds: options.Bounds = None,
    design: options.Design = "auto",
    adjust: options.Adjust = "holm",
    ties: options.Ties = "strict",
    baseline: options.Baseline = None,
    bins: Annotated[int | None, typer.Option(help="Bins of nscore.")] = None,
    score: options.Measure = None,
    column: options.Column = None,
    file_format: options.FileFormat = None,
    order: options.Order = "file",
    seed: Annotated[
        int | None, typer.Option(help="For a shuffled order or --iid-correction.")
    ] = None,
    missing: options.Missing = "error",
    iid_correction: Annotated[
        bool, typer.Option("--iid-correction", help="One random policy per block, as in the paper.")
    ] = False,
    pool: options.Pool = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what would void the guarantee.")
    ] = False,
    as_json: options.AsJson = False,
    html: options.Html = None,
    figures: Annotated[Path | None, typer.Option(help="Save the figures in this folder.")] = None,
) -> None:
    """Rank policies from files: letters, trials used and saved, and one honest sentence."""
    from stopwise import analyze as rank
    from stopwise import analyze_tasks, read_trials
    from stopwise.core.registry import find
    from stopwise.errors import InvalidInput

    with clear_errors("analyze"):
        check_places(html, figures)
        trials = read_trials(
            trial_source(files, policy),
            format=file_format,
            score=score,
            columns=column_choices(column),
            bounds=parse_bounds(bounds),
            order=order,
            seed=seed if order == "shuffled" else None,
            missing=missing,
        )
        if strict and (trials.bounds_inferred or any(t not in trials.bounds for t in trials.tasks)):
            raise InvalidInput("--strict needs declared bounds for every task: give --bounds")
        settings: dict[str, Any] = {
            "method": method, "alpha": alpha, "n_max": n_max, "adjust": adjust, "ties": ties,
            "baseline": baseline, "design": None if design == "auto" else design,
            "iid_seed": (seed or 0) if iid_correction else None,
        }  # fmt: skip
        if bins is not None:
            settings["bins"] = bins
        if strict and not find(method).exact:
            raise InvalidInput(
                f"--strict needs a level that is proven, but {method} is approximate"
            )
        if strict and pool and len(trials.tasks) > 1 and find(method).constant_rates:
            raise InvalidInput(
                f"--strict needs means that stay the same throughout for {method}, which pooled "
                "tasks have not: choose a method that bets, such as nscore-plus"
            )
        if pool:
            found = {"all": rank(trials, pool=True, **settings)}
        else:
            found = analyze_tasks(trials, **settings)
        if strict:
            _refuse_doubts(list(found.values()))
        _tell(list(found.values()), as_json=as_json, html=html, figures=figures)


def _place(analysis: "Analysis", *, alone: bool) -> str | None:
    """Return which task this is; a file without a task column has one, called "task"."""
    named = analysis.task is not None and not (alone and analysis.task == "task")
    return f"task {analysis.task}" if named else None


def _refuse_doubts(analyses: list["Analysis"]) -> None:
    from stopwise.errors import require
    from stopwise.questions.doubts import in_short

    for analysis in analyses:
        title = _place(analysis, alone=len(analyses) == 1)
        place = "" if title is None else f"{title}: "
        require(
            not analysis.doubts,
            f"--strict needs fresh draws in random order, which the trials do not look like (is "
            f"the file sorted, or did something change on the way?): {place}"
            f"{in_short(analysis.doubts)}",
        )


def _tell(
    analyses: list["Analysis"], *, as_json: bool, html: Path | None, figures: Path | None
) -> None:
    from stopwise.questions.analysis import report

    if as_json:
        typer.echo(json_of([analysis.to_dict() for analysis in analyses]))
    else:
        shared = [
            note
            for note in analyses[0].warnings
            if len(analyses) > 1 and all(note in analysis.warnings for analysis in analyses)
        ]
        for analysis in analyses:
            show(analysis, without=shared, alone=len(analyses) == 1)
        tell_notes(shared)
    named = [(analysis.task or "task", analysis) for analysis in analyses]
    write(
        lambda: report(list(map(as_typed, analyses))),
        named,
        html=html,
        figures=figures,
        quiet=as_json,
    )


def as_typed(analysis: "Analysis") -> "Analysis":
    """Return the analysis with its notes in the words of the command line."""
    return replace(analysis, warnings=tuple(as_options(note) for note in analysis.warnings))


def show(analysis: "Analysis", *, without: Sequence[str] = (), alone: bool = True) -> None:
    """Print one analysis as a table, its sentence and its notes, except those told elsewhere."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from stopwise.core.scores import score_text

    console = Console(highlight=False)
    title = _place(analysis, alone=alone)
    table = Table(title=None if title is None else escape(title), title_justify="left")
    columns = ["policy", "n", "mean", "interval", "letters", "used", "saved"]
    if analysis.trials_unpaired:
        columns.append("no partner")
    for name in columns:
        words = name in ("policy", "letters")
        # Long names are broken, never cut: names that begin alike would look the same.
        table.add_column(
            name, justify="left" if words else "right", overflow="fold", no_wrap=not words
        )
    for policy in analysis.policies:
        table.add_row(
            escape(policy.name),
            str(policy.n),
            score_text(policy.mean),
            escape(f"[{score_text(policy.interval.low)}, {score_text(policy.interval.high)}]"),
            policy.letters,
            str(policy.trials_used),
            str(policy.trials_saved),
            *([str(policy.trials_unpaired)] if analysis.trials_unpaired else []),
        )
    console.print(table)
    tell(analysis.sentence, [note for note in analysis.warnings if note not in without])

"""``stopwise watch``: results that others write, read again and again until it is enough."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stopwise.cli import options
from stopwise.cli.analyze import show
from stopwise.cli.failing import as_options, clear_errors
from stopwise.cli.live import rows_text
from stopwise.cli.options import column_choices, parse_bounds, trial_source
from stopwise.cli.telling import say

if TYPE_CHECKING:
    from stopwise.rollout.watch import TaskSight, Watch

__all__ = ["watch"]

# The exit code of --once that says: go on.
GO_ON = 3


def watch(
    files: Annotated[list[Path] | None, typer.Argument(help="A folder, or files.")] = None,
    policy: Annotated[
        list[str] | None, typer.Option(help="NAME=PATH, once per policy, instead of FILES.")
    ] = None,
    method: options.Method = "nscore-plus",
    alpha: options.Alpha = 0.05,
    n_max: options.NMax = None,
    bounds: Annotated[
        str | None, typer.Option(help='Range of the score: "LOW,HIGH", or "TASK=LOW,HIGH; ...".')
    ] = None,
    design: options.Design = "auto",
    adjust: options.Adjust = "holm",
    ties: options.Ties = "strict",
    baseline: options.Baseline = None,
    score: options.Measure = None,
    column: options.Column = None,
    file_format: options.FileFormat = None,
    interval: Annotated[float, typer.Option(help="Seconds between looks.", min=0.05)] = 5.0,
    once: Annotated[
        bool, typer.Option("--once", help="Look once: exit code 0 to stop, 3 to go on.")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(
            help="Keep the rows looked at here, so that the next --once refuses if they changed."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON per look.")] = False,
) -> None:
    """Watch results that grow (lerobot, CSV, monitor files ...), and say when to stop."""
    from stopwise.rollout.watch import Watch

    try:
        with clear_errors("watch"):
            watching = Watch(
                trial_source(files, policy),
                reading={
                    "format": file_format,
                    "score": score,
                    "columns": column_choices(column),
                    "bounds": parse_bounds(bounds),
                },
                design=design,
                settings={
                    "method": method,
                    "alpha": alpha,
                    "n_max": n_max,
                    "adjust": adjust,
                    "ties": ties,
                    "baseline": baseline,
                },
                state=state,
            )
            sights = watching.look() if once else _until_enough(watching, interval, as_json)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    stop = all(sight.stop for sight in sights)
    if once and as_json:
        _print_json(sights)
    elif not as_json:
        for sight in sights:
            if sight.analysis is not None:
                show(sight.analysis)
            say(_line(sight))
        typer.echo("stop: no more trials are needed" if stop else "go on: more trials are needed")
    raise typer.Exit(0 if stop or not once else GO_ON)


def _until_enough(watching: "Watch", interval: float, as_json: bool) -> tuple["TaskSight", ...]:
    """Look until every task has enough, and tell whenever something is new."""
    from stopwise.errors import InvalidInput
    from stopwise.rollout.watch import PastChanged

    told: object = None
    while True:
        sights: tuple[TaskSight, ...] = ()
        try:
            sights = watching.look()
            news: object = [(sight.task, sight.rows, sight.waiting) for sight in sights]
        except PastChanged:
            raise
        except InvalidInput as error:  # a file may be half written, or not there yet
            news = f"waiting: {as_options(str(error))}"
        if news != told:
            told = news
            if as_json and sights:
                _print_json(sights)
            else:
                lines = [_line(sight) for sight in sights] or [str(news)]
                for line in lines:
                    say(line, err=True)
        if sights and all(sight.stop for sight in sights):
            return sights
        time.sleep(interval)


def _print_json(sights: tuple["TaskSight", ...]) -> None:
    stop = all(sight.stop for sight in sights)
    typer.echo(json.dumps({"stop": stop, "tasks": [sight.to_dict() for sight in sights]}))


def _line(sight: "TaskSight") -> str:
    if sight.stop:
        why = "every pair is decided" if sight.decided else "n_max is reached"
        return f"task {sight.task}: stop after {sight.rows} rows, {why}"
    more = f"; needs more of {', '.join(sight.needed)}"
    held = f"; {sight.waiting} trials wait for their row" if sight.waiting else ""
    return f"task {sight.task}: {rows_text(sight.rows, sight.n_max, sight.remaining)}{more}{held}"

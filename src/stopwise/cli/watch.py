"""``stopwise watch``: results that others write, read again and again until there are enough."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.exit_codes import OPEN, SHOWN, ExitCode, code_of
from stopwise.cli.option_groups import flag, grouped, option
from stopwise.cli.options import (
    JoiningOptions,
    NamedFiles,
    ReadingOptions,
    ReportingOptions,
    Stored,
    TaskOptions,
    TrialFiles,
)
from stopwise.cli.printing import print_analyses, say
from stopwise.cli.standings_table import candidates_text, rows_text
from stopwise.cli.values import stored_scores, trial_source
from stopwise.cli.wording import in_words
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.rollout.sight import TaskSight
    from stopwise.rollout.watch import Watch

# The exit code of --once that says: go on.
GO_ON = 3


@dataclass(frozen=True, kw_only=True)
class WatchReadingOptions(ReadingOptions, left_out=("seed",)):
    """Files that grow: they are read in their order, and their range has to be declared."""

    bounds: str | None = option(
        'Range of the score: "LOW,HIGH", or "TASK=LOW,HIGH; ..." for each task.'
    )


@grouped
def watch(
    *,
    files: TrialFiles = None,
    policy: NamedFiles = None,
    comparison: JoiningOptions,
    reading: WatchReadingOptions,
    stored: Stored = None,
    tasks: TaskOptions,
    interval: float = option("Seconds between looks.", 5.0, min=0.05),
    once: bool = flag("Look once: exit code 0 means stop, 3 means go on."),
    wait: bool = flag("Wait for files that are not there yet."),
    exit_code: ExitCode = False,
    reporting: ReportingOptions,
    state: Path | None = option(
        "Where to remember the trials seen, so that the next look refuses changed results."
    ),
    as_json: bool = flag("Print one line of JSON per look.", "--json"),
) -> None:
    """Watch result files as they grow, and say when to stop the evaluation.

    stopwise watch results --bounds 0,1 --n-max 100
    stopwise watch --policy old=old.csv --policy new=new.csv --bounds 0,1 --once

    Reads the same files as `analyze`: lerobot, CSV, monitor files and more.
    """
    from stopwise.rollout.watch import Watch

    settings = comparison.keywords()
    try:
        with Watch(
            trial_source(files, policy),
            reading=reading.keywords(),
            design=settings.pop("design") or "auto",
            settings=settings,
            **tasks.keywords(),
            stored=stored_scores(stored, **reading.keywords()),
            state=state,
            **reporting.keywords(),
        ) as watching:
            sights = (
                watching.look()
                if once
                else _until_enough(watching, interval, as_json=as_json, wait=wait)
            )
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    stop = all(sight.stop for sight in sights)
    if once and as_json:
        _print_json(sights)
    elif not as_json:
        known = [sight.analysis for sight in sights if sight.analysis is not None]
        if known:
            print_analyses(known)
        for sight in sights:
            say(_line(sight))
        typer.echo(
            "stop: no more trials are needed, or n_max is reached"
            if stop
            else "go on: more trials are needed"
        )
    if exit_code:
        found = [sight.analysis for sight in sights if sight.analysis is not None]
        code = code_of(found)
        raise typer.Exit(OPEN if code == SHOWN and len(found) < len(sights) else code)
    raise typer.Exit(0 if stop or not once else GO_ON)


def _until_enough(
    watching: "Watch", interval: float, *, as_json: bool, wait: bool
) -> tuple["TaskSight", ...]:
    """Look until every task has enough trials, and print whatever is new."""
    from stopwise.errors import InvalidInput
    from stopwise.rollout.watch import PastChanged

    told: object = None
    while True:
        sights: tuple[TaskSight, ...] = ()
        try:
            sights = watching.look()
            unfinished = _unfinished(sights)
            counts = [
                (sight.task, sight.rows, sight.waiting, sight.candidates, sight.awaited)
                for sight in sights
            ]
            news: object = (counts, unfinished)
        except PastChanged:
            raise
        except InvalidInput as error:  # a file may be half written, or not there yet
            if error.code == "no-such-file" and not wait:
                raise
            news = f"waiting: {in_words(error)}"
        if news != told:
            told = news
            if as_json and sights:
                _print_json(sights)
            else:
                lines = [*map(_line, sights), *unfinished] if sights else [str(news)]
                for line in lines:
                    say(line, err=True)
        if sights and all(sight.stop for sight in sights):
            return sights
        time.sleep(interval)


def _unfinished(sights: tuple["TaskSight", ...]) -> list[str]:
    """What waits because its line has no end: if nobody goes on writing, that is a loss."""
    notes = [note for sight in sights for note in sight.notes]
    return list(dict.fromkeys(n for n in notes if getattr(n, "code", "") == "line-unfinished"))


def _print_json(sights: tuple["TaskSight", ...]) -> None:
    stop = all(sight.stop for sight in sights)
    typer.echo(json.dumps({"stop": stop, "tasks": [sight.to_dict() for sight in sights]}))


def _line(sight: "TaskSight") -> str:
    best = not sight.standings and bool(sight.candidates)  # no pairs are asked about
    if sight.stop:
        found = f"{sight.best} is named" if best else "every pair is decided"
        why = found if sight.decided else "the maximum is reached"
        why = "a decision by n_max had become unlikely" if sight.futile else why
        return f"task {sight.task}: stop after {counted(sight.rows, 'row')}, {why}"
    parts = [rows_text(sight.rows, sight.n_max, sight.remaining)]
    if sight.futile:
        parts.append("a decision by n_max has become unlikely")
    if best:
        parts.append(candidates_text(sight.candidates))
    if sight.needed:
        parts.append(f"needs more trials of {', '.join(dict.fromkeys(sight.needed))}")
    if sight.awaited:
        parts.append(f"waits for {', '.join(sight.awaited)} to come")
    if sight.waiting and sight.needed:
        held = counted(sight.waiting, "trial waits", "trials wait")
        parts.append(f"{held} for the rest of the row{' or will not be needed' if best else ''}")
    return f"task {sight.task}: {'; '.join(parts)}"

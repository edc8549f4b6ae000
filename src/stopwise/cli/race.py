"""``stopwise race``: run policies in a simulator until one is shown to be better."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

import typer

from stopwise.cli.analyze import as_typed
from stopwise.cli.command import Mistyped
from stopwise.cli.evidence import candidates_text, rows_text
from stopwise.cli.exit_codes import code_of, require_baseline
from stopwise.cli.given import Given
from stopwise.cli.options import FACTORY, takes
from stopwise.cli.output_files import check_places, write_files
from stopwise.cli.printing import print_analyses
from stopwise.cli.values import chosen_executor, named_values, stored_scores, with_current_folder
from stopwise.files import state_folder
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.rollout.race_result import RaceResult
    from stopwise.rollout.sight import RaceProgress


@takes("race")
def race(given: Given) -> None:
    """Run policies in a simulator until it is clear which one is better, then stop.

    stopwise race --env CartPole-v1 --bounds 0 500 --policy a=mine:make_a --policy b=mine:make_b
    stopwise race --env mine:make --checkpoints 'runs/*.zip' --load mine:load --goal best
    """
    from stopwise.rollout.race import race as run

    with_current_folder()
    check_places(given.html)
    settings = given.keywords("comparison") | given.keywords("race") | given.keywords("tasks")
    if bool(given.policy) == bool(given.checkpoints):
        raise Mistyped(f"give either --policy {FACTORY} for each policy, or --checkpoints")
    policies = given.checkpoints or named_values(given.policy, FACTORY)
    if given.exit_code:
        # How many checkpoints there are is not known yet.
        several = 3 if given.checkpoints else len(policies) + len(given.stored)
        require_baseline(several, given.baseline, settings["goal"])
    del settings["task_order"]
    reading = {"score": given.score or _measure(given.env), "bounds": settings["bounds"]}
    settings["stored"] = stored_scores(given.stored, **reading)
    settings["executor"] = chosen_executor(given.executor, **given.keywords("fleet"))
    settings |= given.keywords("report")
    environments = _environments(given.env, given.tasks)
    with _kept(given.journal) as journal, _live(given, journal) as on_progress:
        try:
            result = run(
                policies, environments, journal=journal, on_progress=on_progress, **settings
            )
        except KeyboardInterrupt:
            typer.echo(f"stopwise race: interrupted; {_way_on(journal)}", err=True)
            raise typer.Exit(130) from None
    shown = as_typed(result.analysis)
    if given.as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2))
    else:
        print_analyses([shown])
        _tell_episodes(result, given.n_max)
    # Last: a page that cannot be written loses no result.
    write_files(shown.to_html, [("", shown)], given)
    if given.exit_code:
        raise typer.Exit(code_of([result.analysis]))


def _tell_episodes(result: "RaceResult", n_max: int) -> None:
    rows = f"{result.rows} of at most {counted(result.analysis.rules.n_max or n_max, 'row')}"
    typer.echo(
        f"{counted(result.used, 'episode')} used ({rows}) in {result.seconds:.1f} s; "
        f"{len(result.overshoot)} more finished and {result.abandoned} abandoned at the end"
    )


def _environments(given: list[str], tasks: str | None) -> str | dict[str, str]:
    """The environment, or several by the names of their tasks."""
    if len(given) == 1 and tasks is None:
        return given[0]
    return named_values([item if "=" in item else f"{item}={item}" for item in given], "TASK=ENV")


def _measure(given: list[str]) -> str | None:
    """The measure to compare by default; unknown for what comes from a module."""
    from stopwise.policies.import_path import is_place

    return None if any(is_place(item.rpartition("=")[2]) for item in given) else "return"


@contextmanager
def _kept(journal: Path | None) -> Iterator[Path]:
    """Yield the journal's path: a new file unless one is named, removed at the end if empty."""
    if journal is not None:
        yield journal
        return
    folder = state_folder() / "races"
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = mkstemp(".jsonl", f"{datetime.now():%Y%m%d-%H%M%S}-", folder)
    os.close(handle)
    path = Path(name)
    try:
        yield path
    finally:
        if path.read_bytes().count(b"\n") < 2:  # no episode
            path.unlink()


def _way_on(journal: Path) -> str:
    return f"every finished episode is in {journal}: to go on, add --journal {journal}"


@contextmanager
def _live(given: Given, journal: Path) -> "Iterator[Callable[[RaceProgress], None]]":
    """Show the progress of the race, on standard error and only in a terminal.

    Elsewhere only where the journal is, unless the user knows, and what is waited for.
    """
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    shown: set[str] = set()

    def tell(progress: "RaceProgress") -> None:
        lines = [] if given.journal else [_way_on(journal)]
        if progress.awaited and not progress.needed:
            lines.append(f"waits for {', '.join(progress.awaited)} to come")
        for line in lines:
            if line not in shown:
                shown.add(line)
                typer.echo(f"stopwise race: {line}", err=True)

    if given.as_json or not console.is_terminal:
        yield tell
        return
    with console.status("") as status:

        def update(progress: "RaceProgress") -> None:
            tell(progress)
            status.update(escape(_line(progress)))

        yield update


def _line(progress: "RaceProgress") -> str:
    decided = sum(pair.decided for pair in progress.standings)
    pairs = f"{decided} of {counted(len(progress.standings), 'pair')} decided"
    result = candidates_text(progress.candidates) if progress.p_values else pairs
    rows = rows_text(progress.rows, progress.n_max, progress.remaining)
    episodes = counted(progress.episodes, "episode")
    return f"{episodes} in {progress.seconds:.0f} s; {rows}; {result}"

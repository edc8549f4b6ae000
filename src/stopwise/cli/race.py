"""``stopwise race``: run policies in a simulator until it is known which is better."""

import json
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.analyze import as_typed
from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import ExitCode, code_of, require_baseline
from stopwise.cli.option_groups import grouped, option
from stopwise.cli.options import (
    JoiningOptions,
    OutputOptions,
    ReportingOptions,
    Stored,
    TaskOptions,
    Workers,
    with_current_folder,
)
from stopwise.cli.output_files import check_places, write_files
from stopwise.cli.printing import print_analyses, say
from stopwise.cli.standings_table import (
    candidates_table,
    candidates_text,
    rows_text,
    standings_table,
)
from stopwise.cli.values import (
    chosen_executor,
    named_numbers,
    named_values,
    parse_bounds,
    runtime_environment,
    stored_scores,
)
from stopwise.errors import StopwiseError
from stopwise.files import state_folder
from stopwise.messages import Setting, counted

if TYPE_CHECKING:
    from stopwise.rollout.sight import RaceProgress

FACTORY = "NAME=package.module:factory"


@dataclass(frozen=True, kw_only=True)
class RaceComparisonOptions(JoiningOptions, left_out=("adjust", "ties", "by", "list_size")):
    """The settings of a race, which runs the episodes itself and so knows their design."""

    n_max: int = option("Maximum episodes per policy, fixed before the first one.", 500)
    design: str | None = option(
        "paired (the same seeds for every policy; usual) or independent. A resumed race "
        "keeps the design in its journal.",
        show_default=False,
    )

    def keywords(self) -> dict[str, Any]:
        """The settings as they are: there is no design to detect."""
        return {**super().keywords(), "design": self.design}


@dataclass(frozen=True, kw_only=True)
class RaceTaskOptions(TaskOptions):
    """The mean over tasks, which a race draws itself."""

    tasks: str | None = option(
        "One claim about the mean over several tasks, of which each row is given one at random: "
        "mean. With weights: mean:reach=2,lift=1.",
        metavar="mean[:TASK=WEIGHT,...]",
    )

    def keywords(self) -> dict[str, Any]:
        """The options as keywords of the library."""
        found = super().keywords()
        del found["task_order"]
        return found


@dataclass(frozen=True, kw_only=True)
class RaceOutputOptions(OutputOptions, left_out=("figures",)):
    """Where the outcome goes; the page has the figures."""


@grouped
def race(
    *,
    env: list[str] = option(
        "What to run: a Gymnasium id, or package.module:name of a function that makes an "
        "environment or runs an episode. With --tasks mean: repeat for each task.",
        ...,
        metavar="[TASK=]ENV",
    ),
    policy: list[str] | None = option(
        "A policy and the function that makes it, the address of its server (as in "
        "NAME=ws://localhost:8000), or the folder where LeRobot saved it; repeat for each.",
        metavar=FACTORY,
    ),
    checkpoints: str | None = option(
        "Instead of --policy: a folder of checkpoints, or a pattern in quotes, such as "
        "'runs/*/ckpt_*.zip'. With --later, new ones may join.",
        metavar="PATTERN",
    ),
    load: str | None = option(
        "With --checkpoints: the function that turns a path into a policy.",
        metavar="package.module:function",
    ),
    bounds: str = option('Range of the score: LOW HIGH, or "LOW,HIGH".', "0,1", metavar="LOW HIGH"),
    score: str | None = option(
        "The measure to compare: return, success, length or one of your own."
    ),
    success: str = option(
        "Which step says whether an episode is a success: the last, or any.", "last"
    ),
    stored: Stored = None,
    tasks: RaceTaskOptions,
    scenes: str | None = option(
        "A fixed list of scenes, which all policies try once, in an order drawn at random: how "
        "many, for the seeds from 0 on, or the file with one on each line. Claims are about this "
        "list, in this run.",
        metavar="NUMBER|FILE",
    ),
    comparison: RaceComparisonOptions,
    seed: int | None = option(
        "Seed for the whole race; 0 by default, but drawn and recorded with several tasks.",
        show_default=False,
    ),
    executor: str = option(
        "What runs the episodes: serial, processes, ray, or ray:ADDRESS of a cluster.", "serial"
    ),
    workers: Workers = None,
    num_cpus: float | None = option(
        "CPUs that each worker needs, with --executor ray; 1 by default."
    ),
    num_gpus: float | None = option(
        "GPUs that each worker needs (0.5: two share one), with --executor ray."
    ),
    resources: list[str] | None = option(
        "What else of a Ray node each worker needs; repeat for each.", metavar="NAME=NUMBER"
    ),
    runtime_env: str | None = option(
        'What Ray\'s workers get: JSON, or a file of it, as in \'{"working_dir": "."}\'.',
        metavar="JSON",
    ),
    journal: Path | None = option(
        "Record every episode in this file; if it exists, resume from it. By default a new one in "
        "the folder of your user's state.",
        show_default=False,
    ),
    on_error: str = option(
        "What to do if an episode fails: raise (stop the race), void (leave it out) or "
        "score:X (count it as score X).",
        "raise",
    ),
    timeout: float | None = option("Seconds after which an episode counts as failed."),
    exit_code: ExitCode = False,
    reporting: ReportingOptions,
    output: RaceOutputOptions,
) -> None:
    """Run policies in a simulator until it is clear which one is better, then stop.

    stopwise race --env CartPole-v1 --bounds 0 500 --policy a=mine:make_a --policy b=mine:make_b
    stopwise race --env mine:make --checkpoints 'runs/*.zip' --load mine:load --goal best
    """
    from stopwise.errors import require
    from stopwise.rollout.race import race as run

    with_current_folder()
    check_places(output.html, None)
    limits = parse_bounds(bounds)
    require(isinstance(limits, tuple), f'--bounds must be given as "LOW,HIGH", but got {bounds!r}')
    if bool(policy) == bool(checkpoints):
        raise Mistyped(f"give either --policy {FACTORY} for each policy, or --checkpoints")
    policies = checkpoints or named_values(policy or [], FACTORY)
    if exit_code:
        # How many checkpoints there are is not known yet.
        several = 3 if checkpoints else len(policies) + len(stored or ())
        require_baseline(several, comparison.baseline, comparison.keywords()["goal"])
    with (
        _kept(journal) as kept,
        _live(comparison.alpha, None if journal else kept, quiet=output.as_json) as on_progress,
    ):
        try:
            result = run(
                policies,
                _environments(env, tasks.tasks),
                load=load,
                score=score,
                bounds=limits,
                stored=stored_scores(
                    stored, quiet=output.as_json, score=score or _measure(env), bounds=limits
                ),
                **tasks.keywords(),
                scenes=int(scenes) if scenes and scenes.isdecimal() else scenes,
                seed=seed,
                success=success,
                executor=chosen_executor(
                    executor,
                    workers=workers,
                    num_cpus=num_cpus,
                    num_gpus=num_gpus,
                    resources=named_numbers(resources, "--resources", "NAME=NUMBER"),
                    runtime_env=runtime_environment(runtime_env),
                ),
                journal=kept,
                on_error=on_error,
                timeout=timeout,
                on_progress=on_progress,
                **reporting.keywords(),
                **comparison.keywords(),
            )
        except KeyboardInterrupt:
            typer.echo(f"stopwise race: interrupted; {_way_on(kept)}", err=True)
            raise typer.Exit(130) from None
    shown = as_typed(result.analysis)
    if output.as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2))
    else:
        print_analyses([shown])
        most = counted(result.analysis.rules.n_max or comparison.n_max, "row")
        rows = f"{result.rows} of at most {most}"
        typer.echo(
            f"{counted(result.used, 'episode')} used ({rows}) in {result.seconds:.1f} s; "
            f"{len(result.overshoot)} more finished and {result.abandoned} abandoned at the end"
        )
        whole = result.worker_seconds_of_all
        if whole is not None and result.worker_seconds < whole:
            took, all_of_it = duration(result.worker_seconds), duration(whole)
            say(
                f"episodes took {took} of workers' time; all {result.most:,} would take {all_of_it}"
            )
    # Only now: a page that cannot be written loses no result.
    write_files(shown.to_html, [("", shown)], output)
    if exit_code:
        raise typer.Exit(code_of([result.analysis]))


def _environments(given: list[str], tasks: str | None) -> str | dict[str, str]:
    """The environment, or several by the names of their tasks."""
    if len(given) == 1 and tasks is None:
        return given[0]
    return named_values([item if "=" in item else f"{item}={item}" for item in given], "TASK=ENV")


def duration(seconds: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> [duration(seconds) for seconds in (0.25, 75, 4000, 100_000)]
    ['0.2 s', '75 s', '67 min', '27.8 h']
    """
    if seconds < 120:
        return f"{seconds:.{0 if seconds >= 10 else 1}f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _measure(given: list[str]) -> str | None:
    """What a race compares unless it is told; of what is in a module, nobody knows."""
    from stopwise.policies.import_path import is_place

    return None if any(is_place(item.rpartition("=")[2]) for item in given) else "return"


@contextmanager
def _kept(journal: Path | None) -> Iterator[Path]:
    """Yield the journal's path: a new file unless one is named, removed at the end if empty."""
    if journal is not None:
        yield journal
        return
    folder = state_folder() / "races"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle, name = mkstemp(".jsonl", f"{datetime.now():%Y%m%d-%H%M%S}-", folder)
    except OSError as error:
        raise StopwiseError(
            f"{folder}: no journal can be written there ({error.strerror}): name one with ",
            Setting("journal"),
        ) from error
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
def _live(
    alpha: float, journal: Path | None, *, quiet: bool
) -> "Iterator[Callable[[RaceProgress], None] | None]":
    """Show the progress of the race, on standard error and only in a terminal.

    Elsewhere only where the journal is, unless the user knows, and what is waited for.
    """
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    told: set[str] = set()

    def tell(progress: "RaceProgress") -> None:
        lines = [] if journal is None else [_way_on(journal)]
        if progress.awaited and not progress.needed:
            lines.append(f"waits for {', '.join(progress.awaited)} to come")
        for line in lines:
            if line not in told:
                told.add(line)
                typer.echo(f"stopwise race: {line}", err=True)

    if quiet or not console.is_terminal:
        yield tell
        return
    shown = -math.inf
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def update(progress: "RaceProgress") -> None:
            nonlocal shown
            tell(progress)
            if progress.seconds < shown + 0.2:  # drawing must not slow down short episodes
                return
            shown = progress.seconds
            title = (
                f"{counted(progress.episodes, 'episode')} in {progress.seconds:.0f} s; "
                f"{rows_text(progress.rows, progress.n_max, progress.remaining)}"
            )
            if progress.awaited:
                title = f"{title}; waits for {', '.join(progress.awaited)} to come"
            if progress.p_values:  # asked for the best
                left, values = progress.candidates, progress.p_values
                title = f"{candidates_text(left)}; {title}"
                live.update(candidates_table(left, values, alpha, title))
            else:
                live.update(standings_table(progress.standings, alpha, title))

        yield update

"""``stopwise race``: run policies in a simulator until it is known which is better."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stopwise.cli import options
from stopwise.cli.analyze import as_typed, show
from stopwise.cli.failing import clear_errors
from stopwise.cli.live import rows_text, standings_table
from stopwise.cli.options import chosen_executor, named_values, parse_bounds
from stopwise.cli.writing import check_places, write

if TYPE_CHECKING:
    from stopwise.rollout.result import Progress

__all__ = ["race"]


def race(
    env: Annotated[
        str, typer.Option(help="Gymnasium id, or package.module:name of a factory or an episode.")
    ],
    policy: Annotated[
        list[str], typer.Option(help="NAME=package.module:factory, once per policy.")
    ],
    bounds: Annotated[
        str, typer.Option(help='Range of the score: LOW HIGH, or "LOW,HIGH".', metavar="LOW HIGH")
    ] = "0,1",
    score: Annotated[
        str | None, typer.Option(help="return, success, length or another measure.")
    ] = None,
    n_max: Annotated[
        int, typer.Option(help="Declared greatest number of episodes per policy.")
    ] = 500,
    alpha: options.Alpha = 0.05,
    design: Annotated[
        str, typer.Option(help="independent, or paired: the same seeds for all policies.")
    ] = "independent",
    method: options.Method = "nscore-plus",
    adjust: options.Adjust = "holm",
    ties: options.Ties = "strict",
    baseline: options.Baseline = None,
    seed: Annotated[int, typer.Option(help="Of the whole race.")] = 0,
    executor: Annotated[str, typer.Option(help="serial, processes or ray.")] = "serial",
    workers: options.Workers = None,
    batch: Annotated[int, typer.Option(help="Episodes sent to a worker at once.")] = 1,
    address: options.Address = None,
    journal: Annotated[
        Path | None, typer.Option(help="Keep every episode here, and go on from it.")
    ] = None,
    on_error: Annotated[
        str, typer.Option(help="raise, score:X or void: what a failed episode counts as.")
    ] = "raise",
    timeout: Annotated[
        float | None, typer.Option(help="Seconds after which an episode has failed.")
    ] = None,
    as_json: options.AsJson = False,
    html: options.Html = None,
) -> None:
    """Run policies until it is known which is better: as many episodes as needed, no more."""
    from stopwise.errors import require
    from stopwise.rollout.race import race as run

    # As with `python -m`, modules in the current folder can be named.
    sys.path.insert(0, os.getcwd())
    try:
        with clear_errors("race"):
            check_places(html, None)
            limits = parse_bounds(bounds)
            require(
                isinstance(limits, tuple),
                f'bounds must be given as "LOW,HIGH", but got {bounds!r}',
            )
            named = named_values(policy, "NAME=package.module:factory")
            with _live(alpha, quiet=as_json) as on_progress:
                result = run(
                    named,
                    env,
                    score=score,
                    bounds=limits,
                    n_max=n_max,
                    alpha=alpha,
                    design=design,
                    method=method,
                    adjust=adjust,
                    ties=ties,
                    baseline=baseline,
                    seed=seed,
                    executor=chosen_executor(executor, workers, address, batch),
                    journal=journal,
                    on_error=on_error,
                    timeout=timeout,
                    on_progress=on_progress,
                )
    except KeyboardInterrupt:
        kept = "nothing is kept (no --journal)" if journal is None else f"all is kept in {journal}"
        typer.echo(f"stopwise race: interrupted; {kept}", err=True)
        raise typer.Exit(130) from None
    shown = as_typed(result.analysis)
    if as_json:
        typer.echo(json.dumps(result.to_dict(), indent=2))
    else:
        show(shown)
        typer.echo(
            f"{result.used} of at most {n_max * len(policy)} episodes counted in {result.rows} "
            f"rows,\n{len(result.overshoot)} more were finished and {result.abandoned} abandoned, "
            f"in {result.seconds:.1f} s"
        )
    with clear_errors("race"):  # only now: a page that cannot be written loses no result
        write(shown.to_html, [("", shown)], html=html, figures=None, quiet=as_json)


@contextmanager
def _live(alpha: float, *, quiet: bool) -> "Iterator[Callable[[Progress], None] | None]":
    """Show how the race stands, on standard error and only in a terminal."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield None
        return
    shown = -math.inf
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def update(progress: "Progress") -> None:
            nonlocal shown
            if progress.seconds < shown + 0.2:  # drawing must not slow down short episodes
                return
            shown = progress.seconds
            title = (
                f"{progress.episodes} episodes in {progress.seconds:.0f} s; "
                f"{rows_text(progress.rows, progress.n_max, progress.remaining)}"
            )
            live.update(standings_table(progress.standings, alpha, title))

        yield update

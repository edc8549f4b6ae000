"""``stopwise plan``: how many trials it takes, midway and which measure needs fewest."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli import options
from stopwise.cli.failing import clear_errors
from stopwise.cli.options import (
    chosen_executor,
    column_choices,
    named_values,
    parse_bounds,
    refuse_unused,
)
from stopwise.cli.plan_text import show_forecasts, show_metrics, show_plan
from stopwise.cli.writing import check_places, write

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import Forecast
    from stopwise.planning.metrics_result import MetricComparison
    from stopwise.planning.plan_result import Plan
    from stopwise.report.drawn import Drawn

__all__ = ["plan"]

# Options without effect: where trials are there already, on rollouts, and on a study's own rules.
_BEFOREHAND = ("budget", "gaps", "policies", "power", "correlation", "alternative", "baseline")
_SIMULATION = ("precision", "executor", "workers", "address")
_STUDY_RULES = ("method", "alpha", "adjust", "ties", "design", "bounds")


def plan(
    context: typer.Context,
    guesses: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GUESS]...",
            help="One per policy: a success rate (0.6), MEAN+-SD (0.5+-0.2), or milestones "
            "(0:0.2,0.5:0.3,1:0.5). One alone is improved on by each gap; none: a table of gaps.",
        ),
    ] = None,
    pilot: Annotated[
        Path | None, typer.Option(help="Instead of guesses: trials of a pilot study.")
    ] = None,
    going_on: Annotated[
        str | None,
        typer.Option("--continue", help="Trials so far, or a study: forecast how it goes on."),
    ] = None,
    metrics: Annotated[
        Path | None, typer.Option(help="Rollouts: what success and other scores would need.")
    ] = None,
    score: options.Measure = None,
    column: options.Column = None,
    n_max: Annotated[
        str | None, typer.Option(help="Greatest numbers of trials per policy, e.g. 50,100,200.")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="Greatest numbers of trials in all, instead of --n-max.")
    ] = None,
    gaps: Annotated[str | None, typer.Option(help="Gaps to consider, e.g. 0.1,0.2.")] = None,
    policies: Annotated[int | None, typer.Option(help="Number of policies.")] = None,
    power: Annotated[float, typer.Option(help="The power wanted.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Chance of any false claim.")] = 0.05,
    method: Annotated[str, typer.Option(help="See `stopwise methods`.")] = "nscore-plus",
    bounds: Annotated[str | None, typer.Option(help='Range of the score: "LOW,HIGH".')] = None,
    design: Annotated[str | None, typer.Option(help="independent or paired.")] = None,
    correlation: Annotated[
        float, typer.Option(help="Between scores of a row, in the paired design.")
    ] = 0.0,
    alternative: Annotated[str, typer.Option(help="two-sided, greater or less.")] = "two-sided",
    adjust: Annotated[str, typer.Option(help="bonferroni, holm or closed.")] = "holm",
    ties: Annotated[str, typer.Option(help="strict, or paper.")] = "strict",
    baseline: Annotated[
        bool, typer.Option("--baseline", help="Compare all policies with the first one only.")
    ] = False,
    futility: Annotated[
        float | None,
        typer.Option(help="With --continue: the chance of a verdict, set in advance, to stop at."),
    ] = None,
    metric: Annotated[
        list[str] | None, typer.Option(help="With --metrics: COLUMN=LOW,HIGH, once per measure.")
    ] = None,
    milestone: Annotated[
        list[str] | None, typer.Option(help="With --metrics: a column, once per milestone.")
    ] = None,
    minutes_per_trial: Annotated[
        float | None, typer.Option("--minutes-per-trial", "--minutes", help="For hours.")
    ] = None,
    precision: Annotated[float, typer.Option(help="Standard error of the chances.")] = 0.015,
    seed: Annotated[int, typer.Option(help="Of the simulation.")] = 0,
    executor: Annotated[
        str, typer.Option(help="Who simulates: threads, processes or ray.")
    ] = "threads",
    workers: options.Workers = None,
    address: options.Address = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write the answer to this file.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Save the figures in this folder.")] = None,
) -> None:
    """Say how many trials a study takes: `stopwise plan`, or `stopwise plan 0.5 0.7`."""
    from stopwise.errors import require
    from stopwise.planning.presentation import forecast_page

    with clear_errors("plan"):
        check_places(html, figures)
        common = {
            "method": method, "alpha": alpha, "adjust": adjust, "ties": ties, "design": design,
            "bounds": parse_bounds(bounds), "minutes_per_trial": minutes_per_trial, "seed": seed,
        }  # fmt: skip
        given = [bool(guesses), pilot is not None, going_on is not None, metrics is not None]
        require(sum(given) <= 1, "give guesses, --pilot, --continue or --metrics, but only one")
        require(futility is None or going_on is not None, "--futility needs --continue")
        require(not (metric or milestone) or metrics is not None, "--metric needs --metrics")
        _refuse_unused(context, going_on, metrics)
        place = chosen_executor(executor, workers, address)
        reading = {"score": score, "columns": column_choices(column)}
        require(
            not any(reading.values()) or any(given[1:]),
            "--score and --column are for the files of --pilot, --continue and --metrics",
        )
        if going_on is not None:
            horizon = _single(n_max)
            extra = {"futility": futility, "precision": precision, "executor": place}
            found = _forecasts(going_on, reading, horizon, {**common, **extra})
            show_forecasts(found, as_json)
            page: Callable[[], str] = partial(forecast_page, found)
            answers: list[tuple[str, Drawn]] = list(found.items())
        elif metrics is not None:
            columns: dict[str, Any] = {"score": score} if score is not None else {}
            common["columns"] = {**column_choices(column), **columns}
            compared = _compared(metrics, metric, milestone, _single(n_max), common)
            show_metrics(compared, as_json)
            page, answers = compared.to_html, [("", compared)]
        else:
            made = _planned(
                [_guess(text) for text in guesses or []],
                pilot,
                reading,
                n_max=_numbers(n_max, "n_max", int),
                budget=_numbers(budget, "budget", int),
                gaps=_numbers(gaps, "gaps", float),
                policies=policies,
                power=power,
                correlation=correlation,
                alternative=alternative,
                baseline=baseline,
                precision=precision,
                executor=place,
                **common,
            )
            show_plan(made, as_json)
            page, answers = made.to_html, [("", made)]
        write(page, answers, html=html, figures=figures, quiet=as_json)


def _refuse_unused(context: typer.Context, going_on: str | None, metrics: Path | None) -> None:
    if going_on is not None:
        refuse_unused(context, _BEFOREHAND, "with --continue")
        if _is_study(going_on):
            refuse_unused(context, _STUDY_RULES, "on a study, which has its own")
    elif metrics is not None:
        refuse_unused(context, (*_BEFOREHAND, *_SIMULATION), "with --metrics")
        if context.params["metric"] or context.params["milestone"]:
            refuse_unused(context, ("bounds", "score"), "where columns of scores are named")


def _is_study(source: str) -> bool:
    path = Path(source)
    inside = any((path / name).exists() for name in ("study.yaml", "study.db"))
    return "://" in source or path.suffix == ".db" or inside


def _planned(
    guesses: list[Any], pilot: Path | None, reading: dict[str, Any], **settings: Any
) -> "Plan":
    from stopwise import plan as make
    from stopwise import read_trials
    from stopwise.display import bar

    with bar("simulated studies") as show:
        if pilot is None:
            return make(*guesses, progress=show, **settings)
        trials = read_trials(pilot, bounds=settings.pop("bounds"), **reading)
        return make(pilot=trials, progress=show, **settings)


def _forecasts(
    source: str, reading: dict[str, Any], n_max: int | None, settings: dict[str, Any]
) -> dict[str, "Forecast"]:
    from stopwise import forecast, read_trials
    from stopwise.display import bar
    from stopwise.errors import require
    from stopwise.rows.table import tables

    with bar("simulated continuations") as show:
        if _is_study(source):
            from stopwise import Study
            from stopwise.planning.forecast import forecast_study

            own = ("futility", "minutes_per_trial", "precision", "seed", "executor")
            chosen = {name: settings[name] for name in own}
            with Study.open(source) as study:
                return forecast_study(study, n_max=n_max, progress=show, **chosen)
        require(n_max is not None, "--continue needs --n-max, the number declared for the study")
        assert n_max is not None
        trials = read_trials(source, bounds=settings.pop("bounds"), **reading)
        found = tables(trials, design=settings.pop("design"))
        return {
            table.task or "task": forecast(table, n_max=n_max, progress=show, **settings)
            for table in found
        }


def _compared(
    source: Path,
    metric: list[str] | None,
    milestones: list[str] | None,
    n_max: int | None,
    settings: dict[str, Any],
) -> "MetricComparison":
    from stopwise import compare_metrics

    given = named_values(metric or [], "COLUMN=LOW,HIGH")
    scores = {column: parse_bounds(limits) for column, limits in given.items()}
    return compare_metrics(
        source, scores=scores, milestones=milestones or (), n_max=n_max, **settings
    )


def _guess(text: str) -> Any:
    """Return a rate, (mean, deviation) or the probabilities of milestones."""
    from stopwise.errors import InvalidInput

    try:
        if ":" in text:
            parts = (part.split(":") for part in text.split(","))
            return {float(score): float(probability) for score, probability in parts}
        if "±" in text or "+-" in text:
            mean, deviation = text.replace("±", "+-").split("+-")
            return float(mean), float(deviation)
        return float(text)
    except ValueError as error:
        raise InvalidInput(
            "a guess must look like 0.6, 0.5+-0.2 or 0:0.2,0.5:0.3,1:0.5 (score:probability), "
            f"but got {text!r}"
        ) from error


def _numbers(text: str | None, name: str, kind: type[int] | type[float]) -> list[Any] | None:
    from stopwise.errors import InvalidInput

    if text is None:
        return None
    try:
        return [kind(part) for part in text.replace(",", " ").split()]
    except ValueError as error:
        raise InvalidInput(f"{name} must be numbers like 50,100, but got {text!r}") from error


def _single(text: str | None) -> int | None:
    from stopwise.errors import require

    numbers = _numbers(text, "n_max", int)
    require(numbers is None or len(numbers) == 1, f"give one n_max here, but got {text!r}")
    return None if numbers is None else numbers[0]

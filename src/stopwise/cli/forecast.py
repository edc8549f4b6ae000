"""``stopwise forecast``: how a study that is under way will go on."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.option_groups import argument, grouped, option
from stopwise.cli.options import (
    ComparisonOptions,
    MinutesPerTrial,
    OutputOptions,
    SimulationOptions,
    refuse_unused,
)
from stopwise.cli.output_files import check_places
from stopwise.cli.plan import PlanReadingOptions

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import ForecastResult


@dataclass(frozen=True, kw_only=True)
class ForecastComparisonOptions(ComparisonOptions, left_out=("baseline", "by", "futility")):
    """The settings of the study that goes on."""

    n_max: int | None = option(
        "Maximum trials per policy, as declared; a live study knows its own."
    )


@grouped
def forecast(
    *,
    context: typer.Context,
    source: str = argument(
        "The trials so far: a file, or the folder or URL of a live study.",
        ...,
        metavar="FILE|STUDY",
    ),
    comparison: ForecastComparisonOptions,
    futility: float | None = option(
        "Advise stopping once the chance of another verdict falls below this; set it in advance."
    ),
    reading: PlanReadingOptions,
    minutes_per_trial: MinutesPerTrial = None,
    simulation: SimulationOptions,
    output: OutputOptions,
) -> None:
    """Forecast a running study: the chance of a verdict, and how many more trials it takes.

    stopwise forecast trials.csv --bounds 0,1 --n-max 100
    stopwise forecast cups --minutes-per-trial 3
    """
    from stopwise.cli.planning_tables import show_answers

    check_places(output.html, output.folder)
    simulated = {
        "futility": futility,
        "minutes_per_trial": minutes_per_trial,
        **simulation.keywords(),
    }
    if _is_study(source):
        rules = {*comparison.options(), "bounds"} - {"n_max"}
        refuse_unused(context, rules, "on a study, which has its own")
        found = _of_study(source, comparison.n_max, simulated)
    else:
        found = _of_file(source, reading.keywords(), {**comparison.keywords(), **simulated})
    show_answers(found, output)


def _is_study(source: str) -> bool:
    path = Path(source)
    inside = any((path / name).exists() for name in ("study.yaml", "study.db"))
    return "://" in source or path.suffix == ".db" or inside


def _of_study(
    source: str, n_max: int | None, simulated: dict[str, Any]
) -> dict[str, "ForecastResult"]:
    from stopwise import Study
    from stopwise.display import bar
    from stopwise.planning.forecast import forecast_study

    with bar("simulated continuations") as show, Study.open(source) as study:
        return forecast_study(study, n_max=n_max, progress=show, **simulated)


def _of_file(
    source: str, reading: dict[str, Any], settings: dict[str, Any]
) -> dict[str, "ForecastResult"]:
    from stopwise import forecast as ahead
    from stopwise import read_trials
    from stopwise.display import bar
    from stopwise.errors import require
    from stopwise.rows.task_tables import tables

    require(
        settings["n_max"] is not None,
        "a file needs --n-max, the most trials per policy declared for the study",
    )
    with bar("simulated continuations") as show:
        found = tables(read_trials(source, **reading), design=settings.pop("design"))
        return {table.task or "task": ahead(table, progress=show, **settings) for table in found}

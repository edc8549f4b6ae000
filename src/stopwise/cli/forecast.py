"""``stopwise forecast``: how a running study is likely to end."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.output_files import check_places
from stopwise.cli.planning_tables import show_answers
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import ForecastResult


@takes("forecast")
def forecast(given: Given) -> None:
    """Forecast a running study: the chance of a verdict, and how many more trials it takes.

    stopwise forecast trials.csv --bounds 0,1 --n-max 100
    stopwise forecast cups --minutes-per-trial 3
    """
    from stopwise.display import bar

    check_places(given.html, given.figures)
    path = Path(given.source)
    inside = any((path / name).exists() for name in ("study.yaml", "study.db"))
    with bar("simulated continuations") as show:
        settings = {"progress": show, **given.keywords("simulation")}
        if "://" in given.source or path.suffix == ".db" or inside:
            rules = (given.names("comparison") | {"bounds"}) - {"n_max"}
            given.refuse(rules, "on a study, which has its own")
            forecasts = _of_study(given, settings)
        else:
            forecasts = _of_file(given, settings)
    show_answers(forecasts, given)


def _of_study(given: Given, settings: dict[str, Any]) -> dict[str, "ForecastResult"]:
    from stopwise import Study
    from stopwise.planning.forecast import forecast_study

    with Study.open(given.source) as study:
        return forecast_study(study, n_max=given.n_max, **settings)


def _of_file(given: Given, settings: dict[str, Any]) -> dict[str, "ForecastResult"]:
    from stopwise import forecast, read_trials
    from stopwise.rows.task_tables import tables

    most = "a file needs --n-max, the most trials per policy declared for the study"
    require(given.n_max is not None, most)
    settings = given.keywords("comparison") | settings
    trials = read_trials(given.source, **given.keywords("reading"))
    by_task = tables(trials, design=settings.pop("design"))
    return {table.task or "task": forecast(table, **settings) for table in by_task}

"""Plans and forecasts: printed as tables, and written as pages."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.given import Given
from stopwise.cli.output_files import write_files
from stopwise.cli.printing import json_of, print_notes, print_rows, say
from stopwise.cli.wording import in_options
from stopwise.planning.presentation import TEXT_COLUMNS, planning_page

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import ForecastResult
    from stopwise.planning.plan_result import PlanResult


def show_answers(answers: "Mapping[str, PlanResult | ForecastResult]", given: Given) -> None:
    """Print the answer for each task and write the requested files."""
    for task, answer in () if given.as_json else answers.items():
        if len(answers) > 1:
            typer.echo(f"task {task}")
        say(answer.sentence, style="bold")
        for rows in filter(None, answer.text_tables().values()):
            print_rows(rows, TEXT_COLUMNS)
        print_notes(answer.notes)
    _write(answers, given, "task")


def show_scores(plans: "Mapping[str, PlanResult]", given: Given) -> None:
    """Print one row per score and write the requested files."""
    if not given.as_json:
        fewest = min(plans, key=lambda name: plans[name].shown.mean_trials)
        say(
            f"{fewest} would need the fewest trials on average. Choose the score before the next "
            "study, and choose one that measures what you care about.",
            style="bold",
        )
        rows = [{"score": name, **one.text_row(one.shown)} for name, one in plans.items()]
        print_rows(rows, TEXT_COLUMNS)
        print_notes(dict.fromkeys(note for one in plans.values() for note in one.notes))
    _write(plans, given, "score")


def _write(answers: "Mapping[str, Any]", given: Given, of: str) -> None:
    if given.as_json:
        named = [({of: name} if name else {}) | one.to_dict() for name, one in answers.items()]
        typer.echo(json_of(named))
    typed = {name: replace(one, notes=in_options(one.notes)) for name, one in answers.items()}
    page = partial(planning_page, typed, of.capitalize())
    write_files(page, list(typed.items()), given)

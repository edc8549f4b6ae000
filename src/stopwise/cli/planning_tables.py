"""Plans and forecasts: printed as tables, and written as pages."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import typer

from stopwise.cli.options import OutputOptions, json_of
from stopwise.cli.output_files import write_files
from stopwise.cli.printing import print_notes, print_rows, say
from stopwise.cli.wording import in_options
from stopwise.planning.presentation import TEXT_COLUMNS, planning_page

if TYPE_CHECKING:
    from stopwise.planning.forecast_result import ForecastResult
    from stopwise.planning.plan_result import PlanResult

Answer = TypeVar("Answer", "PlanResult", "ForecastResult")


def show_answers(answers: Mapping[str, Answer], output: OutputOptions) -> None:
    """Print the answer for each task, or the only one, and write the files that are wanted."""
    if output.as_json:
        named = {task: {"task": task} if task else {} for task in answers}
        typer.echo(json_of([{**named[task], **one.to_dict()} for task, one in answers.items()]))
    else:
        for task, answer in answers.items():
            if len(answers) > 1:
                typer.echo(f"task {task}")
            say(answer.sentence, style="bold")
            for rows in filter(None, answer.text_tables().values()):
                print_rows(rows, TEXT_COLUMNS)
            print_notes(answer.notes)
    typed = {task: replace(one, notes=in_options(one.notes)) for task, one in answers.items()}
    write_files(partial(planning_page, typed), list(typed.items()), output)


def show_scores(plans: Mapping[str, "PlanResult"], output: OutputOptions) -> None:
    """Print what each score would need, one row each, and write the files that are wanted."""
    if output.as_json:
        typer.echo(json_of([{"score": name, **one.to_dict()} for name, one in plans.items()]))
    else:
        rows = [{"score": name, **one.summary()} for name, one in plans.items()]
        fewest = min(plans, key=lambda name: plans[name].shown.mean_trials)
        notes = [note for one in plans.values() for note in one.notes]
        say(
            f"{fewest} would need the fewest trials on average. Choose the score before the next "
            "study, and choose one that measures what you care about.",
            style="bold",
        )
        print_rows(rows, TEXT_COLUMNS)
        print_notes(dict.fromkeys(notes))
    typed = {name: replace(one, notes=in_options(one.notes)) for name, one in plans.items()}
    write_files(partial(planning_page, typed, "Score"), list(typed.items()), output)

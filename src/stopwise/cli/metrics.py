"""``stopwise metrics``: which score would need the fewest trials."""

from dataclasses import dataclass
from pathlib import Path

import typer

from stopwise.cli.option_groups import argument, grouped, option
from stopwise.cli.options import ComparisonOptions, MinutesPerTrial, OutputOptions, refuse_unused
from stopwise.cli.output_files import check_places
from stopwise.cli.plan import PlanReadingOptions
from stopwise.cli.values import named_values, parse_bounds


@dataclass(frozen=True, kw_only=True)
class MetricsComparisonOptions(
    ComparisonOptions, left_out=("baseline", "margin", "reference", "lower_is_better", "by")
):
    """The settings with which every score is compared."""

    n_max: int | None = option(
        "Maximum trials per policy; by default as many as there are rollouts."
    )


@dataclass(frozen=True, kw_only=True)
class MetricsReadingOptions(
    PlanReadingOptions, left_out=("file_format", "missing", "order", "seed")
):
    """A file of rollouts with several scores."""


@grouped
def metrics(
    *,
    context: typer.Context,
    file: Path = argument("A file of rollouts.", ...),
    metric: list[str] | None = option(
        "A column of scores and its range; repeat for each score.", metavar="COLUMN=LOW,HIGH"
    ),
    milestone: list[str] | None = option(
        "A column that says whether a milestone was reached; repeat for each.", metavar="COLUMN"
    ),
    comparison: MetricsComparisonOptions,
    reading: MetricsReadingOptions,
    minutes_per_trial: MinutesPerTrial = None,
    seed: int = option("Seed for the random orders.", 0),
    output: OutputOptions,
) -> None:
    """Show how many trials success, partial credit and other scores would need.

    Replays your rollouts in random orders, once per score. Without --metric and --milestone it
    compares the score column with success.
    """
    from stopwise import compare_metrics
    from stopwise.cli.planning_tables import show_answers

    check_places(output.html, output.figures)
    if metric or milestone:
        refuse_unused(context, {"bounds", "score"}, "where columns of scores are named")
    ranges = named_values(metric or [], "COLUMN=LOW,HIGH")
    read = reading.keywords()
    score = read.pop("score")
    if score is not None:
        read["columns"]["score"] = score
    compared = compare_metrics(
        file,
        scores={
            column: parse_bounds(limits, "the range of --metric")
            for column, limits in ranges.items()
        },
        milestones=milestone or (),
        seed=seed,
        minutes_per_trial=minutes_per_trial,
        **read,
        **comparison.keywords(),
    )
    show_answers({"": compared}, output)

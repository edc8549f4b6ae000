"""``stopwise plan``: how many trials a study will take."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import (
    ComparisonOptions,
    MinutesPerTrial,
    OutputOptions,
    ReadingOptions,
    SimulationOptions,
    refuse_unused,
)
from stopwise.cli.output_files import check_places
from stopwise.cli.parameters import number
from stopwise.cli.values import numbers, parse_bounds, refuse_percentages


@dataclass(frozen=True, kw_only=True)
class PlanComparisonOptions(
    ComparisonOptions, left_out=("n_max", "baseline", "by", "adjust", "ties")
):
    """The settings of a plan, whose n_max and baseline are of another kind."""

    design: str | None = option("independent, or paired: one trial each from the same start.")


@dataclass(frozen=True, kw_only=True)
class PlanReadingOptions(ReadingOptions, left_out=("seed",)):
    """A file whose trials are drawn in random order, so that theirs does not matter."""

    bounds: str | None = option('Range of the score: "LOW,HIGH".')


@dataclass(frozen=True, kw_only=True)
class PilotReadingOptions(PlanReadingOptions, left_out=("seed", "score")):
    """A file that may have several scores."""

    scores: list[str] | None = option(
        "The column or measure to compare, if not the default. Repeat for each of several, with "
        "its range: what each would need is shown in one table.",
        name="--score",
        metavar="NAME[=LOW,HIGH]",
    )

    def of_each(self) -> dict[str, dict[str, Any]]:
        """Keywords of ``read_trials`` for each score, by its name."""
        read = self.keywords()
        del read["scores"]
        found = {}
        for text in self.scores or [""]:
            name, equals, limits = text.partition("=")
            bounds = {"bounds": parse_bounds(limits, f"the range of {name}")} if equals else {}
            found[name] = {**read, "score": name or None, **bounds}
        return found


@grouped
def plan(
    *,
    context: typer.Context,
    guesses: list[str] | None = argument(
        "What you expect of each policy: a success rate (0.6), MEAN+-SD (0.5+-0.2), or "
        "score:probability (0:0.2,0.5:0.3,1:0.5). A single guess is the policy to improve on, "
        "by each gap; without any you get a table of gaps.",
        metavar="[GUESS]...",
    ),
    pilot: Path | None = option("A file of trials from a pilot study, instead of guesses."),
    n_max: str | None = option("Maximum trials per policy to consider, e.g. 50,100,200."),
    budget: str | None = option("Maximum trials in total to consider, instead of --n-max."),
    tasks: int = option("With --budget: the number of tasks on which it is spent.", 1),
    stored: int | None = option(
        "How many trials of the first policy were run before: they count, and it is not run again."
    ),
    gaps: str | None = option("Differences between means to consider, e.g. 0.1,0.2."),
    policies: int | None = option("Number of policies."),
    power: float = option("The chance you want of finding a difference that is there.", 0.8),
    comparison: PlanComparisonOptions,
    correlation: float = option(
        "Correlation of scores from the same start, with --design paired.", 0.0
    ),
    alternative: str = option(
        "two-sided; with two policies also greater (is the second better?) or less.", "two-sided"
    ),
    baseline: bool = flag("Compare all policies with the first one only."),
    reading: PilotReadingOptions,
    minutes_per_trial: MinutesPerTrial = None,
    robots: int = option("Robots (or simulators) that run trials at once, for the hours.", 1),
    simulation: SimulationOptions,
    output: OutputOptions,
) -> None:
    """Estimate how many trials a study will take.

    stopwise plan 0.5 0.7 --n-max 100 --minutes-per-trial 3
    stopwise plan --budget 200 --policies 4 --tasks 3

    See also `stopwise forecast`, for a study that is already running.
    """
    from stopwise import plan as make
    from stopwise.cli.planning_tables import show_answers, show_scores
    from stopwise.display import bar
    from stopwise.errors import require

    check_places(output.html, output.folder)
    require(not (guesses and pilot), "give guesses or --pilot, but not both")
    if pilot is None:
        refuse_unused(context, reading.options().keys() - {"bounds"}, "without --pilot")
    found = {}
    for name, read in reading.of_each().items():
        refuse_percentages(comparison.keywords(), read["bounds"])
        with bar(f"simulated studies {name}".rstrip()) as show:
            found[name] = make(
                *(_guess(text) for text in guesses or []),
                pilot=None if pilot is None else _read(pilot, read),
                bounds=read["bounds"] if pilot is None else None,
                n_max=numbers(n_max, "--n-max", int),
                budget=numbers(budget, "--budget", int),
                tasks=tasks,
                stored=stored,
                gaps=numbers(gaps, "--gaps", float),
                policies=policies,
                power=power,
                correlation=correlation,
                alternative=alternative,
                baseline=baseline,
                minutes_per_trial=minutes_per_trial,
                robots=robots,
                progress=show,
                **comparison.keywords(),
                **simulation.keywords(),
            )
    if len(found) > 1:
        show_scores(found, output)
    else:
        show_answers({"": next(iter(found.values()))}, output)


def _read(path: Path, settings: dict[str, Any]) -> Any:
    from stopwise import read_trials  # a plan without a file needs no library that reads files

    return read_trials(path, **settings)


def _guess(text: str) -> Any:
    """A rate, (mean, deviation) or the probabilities of milestones."""
    try:
        if ":" in text:
            parts = (part.split(":") for part in text.split(","))
            return {float(score): number(probability) for score, probability in parts}
        if "±" in text or "+-" in text:
            mean, deviation = text.replace("±", "+-").split("+-")
            return number(mean), number(deviation)
        return number(text)
    except ValueError as error:
        raise Mistyped(
            "a guess must look like 0.6, 0.5+-0.2 or 0:0.2,0.5:0.3,1:0.5 (score:probability), "
            f"but got {text!r}"
        ) from error

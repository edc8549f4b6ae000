"""``stopwise plan``: how many trials a study will take."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from stopwise.cli.command import Command, Mistyped, UsageError, clear_errors, name_of, options_of
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
from stopwise.cli.values import numbers


@dataclass(frozen=True, kw_only=True)
class PlanComparisonOptions(ComparisonOptions, left_out=("n_max", "baseline", "by")):
    """The settings of a plan, whose n_max and baseline are of another kind."""

    design: str | None = option("independent, or paired: one trial each from the same start.")


@dataclass(frozen=True, kw_only=True)
class PlanReadingOptions(ReadingOptions, left_out=("order", "seed")):
    """A file whose trials are drawn in random order, so that theirs does not matter."""

    bounds: str | None = option('Range of the score: "LOW,HIGH".')


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
    proxy: float | None = option(
        "With a simulator beside the robot: the correlation between simulated and real "
        "differences of policies from the same start.",
        metavar="CORRELATION",
    ),
    audit: float | None = option(
        "With a judge, whose correlation with people is --proxy: the chance that people score a "
        "row."
    ),
    alternative: str = option(
        "two-sided; with two policies also greater (is the second better?) or less.", "two-sided"
    ),
    baseline: bool = flag("Compare all policies with the first one only."),
    reading: PlanReadingOptions,
    minutes_per_trial: MinutesPerTrial = None,
    robots: int = option("Robots (or simulators) that run trials at once, for the hours.", 1),
    simulation: SimulationOptions,
    output: OutputOptions,
) -> None:
    """Estimate how many trials a study will take, as in `stopwise plan 0.5 0.7`.

    See also `stopwise forecast`, for a study that is already running, and `stopwise metrics`, to
    find the score that needs the fewest trials.
    """
    from stopwise import plan as make
    from stopwise import read_trials
    from stopwise.cli.planning_tables import show_answers
    from stopwise.display import bar
    from stopwise.errors import require

    check_places(output.html, output.figures)
    require(not (guesses and pilot), "give guesses or --pilot, but not both")
    if pilot is None:
        refuse_unused(context, reading.options().keys() - {"bounds"}, "without --pilot")
    read = reading.keywords()
    with bar("simulated studies") as show:
        made = make(
            *(_guess(text) for text in guesses or []),
            pilot=None if pilot is None else read_trials(pilot, **read),
            bounds=read["bounds"] if pilot is None else None,
            n_max=numbers(n_max, "--n-max", int),
            budget=numbers(budget, "--budget", int),
            stored=stored,
            gaps=numbers(gaps, "--gaps", float),
            policies=policies,
            power=power,
            correlation=correlation,
            proxy=proxy,
            audit=audit,
            alternative=alternative,
            baseline=baseline,
            minutes_per_trial=minutes_per_trial,
            robots=robots,
            progress=show,
            **comparison.keywords(),
            **simulation.keywords(),
        )
    show_answers({"": made}, output)


def _guess(text: str) -> Any:
    """Return a rate, (mean, deviation) or the probabilities of milestones."""
    try:
        if ":" in text:
            parts = (part.split(":") for part in text.split(","))
            return {float(score): float(probability) for score, probability in parts}
        if "±" in text or "+-" in text:
            mean, deviation = text.replace("±", "+-").split("+-")
            return float(mean), float(deviation)
        return float(text)
    except ValueError as error:
        raise Mistyped(
            "a guess must look like 0.6, 0.5+-0.2 or 0:0.2,0.5:0.3,1:0.5 (score:probability), "
            f"but got {text!r}"
        ) from error


# Former options of ``plan``, and the commands that they have become; scripts still use them.
FORMER = {"--continue": "forecast", "--metrics": "metrics"}


class PlanCommand(Command):
    """``stopwise plan``; ``plan --continue X`` is ``forecast X``, ``plan --metrics X`` likewise."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Parse the arguments, or let the command parse them that an option has become."""
        from stopwise.errors import InvalidInput, require

        given = [word.partition("=")[0] for word in args]
        former = [option for option in FORMER if option in given]
        with clear_errors(name_of(parent, info_name)):
            require(len(former) < 2, "give guesses, --pilot, --continue or --metrics, but only one")
            command, words = self, args
            if former:
                command, words = _become(FORMER[former[0]]), _as_argument(args, former[0])
            try:
                # Not the method of Command: the errors below come before its one line.
                return TyperCommand.make_context(command, info_name, words, parent, **extra)
            except UsageError as error:
                unknown = getattr(error, "option_name", None)
                if former and unknown in options_of(self) - options_of(command):
                    raise InvalidInput(f"{unknown} has no effect with {former[0]}") from error
                elsewhere = unknown is not None and not former
                for name in FORMER.values() if elsewhere else ():
                    if unknown in options_of(_become(name)) - options_of(self):
                        raise InvalidInput(f"{unknown} belongs to `stopwise {name}`") from error
                raise


def _become(name: str) -> Any:
    """Return another command, which is not loaded with this one."""
    from stopwise.cli import app_for

    commands: dict[str, Any] = vars(typer.main.get_command(app_for([name])))["commands"]
    return commands[name]


def _as_argument(args: list[str], option: str) -> list[str]:
    """Return the arguments with the value of an option first, as an argument of its own."""
    value: list[str] = []
    rest: list[str] = []
    words = iter(args)
    for word in words:
        name, equals, given = word.partition("=")
        if name == option:
            value = [given] if equals else list(islice(words, 1))
        else:
            rest.append(word)
    return [*value, *rest]

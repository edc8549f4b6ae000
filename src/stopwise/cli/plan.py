"""``stopwise plan``: how many trials a study will take."""

from pathlib import Path
from typing import Any

from stopwise.cli.command import Mistyped, number
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.output_files import check_places
from stopwise.cli.planning_tables import show_answers, show_scores
from stopwise.cli.values import parse_bounds, refuse_percentages
from stopwise.errors import require


@takes("plan")
def plan(given: Given) -> None:
    """Estimate how many trials a study will take.

    stopwise plan 0.5 0.7 --n-max 100 --minutes-per-trial 3
    stopwise plan --budget 200 --policies 4 --tasks 3

    See also `stopwise forecast`, for a study that is already running.
    """
    from stopwise import plan as make
    from stopwise.display import bar

    check_places(given.html, given.figures)
    require(not (given.guesses and given.pilot), "give guesses or --pilot, but not both")
    if given.pilot is None:
        given.refuse({*given.names("reading"), "scores"} - {"bounds"}, "without --pilot")
    settings = given.keywords("comparison")
    plans = {}
    for text in given.scores or [""]:
        name, equals, limits = text.partition("=")
        reading = given.keywords("reading") | {"score": name or None}
        if equals:
            reading["bounds"] = parse_bounds(limits, f"the range of {name}")
        refuse_percentages(settings, reading["bounds"])
        with bar(f"simulated studies {name}".rstrip()) as show:
            plans[name] = make(
                *map(_guess, given.guesses),
                pilot=None if given.pilot is None else _read(given.pilot, reading),
                bounds=reading["bounds"] if given.pilot is None else None,
                progress=show,
                **settings,
                **given.keywords("plan"),
                **given.keywords("simulation"),
            )
    if len(plans) > 1:
        show_scores(plans, given)
    else:
        show_answers({"": next(iter(plans.values()))}, given)


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

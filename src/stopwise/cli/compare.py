"""``stopwise compare``: the quick question, answered in one line."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from stopwise.cli.failing import clear_errors
from stopwise.cli.telling import tell

__all__ = ["compare"]

COUNTS = re.compile(r"(\d+)/(\d+)")


def compare(
    first: Annotated[str, typer.Argument(help="Successes/trials of one policy, or a file.")],
    second: Annotated[str, typer.Argument(help="The same for the other.")],
    alpha: Annotated[float, typer.Option(help="Chance of a false claim.")] = 0.05,
    bounds: Annotated[
        str | None, typer.Option(help='Range of the score in files: "LOW,HIGH".')
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare two policies: `stopwise compare 17/20 14/20`, or two files of scores."""
    from stopwise.errors import require

    with clear_errors("compare"):
        counts = COUNTS.fullmatch(first), COUNTS.fullmatch(second)
        if counts[0] and counts[1]:
            require(bounds is None, "--bounds is for scores in files; counts have none")
            outcome = _from_counts(_pair(counts[0]), _pair(counts[1]), alpha)
        else:
            outcome = _from_files(first, second, alpha, bounds)
    if as_json:
        typer.echo(json.dumps(outcome, indent=2))
    else:
        tell(outcome["sentence"], outcome.get("warnings", ()))


def _pair(match: re.Match[str]) -> tuple[int, int]:
    from stopwise.errors import require

    successes, trials = int(match[1]), int(match[2])
    require(0 <= successes <= trials and trials > 0, f"{match[0]} is no count of successes")
    return successes, trials


def _from_counts(first: tuple[int, int], second: tuple[int, int], alpha: float) -> dict[str, Any]:
    """Answer for counts without order: a batch test, valid if both numbers were fixed before."""
    from scipy.stats import barnard_exact

    from stopwise.errors import require

    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    (x0, n0), (x1, n1) = first, second
    table = [[x1, x0], [n1 - x1, n0 - x0]]
    degenerate = x0 + x1 in (0, n0 + n1)
    p_value = 1.0 if degenerate else float(barnard_exact(table, alternative="two-sided").pvalue)
    if p_value <= alpha:
        better = "second" if x1 / n1 > x0 / n0 else "first"
        verdict = f"The {better} policy is better"
    else:
        better = None
        verdict = "Undecided, which does not show that they are equal"
    sentence = (
        f"{verdict}: {x0}/{n0} against {x1}/{n1}, Barnard's exact test, two-sided p = "
        f"{p_value:.2g}, alpha = {alpha:g}. This batch answer holds only if the numbers of trials "
        "were fixed beforehand and looked at once; to look after every trial and stop early, give "
        "scores in order (stopwise compare a.csv b.csv)."
    )
    return {"better": better, "p_value": p_value, "alpha": alpha, "sentence": sentence}


def _from_files(first: str, second: str, alpha: float, bounds: str | None) -> dict[str, Any]:
    from stopwise import analyze, read_trials
    from stopwise.cli.options import parse_bounds
    from stopwise.errors import require

    for name in (first, second):
        require(
            Path(name).exists() or not COUNTS.fullmatch(name),
            f"give two counts or two files, but not one of each: {first} and {second}",
        )
        require(
            Path(name).exists(),
            f"{name!r} is neither successes/trials, such as 17/20, nor a file",
        )
    require(first != second, f"{first!r}: the same file was given twice")
    names = [Path(name).stem for name in (first, second)]
    if names[0] == names[1]:
        names = [first, second]
    trials = read_trials({names[0]: first, names[1]: second}, bounds=parse_bounds(bounds))
    analysis = analyze(trials, alpha=alpha)
    return analysis.to_dict()

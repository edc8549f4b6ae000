"""``stopwise compare``: the quick question, answered in one line."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli import options
from stopwise.cli.failing import clear_errors
from stopwise.cli.options import column_choices, json_of, parse_bounds, refuse_unused
from stopwise.cli.telling import say, tell_notes

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

__all__ = ["compare"]

SCHEMA = 1
COUNTS = re.compile(r"(\d+)/(\d+)")
# Barnard's test takes a second for so many trials of both policies; beyond, Fisher's is all but it.
MOST_FOR_BARNARD = 4000
MOST_TRIALS = 10**12
# Options that say how to read files, and how to test their scores in order.
OF_FILES = (
    *("method", "n_max", "bounds", "design", "score", "column", "file_format"),
    *("order", "seed", "missing", "pool"),
)


def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(help="Successes/trials of one policy, or a file.")],
    second: Annotated[str, typer.Argument(help="The same for the other.")],
    alpha: Annotated[float, typer.Option(help="Chance of a false claim.")] = 0.05,
    method: options.Method = "nscore-plus",
    n_max: options.NMax = None,
    bounds: options.Bounds = None,
    design: options.Design = "auto",
    score: options.Measure = None,
    column: options.Column = None,
    file_format: options.FileFormat = None,
    order: options.Order = "file",
    seed: Annotated[int | None, typer.Option(help="For a shuffled order.")] = None,
    missing: options.Missing = "error",
    pool: options.Pool = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare two policies: `stopwise compare 17/20 14/20`, or two files of scores."""
    with clear_errors("compare"):
        counts = COUNTS.fullmatch(first), COUNTS.fullmatch(second)
        if counts[0] and counts[1]:
            refuse_unused(context, OF_FILES, "on counts: it is for scores in files")
            answer = _from_counts(_pair(counts[0]), _pair(counts[1]), alpha)
            sentences, contents = [answer["sentence"]], [answer]
        else:
            reading = {
                "bounds": parse_bounds(bounds), "score": score, "columns": column_choices(column),
                "format": file_format, "order": order, "seed": seed, "missing": missing,
            }  # fmt: skip
            settings = {
                "method": method, "alpha": alpha, "n_max": n_max,
                "design": None if design == "auto" else design,
            }  # fmt: skip
            found = _from_files(first, second, reading, settings, pool=pool)
            sentences = [
                analysis.sentence if len(found) == 1 else f"{analysis.task}: {analysis.sentence}"
                for analysis in found
            ]
            contents = [analysis.to_dict() for analysis in found]
    if as_json:
        typer.echo(json_of(contents))
        return
    for sentence in sentences:
        say(sentence, style="bold")
    tell_notes(list(dict.fromkeys(note for content in contents for note in content["warnings"])))


def _pair(match: re.Match[str]) -> tuple[int, int]:
    from stopwise.errors import require

    successes, trials = int(match[1]), int(match[2])
    require(0 <= successes <= trials and trials > 0, f"{match[0]} is no count of successes")
    require(trials <= MOST_TRIALS, f"at most {MOST_TRIALS} trials can be compared, not {trials}")
    return successes, trials


def _from_counts(first: tuple[int, int], second: tuple[int, int], alpha: float) -> dict[str, Any]:
    """Answer for counts without order: a batch test, valid if both numbers were fixed before."""
    from stopwise.errors import require

    require(0 < alpha < 1, f"alpha must lie strictly between 0 and 1, but got {alpha!r}")
    (x0, n0), (x1, n1) = first, second
    method, p_value = _two_sided(first, second)
    test = "Barnard's exact test"
    if method == "fisher":
        test = (
            "Fisher's exact test (valid and a little conservative; Barnard's takes too long with "
            f"more than {MOST_FOR_BARNARD} trials)"
        )
    if p_value <= alpha:
        better = "second" if x1 * n0 > x0 * n1 else "first"
        verdict = f"The {better} policy is better"
    else:
        better = None
        verdict = "Undecided, which does not show that they are equal"
    p_text = f"p = {p_value:.2g}" if p_value > 0 else "p < 1e-300"
    sentence = (
        f"{verdict}: {x0}/{n0} against {x1}/{n1}, {test}, two-sided {p_text}, alpha = {alpha:g}. "
        "This batch answer holds only if the numbers of trials "
        "were fixed beforehand and looked at once; to look after every trial and stop early, give "
        "scores in order (stopwise compare a.csv b.csv)."
    )
    return {
        "schema": SCHEMA,
        "better": better,
        "policies": [
            {"name": name, "successes": successes, "n": trials, "mean": successes / trials}
            for name, (successes, trials) in (("first", first), ("second", second))
        ],
        "method": method,
        "alternative": "two-sided",
        "p_value": p_value,
        "alpha": alpha,
        "sentence": sentence,
        "warnings": [],
    }


def _two_sided(first: tuple[int, int], second: tuple[int, int]) -> tuple[str, float]:
    """Return the test that is used, by its name, and its p-value."""
    (x0, n0), (x1, n1) = first, second
    if n0 + n1 <= MOST_FOR_BARNARD:
        from stopwise.core.barnard import barnard_p_value

        return "barnard", barnard_p_value(x0, n0, x1, n1, two_sided=True)
    from scipy.stats import hypergeom

    # Both directions at half the level each.
    less = hypergeom.cdf(x1, n0 + n1, x0 + x1, n1)
    greater = hypergeom.sf(x1 - 1, n0 + n1, x0 + x1, n1)
    return "fisher", float(min(2 * min(less, greater), 1.0))


def _from_files(
    first: str, second: str, reading: dict[str, Any], settings: dict[str, Any], *, pool: bool
) -> list["Analysis"]:
    from stopwise import analyze, analyze_tasks, read_trials
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
    trials = read_trials({names[0]: first, names[1]: second}, **reading)
    if pool:
        return [analyze(trials, pool=True, **settings)]
    return list(analyze_tasks(trials, **settings).values())

"""``stopwise compare``: the quick question about two policies, answered in one line."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.option_groups import grouped
from stopwise.cli.options import AsJson, ComparisonOptions, ReadingOptions, json_of, refuse_unused
from stopwise.cli.printing import print_notes, say, table_of

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

__all__ = ["compare"]

SCHEMA = 1
COUNTS = re.compile(r"(\d+)/(\d+)")
MOST_TRIALS = 10**12


@dataclass(frozen=True, kw_only=True)
class TwoPolicyOptions(
    ComparisonOptions,
    left_out=("adjust", "ties", "baseline", "goal", "indifference", "allocation"),
):
    """The settings of a single pair: there is nothing to adjust for, and no best of many."""


@grouped
def compare(
    *,
    context: typer.Context,
    first: Annotated[
        str, typer.Argument(help="One policy: SUCCESSES/TRIALS, such as 17/20, or a file.")
    ],
    second: Annotated[
        str | None,
        typer.Argument(
            help="The other policy, in the same form; without it, the first is a table with the "
            "successes and trials of each policy."
        ),
    ] = None,
    comparison: TwoPolicyOptions,
    reading: ReadingOptions,
    pool: Annotated[
        bool, typer.Option("--pool", help="Compare on all tasks together as one.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare two policies: `stopwise compare 17/20 14/20`, or two files of scores."""
    of_files = {*comparison.options(), *reading.options(), "pool"} - {"alpha"}
    if second is None:
        refuse_unused(context, of_files - {"column"}, "on counts: it is for scores in files")
        _tell_counts(first, comparison.alpha, reading.keywords()["columns"], as_json=as_json)
        return
    counts = COUNTS.fullmatch(first), COUNTS.fullmatch(second)
    notes: list[str] = []
    if counts[0] and counts[1]:
        refuse_unused(context, of_files, "on counts: it is for scores in files")
        answer = _from_counts(_pair(counts[0]), _pair(counts[1]), comparison.alpha)
        sentences, contents = [answer["sentence"]], [answer]
    else:
        found = _from_files(first, second, reading.keywords(), comparison.keywords(), pool=pool)
        sentences = [
            analysis.sentence if len(found) == 1 else f"{analysis.task}: {analysis.sentence}"
            for analysis in found
        ]
        contents = [analysis.to_dict() for analysis in found]
        notes = list(dict.fromkeys(note for analysis in found for note in analysis.warnings))
    if as_json:
        typer.echo(json_of(contents))
        return
    for sentence in sentences:
        say(sentence, style="bold")
    print_notes(notes)


def _tell_counts(table: str, alpha: float, columns: dict[str, Any], *, as_json: bool) -> None:
    """Answer for a table with the counts of many policies."""
    from rich.console import Console

    from stopwise import compare_counts

    if COUNTS.fullmatch(table):
        raise Mistyped(f"{table} is one policy: give the other too, or a file with all counts")
    found = compare_counts(Path(table), alpha=alpha, columns=columns)
    if as_json:
        typer.echo(json_of([task.to_dict() for task in found.values()]))
        return
    for task in found.values():
        rows = [
            {
                "policy": policy.name,
                "letters": policy.letters,
                "successes": policy.successes,
                "trials": policy.n,
                "rate": f"{policy.mean:.3f}",
            }
            for policy in task.policies
        ]
        title = f"task {task.task}" if len(found) > 1 else None
        Console(highlight=False).print(table_of(rows, ("policy", "letters"), title=title))
        say(task.sentence, style="bold")


def _pair(match: re.Match[str]) -> tuple[int, int]:
    from stopwise.errors import require

    successes, trials = int(match[1]), int(match[2])
    require(
        0 <= successes <= trials and trials > 0,
        f"{match[0]} must be successes/trials, with at least one trial and no more successes "
        "than trials",
    )
    require(trials <= MOST_TRIALS, f"at most {MOST_TRIALS} trials can be compared, not {trials}")
    return successes, trials


def _from_counts(first: tuple[int, int], second: tuple[int, int], alpha: float) -> dict[str, Any]:
    """Answer for counts without order: a batch test, valid if the numbers were fixed before."""
    from stopwise.errors import require
    from stopwise.questions.counts import MOST_FOR_BARNARD

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
        "This batch answer holds only if the numbers of trials were fixed beforehand and the "
        "results looked at only once; to look after every trial and stop early, give scores in "
        "order (stopwise compare a.csv b.csv)."
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
    from stopwise.questions.counts import MOST_FOR_BARNARD

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

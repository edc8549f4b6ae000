"""``stopwise compare``: the quick question about two policies, or one and a number."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import OPEN, SHOWN, WORSE, ExitCode, code_of
from stopwise.cli.option_groups import argument, grouped, option
from stopwise.cli.options import AsJson, ComparisonOptions, ReadingOptions, json_of, refuse_unused
from stopwise.cli.printing import print_notes, print_tables, say, table_of

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis

COUNTS = re.compile(r"(\d+)/(\d+)")
MOST_TRIALS = 10**12


@dataclass(frozen=True, kw_only=True)
class TwoPolicyOptions(
    ComparisonOptions, left_out=("adjust", "ties", "baseline", "goal", "indifference")
):
    """The settings of a single pair: there is nothing to adjust for, and no best of many."""

    margin: float = option(
        "By how much better a policy must be, in units of the score. Negative: show that "
        "the second is not worse than the first by this much (-0.05).",
        0.0,
    )


@grouped
def compare(
    *,
    context: typer.Context,
    first: str = argument("One policy: SUCCESSES/TRIALS, such as 17/20, or a file.", ...),
    second: str | None = argument(
        "The other policy, in the same form; none with --reference. Without both, the "
        "first is a table with the successes and trials of each policy."
    ),
    comparison: TwoPolicyOptions,
    reading: ReadingOptions,
    exit_code: ExitCode = False,
    as_json: AsJson = False,
) -> None:
    """Compare two policies: two counts, two files of scores, or one and a number.

    stopwise compare 17/20 14/20
    stopwise compare new.csv --reference 0.87 --bounds 0,1
    """
    of_files = {*comparison.options(), *reading.options()} - {"alpha", "reference"}
    if second is None and comparison.reference is None:
        refuse_unused(context, of_files - {"column"}, "on counts: it is for scores in files")
        refuse_unused(context, {"exit_code"}, "on a table of counts: it is for two policies")
        _tell_counts(first, comparison.alpha, reading.keywords()["columns"], as_json=as_json)
        return
    given = [first] if second is None else [first, second]
    _require_one(given, comparison.reference)
    counts = [match for match in map(COUNTS.fullmatch, given) if match]
    notes: list[str] = []
    found: list[Analysis] = []
    if len(counts) == len(given):
        refuse_unused(context, of_files, "on counts: it is for scores in files")
        from stopwise.questions.two_counts import count_beside, counts_of_two

        pairs, number = [_pair(match) for match in counts], comparison.reference
        answer = (
            counts_of_two(pairs[0], pairs[1], comparison.alpha)
            if number is None
            else count_beside(pairs[0], number, comparison.alpha)
        )
        sentences, contents = [answer.sentence], [answer.to_dict()]
        better = {"second": SHOWN, "first": WORSE, "policy": SHOWN, None: OPEN}
        code = better.get(answer.better, WORSE)  # or the number is
    else:
        found = _from_files(given, reading.keywords(), comparison.keywords())
        sentences = [
            analysis.sentence if len(found) == 1 else f"{analysis.task}: {analysis.sentence}"
            for analysis in found
        ]
        contents = [analysis.to_dict() for analysis in found]
        code = code_of(found)
        notes = list(dict.fromkeys(note for analysis in found for note in analysis.warnings))
    if as_json:
        typer.echo(json_of(contents))
    else:
        for number, sentence in enumerate(sentences):
            say(sentence, style="bold")
            if found:
                print_tables(found[number])
        print_notes(notes)
    if exit_code:
        raise typer.Exit(code)


def _require_one(given: list[str], reference: float | None) -> None:
    from stopwise.errors import require

    require(
        len(given) == 1 or reference is None,
        f"{given[0]} is compared with --reference {reference}: {given[-1]} has no place in that",
    )


def _tell_counts(table: str, alpha: float, columns: dict[str, Any], *, as_json: bool) -> None:
    """Answer for a table with the counts of many policies."""
    from rich.console import Console

    from stopwise import compare_counts

    if COUNTS.fullmatch(table):
        raise Mistyped(
            f"{table} is one policy: give the other too, or a file with all counts, or "
            "--reference, the number to compare it with"
        )
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


def _from_files(
    given: list[str], reading: dict[str, Any], settings: dict[str, Any]
) -> list["Analysis"]:
    from stopwise import analyze_tasks, read_trials
    from stopwise.errors import require

    for name in given:
        require(
            Path(name).exists() or not COUNTS.fullmatch(name),
            f"give two counts or two files, but not one of each: {' and '.join(given)}",
        )
        require(
            Path(name).exists(), f"{name!r} is neither successes/trials, such as 17/20, nor a file"
        )
    require(len(set(given)) == len(given), f"{given[0]!r}: the same file was given twice")
    names = [Path(name).stem for name in given]
    if len(set(names)) < len(names):
        names = given
    alone = len(given) == 1  # then its policy is called as the file says, as in a gate
    trials = read_trials(given[0] if alone else dict(zip(names, given, strict=True)), **reading)
    if settings["margin"] < 0 and settings.get("reference") is None:
        settings["baseline"] = names[0]
    return list(analyze_tasks(trials, **settings).values())

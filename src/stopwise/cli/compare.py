"""``stopwise compare``: the quick question about two policies, or one and a number."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import OPEN, SHOWN, WORSE, ExitCode, code_of
from stopwise.cli.option_groups import argument, flag, grouped, option
from stopwise.cli.options import AsJson, ComparisonOptions, ReadingOptions, json_of, refuse_unused
from stopwise.cli.printing import print_analyses, print_rows, say

# What looks like a rate, not like a count.
RATE = re.compile(r"[0-9]*\.?[0-9]+ ?%?")

if TYPE_CHECKING:
    from stopwise.questions.analysis import Analysis


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
    rerun: bool = flag(
        "Whether these are two runs of the same policy on the same scenes: which flip, how the "
        "mean changed, and the smallest difference that such a benchmark can show."
    ),
    exit_code: ExitCode = False,
    as_json: AsJson = False,
) -> None:
    """Compare two policies: two counts, two files of scores, or one and a number.

    stopwise compare 17/20 14/20
    stopwise compare new.csv --reference 0.87 --bounds 0,1
    stopwise compare monday.csv tuesday.csv --rerun
    """
    from stopwise import compare as compared
    from stopwise import read_trials
    from stopwise.errors import require
    from stopwise.questions.counts import is_count

    of_files = {*comparison.options(), *reading.options()} - {"alpha", "reference"}
    if second is None and comparison.reference is None and not rerun:
        refuse_unused(context, of_files - {"column"}, "on counts: it is for scores in files")
        refuse_unused(context, {"exit_code"}, "on a table of counts: it is for two policies")
        _tell_counts(first, comparison.alpha, reading.keywords()["columns"], as_json=as_json)
        return
    given = [first] if second is None else [first, second]
    if rerun:
        own = {*comparison.options()} - {"alpha", "lower_is_better"}
        refuse_unused(context, {*own, "exit_code"}, "on a rerun, which has no better policy")
        require(len(given) == 2, f"a rerun is two runs, but got only {first}: give both")
        how = reading.keywords()
        both = [read_trials(Path(name), **how) for name in given]
        runs = compared(*both, rerun=True, alpha=comparison.alpha)
        if as_json:
            typer.echo(json_of([own.to_dict() for own in runs.values()]))
        for run in () if as_json else runs.values():
            say(run.sentence, style="bold")
        return
    _require_one(given, comparison.reference)
    found: list[Analysis] = []
    if all(map(is_count, given)):
        refuse_unused(context, of_files, "on counts: it is for scores in files")
        answer = compared(*given, alpha=comparison.alpha, reference=comparison.reference)
        contents = [answer.to_dict()]
        better = {"second": SHOWN, "first": WORSE, "policy": SHOWN, None: OPEN}
        code = better.get(answer.better, WORSE)  # or the number is
    else:
        found = _from_files(given, reading.keywords(), comparison.keywords())
        contents = [analysis.to_dict() for analysis in found]
        code = code_of(found)
    if as_json:
        typer.echo(json_of(contents))
    elif not found:
        say(contents[0]["sentence"], style="bold")
    else:
        print_analyses(found)
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
    from stopwise.questions.counts import counted_tasks, is_count

    if is_count(table):
        raise Mistyped(
            f"{table} is one policy: give the other too, or a file with all counts, or "
            "--reference, the number to compare it with"
        )
    found = counted_tasks(Path(table), alpha=alpha, columns=columns)
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
        title = f"{task.task}: " if len(found) > 1 else ""
        say(f"{title}{task.sentence}", style="bold")
        print_rows(rows)


def _from_files(
    given: list[str], reading: dict[str, Any], settings: dict[str, Any]
) -> list["Analysis"]:
    from stopwise import analyze, read_trials
    from stopwise.errors import require
    from stopwise.questions.counts import is_count

    for name in given:
        require(
            Path(name).exists() or not is_count(name),
            f"give two counts or two files, but not one of each: {' and '.join(given)}",
        )
        require(
            Path(name).exists() or not RATE.fullmatch(name),
            f"{name} is a rate, and what it shows depends on the number of trials: give successes "
            "and trials, such as 17/20",
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
    return list(analyze(trials, tasks="each", **settings).values())

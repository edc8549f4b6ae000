"""``stopwise compare``: the quick question about two policies, or one and a number."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import OPEN, SHOWN, WORSE, code_of
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.printing import print_analyses, print_rows, say, tell
from stopwise.errors import InvalidInput, require

# What looks like a rate, not like a count.
RATE = re.compile(r"[0-9]*\.?[0-9]+ ?%?")


@takes("compare")
def compare(given: Given) -> None:
    """Compare two policies: two counts, two files of scores, or one and a number.

    stopwise compare 17/20 14/20
    stopwise compare new.csv --reference 0.87 --bounds 0,1
    stopwise compare monday.csv tuesday.csv --rerun
    """
    from stopwise import compare as compared
    from stopwise.questions.counts import is_count

    asked = given.names("comparison")
    of_files = (asked | given.names("reading")) - {"alpha", "reference"}
    both = [given.first] if given.second is None else [given.first, given.second]
    if given.rerun:
        unused = {*asked, "exit_code"} - {"alpha", "lower_is_better"}
        given.refuse(unused, "on a rerun, which has no better policy")
        tell(_reruns(both, given), given)
        return
    if given.second is None and given.reference is None:
        given.refuse((of_files - {"column"}) | {"exit_code"}, "on a table of counts")
        _tell_counts(given)
        return
    aside = f"{both[0]} is compared with --reference {given.reference}: {both[-1]} has no place"
    require(len(both) == 1 or given.reference is None, f"{aside} in that")
    if all(map(is_count, both)):
        given.refuse(of_files, "on counts: it is for scores in files")
        answer = compared(*both, alpha=given.alpha, reference=given.reference)
        tell([answer], given)
        better = {"second": SHOWN, "first": WORSE, "policy": SHOWN, None: OPEN}
        code = better.get(answer.better, WORSE)  # or the number is
    else:
        answers = _from_files(both, given)
        code = code_of(answers)
        tell(answers, given, partial(print_analyses, answers))
    if given.exit_code:
        raise typer.Exit(code)


def _reruns(both: list[str], given: Given) -> list[Any]:
    """Answers for two runs of the same policies."""
    from stopwise import compare as compared
    from stopwise import read_trials

    require(len(both) == 2, f"a rerun is two runs, but got only {both[0]}: give both")
    runs = [read_trials(Path(name), **given.keywords("reading")) for name in both]
    return list(compared(*runs, rerun=True, alpha=given.alpha).values())


def _tell_counts(given: Given) -> None:
    """Answer for a table with the counts of many policies."""
    from stopwise.questions.counts import counted_tasks, is_count

    if is_count(given.first):
        raise Mistyped(
            f"{given.first} is one policy: give the other too, or a file with all counts, or "
            "--reference, the number to compare it with"
        )
    columns = given.keywords("reading")["columns"]
    tasks = list(counted_tasks(Path(given.first), alpha=given.alpha, columns=columns).values())

    def show() -> None:
        for task in tasks:
            title = f"{task.task}: " if len(tasks) > 1 else ""
            say(f"{title}{task.sentence}", style="bold")
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
            print_rows(rows)

    tell(tasks, given, show)


def _from_files(names: list[str], given: Given) -> list[Any]:
    from stopwise import analyze, read_trials
    from stopwise.questions.counts import is_count

    for name in (name for name in names if not Path(name).exists()):
        mixed = f"give two counts or two files, but not one of each: {' and '.join(names)}"
        require(not is_count(name), mixed)
        require(
            RATE.fullmatch(name) is None,
            f"{name} is a rate, and what it shows depends on the number of trials: give successes "
            "and trials, such as 17/20",
        )
        raise InvalidInput(f"{name!r} is neither successes/trials, such as 17/20, nor a file")
    require(len(set(names)) == len(names), f"{names[0]!r}: the same file was given twice")
    policies = [Path(name).stem for name in names]
    policies = names if len(set(policies)) < len(names) else policies
    alone = len(names) == 1  # then its policy is called as the file says, as in a gate
    source = names[0] if alone else dict(zip(policies, names, strict=True))
    settings = given.keywords("comparison")
    if given.margin < 0 and given.reference is None:
        settings["baseline"] = policies[0]
    trials = read_trials(source, **given.keywords("reading"))
    return list(analyze(trials, tasks="each", **settings).values())

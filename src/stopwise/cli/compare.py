"""``stopwise compare``: the quick question about two policies, or one and a number."""

from functools import partial
from pathlib import Path
from typing import Any

import typer

from stopwise.cli.command import Mistyped
from stopwise.cli.exit_codes import OPEN, SHOWN, WORSE, code_of
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.printing import print_analyses, print_rows, say, tell
from stopwise.errors import require


@takes("compare")
def compare(given: Given) -> None:
    """Compare two policies: two counts, two files of scores, or one and a number.

    stopwise compare 17/20 14/20
    stopwise compare new.csv --reference 0.87 --bounds 0,1
    stopwise compare monday.csv tuesday.csv --rerun
    """
    from stopwise import compare as compared
    from stopwise.questions.counts import is_count

    both = [given.first] if given.second is None else [given.first, given.second]
    settings, reference = given.typed("comparison", "reading"), given.reference
    aside = f"{both[0]} is compared with --reference {reference}: {both[-1]} has no place in that"
    require(len(both) == 1 or reference is None, aside)
    if given.rerun:
        given.refuse({"exit_code"}, "on a rerun, which has no better policy")
        tell(list(compared(*both, rerun=True, **settings).values()), given)
        return
    if all(map(is_count, both)):
        if len(both) == 1 and reference is None:
            raise Mistyped(f"{both[0]} is one policy: give the other too, or --reference")
        given.refuse({"bounds"}, "on counts: it is for scores in files")
        answer = compared(*both, **settings)
        tell([answer], given)
        better = {"second": SHOWN, "first": WORSE, "policy": SHOWN, None: OPEN}
        code = better.get(answer.better, WORSE)  # or the number is
    elif len(both) == 1 and reference is None:
        trials = f"if each row is one trial, use `stopwise analyze {given.first}`"
        given.refuse({"exit_code", "bounds"}, f"on a table of counts; {trials}")
        answers = list(compared(both[0], tasks="each", **settings).values())
        tell(answers, given, partial(_show_counts, answers))
        return
    else:
        answers = _of_files(both, settings)
        tell(answers, given, partial(print_analyses, answers))
        code = code_of(answers)
    if given.exit_code:
        raise typer.Exit(code)


def _of_files(names: list[str], settings: dict[str, Any]) -> list[Any]:
    from stopwise import analyze
    from stopwise import compare as compared
    from stopwise.questions.compare import refuse_rates

    refuse_rates(*names)
    if len(names) == 1:  # its policy is called as the file says, as in a gate
        return list(analyze(names[0], tasks="each", **settings).values())
    stems = [Path(name).stem for name in names]
    policies = names if stems[0] == stems[1] else stems
    return list(compared(*names, names=policies, tasks="each", **settings).values())


def _show_counts(answers: list[Any]) -> None:
    for task in answers:
        title = f"{task.task}: " if len(answers) > 1 else ""
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

"""``stopwise watch``: read growing results again and again until there are enough."""

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from stopwise.cli.evidence import candidates_text, rows_text
from stopwise.cli.exit_codes import OPEN, SHOWN, code_of
from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.printing import print_analyses, say
from stopwise.cli.values import stored_scores, trial_source
from stopwise.cli.wording import in_words
from stopwise.messages import counted

if TYPE_CHECKING:
    from stopwise.rollout.sight import TaskSight
    from stopwise.rollout.watch import Watch

# Exit code of --once for "go on".
GO_ON = 3


@takes("watch")
def watch(given: Given) -> None:
    """Watch result files as they grow, and say when to stop the evaluation.

    stopwise watch results --bounds 0,1 --n-max 100
    stopwise watch --policy old=old.csv --policy new=new.csv --bounds 0,1 --once

    Reads the same files as `analyze`: lerobot, CSV, monitor files and more.
    """
    from stopwise.rollout.watch import Watch

    settings, reading = given.keywords("comparison"), given.keywords("reading")
    try:
        with Watch(
            trial_source(given.files, given.policy),
            reading=reading,
            design=settings.pop("design") or "auto",
            settings=settings,
            stored=stored_scores(given.stored, **reading),
            state=given.state,
            **given.keywords("tasks"),
            **given.keywords("report"),
        ) as watching:
            sights = watching.look() if given.once else _until_enough(watching, given)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    stop = all(sight.stop for sight in sights)
    known = [sight.analysis for sight in sights if sight.analysis is not None]
    if given.once and given.as_json:
        _print_json(sights)
    elif not given.as_json:
        if known:
            print_analyses(known)
        for sight in sights:
            say(_line(sight))
        over = "stop: no more trials are needed, or n_max is reached"
        typer.echo(over if stop else "go on: more trials are needed")
    if given.exit_code:
        code = code_of(known)
        raise typer.Exit(OPEN if code == SHOWN and len(known) < len(sights) else code)
    raise typer.Exit(0 if stop or not given.once else GO_ON)


def _until_enough(watching: "Watch", given: Given) -> Sequence["TaskSight"]:
    """Look until every task has enough trials, and print whatever is new."""
    from stopwise.errors import InvalidInput
    from stopwise.rollout.watch import PastChanged

    last: list[str] = []
    while True:
        sights: Sequence[TaskSight] = ()
        try:
            sights = watching.look()
            lines = [*map(_line, sights), *_unfinished(sights)]
        except PastChanged:
            raise
        except InvalidInput as error:  # a file may be incomplete or missing
            if error.code == "no-such-file" and not given.wait:
                raise
            lines = [f"waiting: {in_words(error)}"]
        if lines != last:
            last = lines
            if given.as_json and sights:
                _print_json(sights)
            else:
                for line in lines:
                    say(line, err=True)
        if sights and all(sight.stop for sight in sights):
            return sights
        time.sleep(given.interval)


def _unfinished(sights: Sequence["TaskSight"]) -> list[str]:
    """Note on an unfinished last line: if nobody completes it, its trial is lost."""
    notes = [note for sight in sights for note in sight.notes]
    return list(dict.fromkeys(n for n in notes if getattr(n, "code", "") == "line-unfinished"))


def _print_json(sights: Sequence["TaskSight"]) -> None:
    stop = all(sight.stop for sight in sights)
    typer.echo(json.dumps({"stop": stop, "tasks": [sight.to_dict() for sight in sights]}))


def _line(sight: "TaskSight") -> str:
    best = not sight.standings and bool(sight.candidates)  # no pairs are asked about
    if sight.stop:
        reason = f"{sight.best} is named" if best else "every pair is decided"
        why = reason if sight.decided else "the maximum is reached"
        why = "a decision by n_max had become unlikely" if sight.futile else why
        return f"task {sight.task}: stop after {counted(sight.rows, 'row')}, {why}"
    parts = [rows_text(sight.rows, sight.n_max, sight.remaining)]
    if sight.futile:
        parts.append("a decision by n_max has become unlikely")
    if best:
        parts.append(candidates_text(sight.candidates))
    if sight.needed:
        parts.append(f"needs more trials of {', '.join(dict.fromkeys(sight.needed))}")
    if sight.awaited:
        parts.append(f"waits for {', '.join(sight.awaited)} to come")
    if sight.waiting and sight.needed:
        held = counted(sight.waiting, "trial waits", "trials wait")
        parts.append(f"{held} for the rest of the row{' or will not be needed' if best else ''}")
    return f"task {sight.task}: {'; '.join(parts)}"

"""``stopwise study run``: trials in the terminal, one after the other."""

import signal
import socket
import time
import uuid
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stopwise.cli.study.chart import evidence_chart
from stopwise.cli.study.keeping import keeping
from stopwise.cli.study.session import Place, Who, opened

if TYPE_CHECKING:
    from stopwise.study.study import Study
    from stopwise.study.views import Assignment

__all__ = ["run"]

HELP = "or: undo (the trial before), void REASON, release, quit"
HELP_AGAIN = "or: void REASON, back (leave it as it was)"
SECONDS_BETWEEN_LOOKS = 5.0
MOST = 6  # pairs of a task whose evidence is shown after each score


def run(
    place: Place = ".",
    station: Annotated[str | None, typer.Option(help="The name of this robot.")] = None,
    task: Annotated[str | None, typer.Option(help="Only trials of this task.")] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait while others hold what is left.")
    ] = True,
    evidence: Annotated[
        bool,
        typer.Option("--evidence/--no-evidence", help="Show after each score how far it has come."),
    ] = True,
    who: Who = None,
) -> None:
    """Ask for trial after trial and show the evidence; stop and go on whenever you like.

    Every answer is stored before the next question: nothing is lost if the power fails.
    """
    own = socket.gethostname() if station is None else station
    with opened(place, "run") as study:
        waiting = False
        while True:
            trial = study.next_trial(own, task=task, who=who)
            if trial is None:
                if study.finished or not wait:
                    break
                if not waiting:
                    typer.echo("Other stations hold what is left; waiting (Ctrl-C ends).")
                waiting = True
                time.sleep(SECONDS_BETWEEN_LOOKS)
                continue
            waiting = False
            with keeping(study, trial, who):
                go_on = _one_trial(study, trial, who, last=study.last_scored(own))
            if not go_on:
                return
            if evidence:
                verdict = study.verdict()
                typer.echo(evidence_chart(verdict, named=not verdict.blinded, most=MOST))
        typer.echo("Nothing is left to try: stop." if study.finished else "Nothing to do now.")
        if evidence or study.finished:
            typer.echo(str(study.verdict()))
        if study.finished and not study.unblinded:
            typer.echo(f"Next: stopwise study unblind {place}; stopwise study report {place}")
            typer.echo(f"A wrong score, before that: stopwise study correct TRIAL SCORE {place}")


def _one_trial(study: "Study", trial: "Assignment", who: str | None, last: int | None) -> bool:
    """Run one trial to its score, or to what else was typed; return whether to go on."""
    from stopwise.cli.study.answers import in_words, parse_answer
    from stopwise.errors import NotAllowed, StopwiseError

    _show(trial)
    key, began = f"terminal {uuid.uuid4()}", time.monotonic()
    while True:
        typed = _ask(trial, trial.rubric, HELP)
        try:
            if typed == "quit":
                study.release(trial.trial, station=trial.station, reason="quit", who=who)
                return False
            if typed.partition(" ")[0] == "undo":
                _enter_again(study, trial, last, who or trial.station)
                _show(trial)
                continue
            if not _did_something_else(study, trial, typed, who):
                answer = parse_answer(trial.rubric, typed)
                seconds = round(time.monotonic() - began, 1)
                saved = study.record(
                    trial.trial, answer, station=trial.station, key=key, seconds=seconds, who=who
                )
                rest = "" if saved.counted else "; not counted, as another result came first"
                text = f"{in_words(answer)}, score {saved.score:.3g}{rest}"
                typer.echo(f"saved: trial {trial.trial}, {text}")
            return True
        except NotAllowed as error:
            if typed == "quit":
                typer.echo(f"trial {trial.trial} stays yours: it was run and needs its score")
                return False
            # Perhaps it was voided meanwhile: what is ours now is asked for anew.
            typer.echo(str(error), err=True)
            return True
        except StopwiseError as error:
            typer.echo(str(error), err=True)


def _ask(trial: "Assignment", rubric: dict[str, Any], others: str) -> str:
    """Return what was typed; Ctrl-C ends, and the trial stays with its station."""
    from stopwise.cli.study.answers import question

    if hasattr(signal, "siginterrupt"):
        # polars lets the system resume what Ctrl-C broke off, so that it would wait for Enter.
        signal.siginterrupt(signal.SIGINT, True)
    try:
        typed = typer.prompt(f"{question(rubric)}\n  {others}\n", prompt_suffix="> ")
    except typer.Abort as error:
        kept = f"trial {trial.trial} stays with station {trial.station}"
        typer.echo(f"\nstopwise study run: interrupted; {kept}", err=True)
        raise typer.Exit(130) from error
    return str(typed).strip()


def _did_something_else(study: "Study", trial: "Assignment", typed: str, who: str | None) -> bool:
    """Release or void, if that was typed."""
    name = who or trial.station
    word, _, rest = typed.partition(" ")
    if word == "release":
        study.release(trial.trial, station=trial.station, reason=rest, who=name)
        typer.echo(f"given back: trial {trial.trial}")
    elif word == "void":
        study.void(trial.trial, rest, who=name)
        typer.echo(f"voided: trial {trial.trial}; its place is tried again")
    else:
        return False
    return True


def _enter_again(study: "Study", trial: "Assignment", last: int | None, who: str) -> None:
    """Ask for the score of the trial before and replace it in one step; the one at hand stays."""
    from stopwise.cli.study.answers import in_words, parse_answer
    from stopwise.errors import InvalidInput, require

    require(last is not None, "there is no trial before this one")
    assert last is not None
    rubric = study.rubric(last)
    while True:
        typer.echo(f"\ntrial {last}: its score again")
        typed = _ask(trial, rubric, HELP_AGAIN)
        word, _, rest = typed.partition(" ")
        try:
            if word == "void":
                study.void(last, rest, who=who)
                typer.echo(f"voided: trial {last}; its place is tried again")
            elif typed != "back":
                answer = parse_answer(rubric, typed)
                # Said here only: who corrects as the owner must not learn a score by trying.
                if answer == study.answer(last):
                    typer.echo(f"trial {last}: that is its score already, {in_words(answer)}")
                    return
                study.correct(last, answer, "typed wrongly", who=who)
                typer.echo(f"corrected: trial {last}, {in_words(answer)}")
            return
        except InvalidInput as error:
            typer.echo(str(error), err=True)


def _show(trial: "Assignment") -> None:
    typer.echo(f"\ntrial {trial.trial}   CODE {trial.code}   {trial.task}")
    if trial.condition:
        typer.echo(f"start from: {trial.condition}")
    if trial.instructions:
        typer.echo(trial.instructions)

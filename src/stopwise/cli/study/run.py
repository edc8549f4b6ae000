"""``stopwise study run``: trials in the terminal, one after the other."""

import signal
import socket
import time
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from stopwise.cli.study.chart import evidence_chart
from stopwise.cli.study.keeping import keeping
from stopwise.cli.study.session import Place, Who, opened

if TYPE_CHECKING:
    from stopwise.study.study import Study
    from stopwise.study.views import Assignment

__all__ = ["run"]

HELP = "or: undo (the trial before), void REASON, release, quit"
SECONDS_BETWEEN_LOOKS = 5.0


def run(
    place: Place = ".",
    station: Annotated[str | None, typer.Option(help="The name of this robot.")] = None,
    task: Annotated[str | None, typer.Option(help="Only trials of this task.")] = None,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait while others hold what is left.")
    ] = True,
    who: Who = None,
) -> None:
    """Ask for trial after trial and show the evidence; stop and go on whenever you like.

    Every answer is stored before the next question: nothing is lost if the power fails.
    """
    own = station or socket.gethostname()
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
            verdict = study.verdict()
            typer.echo(evidence_chart(verdict, named=not verdict.blinded))
        typer.echo("Nothing is left to try: stop." if study.finished else "Nothing to do now.")
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
        typed = _ask(trial)
        try:
            if typed == "quit":
                study.release(trial.trial, station=trial.station, reason="quit", who=who)
                return False
            if not _did_something_else(study, trial, typed, who, last):
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


def _ask(trial: "Assignment") -> str:
    """Return what was typed; Ctrl-C ends, and the trial stays with its station."""
    from stopwise.cli.study.answers import question

    if hasattr(signal, "siginterrupt"):
        # polars lets the system resume what Ctrl-C broke off, so that it would wait for Enter.
        signal.siginterrupt(signal.SIGINT, True)
    try:
        typed = typer.prompt(f"{question(trial.rubric)}\n  {HELP}\n", prompt_suffix="> ")
    except typer.Abort as error:
        kept = f"trial {trial.trial} stays with station {trial.station}"
        typer.echo(f"\nstopwise study run: interrupted; {kept}", err=True)
        raise typer.Exit(130) from error
    return str(typed).strip()


def _did_something_else(
    study: "Study", trial: "Assignment", typed: str, who: str | None, last: int | None
) -> bool:
    """Release, void or undo, if that was typed."""
    from stopwise.errors import require

    name = who or trial.station
    word, _, rest = typed.partition(" ")
    if word == "release":
        study.release(trial.trial, station=trial.station, reason=rest, who=name)
        typer.echo(f"given back: trial {trial.trial}")
    elif word == "void":
        study.void(trial.trial, rest, who=name)
        typer.echo(f"voided: trial {trial.trial}; its place is tried again")
    elif word == "undo":
        require(last is not None, "there is no trial before this one")
        assert last is not None
        # The trial at hand goes back, so that the one before can be entered again.
        study.release(trial.trial, station=trial.station, reason="undo", who=name)
        study.undo(last, reason="typed wrongly", who=name)
        typer.echo(f"withdrawn: the score of trial {last}; enter it again")
    else:
        return False
    return True


def _show(trial: "Assignment") -> None:
    typer.echo(f"\ntrial {trial.trial}   CODE {trial.code}   {trial.task}")
    if trial.condition:
        typer.echo(f"start from: {trial.condition}")
    if trial.instructions:
        typer.echo(trial.instructions)

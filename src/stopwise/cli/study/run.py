"""``stopwise study run``: trials in the terminal, one after the other."""

import socket
import time
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from stopwise.cli.study.chart import evidence_chart
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
        while True:
            trial = study.next_trial(own, task=task, who=who)
            if trial is None:
                if study.finished or not wait:
                    break
                typer.echo("Other stations hold what is left; waiting.")
                time.sleep(SECONDS_BETWEEN_LOOKS)
                continue
            if not _one_trial(study, trial, who, last=study.last_scored(own)):
                return
            verdict = study.verdict()
            typer.echo(evidence_chart(verdict, named=not verdict.blinded))
        typer.echo("Nothing is left to try: stop." if study.finished else "Nothing to do now.")
        typer.echo(str(study.verdict()))


def _one_trial(study: "Study", trial: "Assignment", who: str | None, last: int | None) -> bool:
    """Run one trial to its score, or to what else was typed; return whether to go on."""
    from stopwise.cli.study.answers import parse_answer, question
    from stopwise.errors import StopwiseError

    _show(trial)
    key, began = f"terminal {uuid.uuid4()}", time.monotonic()
    study.start(trial.trial, station=trial.station, who=who)
    while True:
        typed = typer.prompt(f"{question(trial.rubric)}\n  {HELP}\n", prompt_suffix="> ").strip()
        try:
            if typed == "quit":
                study.release(trial.trial, station=trial.station, reason="quit", who=who)
                return False
            if not _did_something_else(study, trial, typed, who, last):
                answer = parse_answer(trial.rubric, typed)
                seconds = round(time.monotonic() - began, 1)
                study.record(
                    trial.trial, answer, station=trial.station, key=key, seconds=seconds, who=who
                )
            return True
        except StopwiseError as error:
            typer.echo(str(error), err=True)


def _did_something_else(
    study: "Study", trial: "Assignment", typed: str, who: str | None, last: int | None
) -> bool:
    """Release, void or undo, if that was typed."""
    from stopwise.errors import require

    name = who or trial.station
    word, _, rest = typed.partition(" ")
    if word == "release":
        study.release(trial.trial, station=trial.station, reason=rest, who=name)
    elif word == "void":
        study.void(trial.trial, rest, who=name)
    elif word == "undo":
        require(last is not None, "there is no trial before this one")
        assert last is not None
        # The trial at hand goes back, so that the one before can be entered again.
        study.release(trial.trial, station=trial.station, reason="undo", who=name)
        study.undo(last, reason="typed wrongly", who=name)
    else:
        return False
    return True


def _show(trial: "Assignment") -> None:
    typer.echo(f"\ntrial {trial.trial}   CODE {trial.code}   {trial.task}")
    if trial.condition:
        typer.echo(f"start from: {trial.condition}")
    if trial.instructions:
        typer.echo(trial.instructions)

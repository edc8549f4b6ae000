"""``stopwise study run``: a session of trials at the terminal."""

import signal
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.study.opening import is_served, open_link, open_study
from stopwise.errors import NotAllowed, StopwiseError

if TYPE_CHECKING:
    from stopwise.study.runner import Desk
    from stopwise.study.views import Assignment

SECONDS_BETWEEN_LOOKS = 5.0


@takes("run")
def run(given: Given) -> None:
    """Run trials at the terminal, one after another; quit and resume whenever you like.

    Every answer is stored before the next question, so nothing is lost if the power fails. A study
    that another machine serves is run by an operator's link.
    """
    study: Desk
    served = is_served(given.place)
    if served:
        study = link = open_link(given.place)
        usual = link.name
    else:
        study = open_study(given.place)
        usual = socket.gethostname()
    station_name, who, place = (
        usual if given.station is None else given.station,
        given.who,
        given.place,
    )
    with study:
        waiting = False
        while True:
            _go_through_checks(study, station_name, who)
            trial = study.next_trial(station_name, task=given.task, who=who)
            if trial is not None:
                waiting = False
                with keeping(study, trial, who):
                    if not _one_trial(study, trial, who):
                        return
                continue
            if study.finished:
                break
            if not waiting:
                typer.echo("Other stations hold the trials that are left; waiting (Ctrl-C to end).")
            waiting = True
            time.sleep(SECONDS_BETWEEN_LOOKS)
        typer.echo("No trials are left: stop.")
        if served:
            return
        typer.echo(str(study.verdict()))
        if not study.status().unblinded:
            typer.echo(f"Next: stopwise study unblind {place}; stopwise study report {place}")
            typer.echo(f"To correct a score first: stopwise study correct {place} TRIAL SCORE")


def _go_through_checks(study: "Desk", station: str, who: str | None) -> None:
    """Ask for the start-of-day check list, if it is due."""
    from stopwise.study.check_lists import Check

    checks = study.checks_due(station)
    if not checks or study.holding(station) is not None:
        return
    typer.echo("Before the first trial of the day:")
    ticked = [item for item in checks if typer.confirm(f"  {item}?", default=True)]
    note = typer.prompt("What is not as it should be?") if len(ticked) < len(checks) else ""
    study.do(Check(station=station, ticked=tuple(ticked), note=note), who=who)


def _one_trial(study: "Desk", trial: "Assignment", who: str | None) -> bool:
    """Run one trial until it is scored or given back; return whether to go on."""
    from stopwise.study.rubric import in_words, parse_answer

    typer.echo(f"\ntrial {trial.trial}   CODE {trial.code}   {trial.task}")
    if trial.condition:
        typer.echo(f"start from: {trial.condition}")
    if trial.instructions:
        typer.echo(trial.instructions)
    key, began = f"terminal {uuid.uuid4()}", time.monotonic()
    while True:
        typed = _ask(trial)
        word, _, rest = typed.partition(" ")
        try:
            if typed == "quit":
                typer.echo(f"trial {trial.trial} stays with station {trial.station}")
                return False
            if word == "release":
                study.release(trial.trial, station=trial.station, reason=rest, who=who)
                typer.echo(f"given back: trial {trial.trial}")
                return True
            answer = parse_answer(trial.rubric, typed)
            seconds = round(time.monotonic() - began, 1)
            saved = study.record(
                trial.trial, answer, station=trial.station, key=key, seconds=seconds, who=who
            )
        except NotAllowed as error:
            # Perhaps it was voided meanwhile: what is ours now is asked for anew.
            typer.echo(str(error), err=True)
            return True
        except StopwiseError as error:
            typer.echo(str(error), err=True)
            continue
        text = in_words(answer)
        if saved.score is not None and trial.rubric["kind"] != "preference":
            text += f", score {saved.score:.3g}"
        late = "" if saved.counted else "; not counted, since another result came first"
        typer.echo(f"saved: trial {trial.trial}, {text}{late if saved.score is not None else ''}")
        return True


def _ask(trial: "Assignment") -> str:
    """Read an answer; Ctrl-C ends, and the trial stays with its station."""
    from stopwise.study.rubric import question

    if hasattr(signal, "siginterrupt"):
        # polars lets the system resume what Ctrl-C broke off, so that it would wait for Enter.
        signal.siginterrupt(signal.SIGINT, True)
    others = "or: release REASON (give it back: it counts as the worst score), quit"
    try:
        typed = typer.prompt(f"{question(trial.rubric)}\n  {others}\n", prompt_suffix="> ")
    except typer.Abort as error:
        kept = f"trial {trial.trial} stays with station {trial.station}"
        typer.echo(f"\nstopwise study run: interrupted; {kept}", err=True)
        raise typer.Exit(130) from error
    return str(typed).strip()


@contextmanager
def keeping(study: "Desk", trial: "Assignment", who: str | None) -> Iterator[None]:
    """Start a trial and renew its lease until it ends.

    Otherwise a slow trial could be handed out again, and which of two results counts would depend
    on how long each took, and so perhaps on its score.
    """
    over = threading.Event()
    study.start(trial.trial, station=trial.station, who=who)
    held = study.holding(trial.station)
    half_time = (held or trial).seconds_left / 2

    def renew() -> None:
        while not over.wait(half_time):
            try:
                study.start(trial.trial, station=trial.station, who=who)
            except NotAllowed:
                return  # it was voided meanwhile
            except StopwiseError:
                continue  # a store that is away may come back

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()

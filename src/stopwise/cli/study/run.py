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

from stopwise.cli.evidence import print_evidence
from stopwise.cli.study.opening import (
    Served,
    Who,
    is_served,
    open_link,
    open_study,
    warn_if_readable,
)
from stopwise.errors import NotAllowed, StopwiseError, require

if TYPE_CHECKING:
    from stopwise.study.runner import Desk
    from stopwise.study.views import Assignment

HELP = "or: release REASON (give it back: it counts as the worst score), quit"
HELP_FIRST = "or: quit"  # one of two that are compared, or one that is over, is not given back
SECONDS_BETWEEN_LOOKS = 5.0
MOST_PAIRS = 6  # pairs of a task whose evidence is shown after each score


def run(
    place: Served = ".",
    station: str | None = typer.Option(
        None, help="Name of this robot; defaults to the computer's name, or that of the token."
    ),
    task: str | None = typer.Option(None, help="Run only trials of this task."),
    wait: bool = typer.Option(
        True, "--wait/--no-wait", help="Wait while other stations hold the trials that are left."
    ),
    evidence: bool = typer.Option(
        False,
        "--evidence/--no-evidence",
        help="Show the evidence after each score; whoever scores should not see it.",
    ),
    who: Who = None,
) -> None:
    """Run trials at the terminal, one after another; quit and resume whenever you like.

    Every answer is stored before the next question, so nothing is lost if the power fails. A study
    that another machine serves is run by an operator's link.
    """
    served = is_served(place)
    require(not served or not evidence, "over the network, whoever scores sees no evidence")
    study: Desk
    if served:
        study = link = open_link(place)
        own = link.name if station is None else station
    else:
        study = folder = open_study(place)
        warn_if_readable(folder)
        own = socket.gethostname() if station is None else station
    with study:
        waiting = False
        while True:
            _go_through_checks(study, own, who)
            trial = study.next_trial(own, task=task, who=who)
            if trial is None:
                if study.finished or not wait:
                    break
                if not waiting:
                    typer.echo(
                        "Other stations hold the trials that are left; waiting (Ctrl-C to end)."
                    )
                waiting = True
                time.sleep(SECONDS_BETWEEN_LOOKS)
                continue
            waiting = False
            with keeping(study, trial, who):
                go_on = _one_trial(study, trial, who)
            if not go_on:
                return
            if evidence:
                verdict = study.verdict()
                print_evidence(verdict, named=not verdict.blinded, most=MOST_PAIRS)
        typer.echo("No trials are left: stop." if study.finished else "Nothing to do now.")
        if served:
            return
        if evidence or study.finished:
            typer.echo(str(study.verdict()))
        if study.finished and not study.status().unblinded:
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
    together = trial.rubric["kind"] == "preference"
    help_text = HELP_FIRST if together and "first" not in trial.rubric else HELP
    while True:
        typed = _ask(trial, help_text)
        word, _, rest = typed.partition(" ")
        try:
            if typed == "quit":
                typer.echo(f"trial {trial.trial} stays with station {trial.station}")
                return False
            if word == "release":
                study.release(trial.trial, station=trial.station, reason=rest, who=who)
                typer.echo(f"given back: trial {trial.trial}")
            else:
                answer = parse_answer(trial.rubric, typed)
                seconds = round(time.monotonic() - began, 1)
                saved = study.record(
                    trial.trial, answer, station=trial.station, key=key, seconds=seconds, who=who
                )
                text = in_words(answer)
                if saved.score is not None:
                    text += "" if together else f", score {saved.score:.3g}"
                    late = "; not counted, since another result came first"
                    text += "" if saved.counted else late
                typer.echo(f"saved: trial {trial.trial}, {text}")
            return True
        except NotAllowed as error:
            # Perhaps it was voided meanwhile: what is ours now is asked for anew.
            typer.echo(str(error), err=True)
            return True
        except StopwiseError as error:
            typer.echo(str(error), err=True)


def _ask(trial: "Assignment", others: str) -> str:
    """What was typed; Ctrl-C ends, and the trial stays with its station."""
    from stopwise.study.rubric import question

    if hasattr(signal, "siginterrupt"):
        # polars lets the system resume what Ctrl-C broke off, so that it would wait for Enter.
        signal.siginterrupt(signal.SIGINT, True)
    try:
        typed = typer.prompt(f"{question(trial.rubric)}\n  {others}\n", prompt_suffix="> ")
    except typer.Abort as error:
        kept = f"trial {trial.trial} stays with station {trial.station}"
        typer.echo(f"\nstopwise study run: interrupted; {kept}", err=True)
        raise typer.Exit(130) from error
    return str(typed).strip()


@contextmanager
def keeping(study: "Desk", trial: "Assignment", who: str | None) -> Iterator[None]:
    """Start a trial, and say at half time of each lease that it still runs.

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

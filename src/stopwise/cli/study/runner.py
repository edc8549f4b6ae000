"""``stopwise study runner``: a program at the robot that starts the policies."""

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from stopwise.cli.given import Given
from stopwise.cli.options import takes
from stopwise.cli.study.opening import is_served, open_study
from stopwise.errors import require

if TYPE_CHECKING:
    from stopwise.study.runner import Desk
    from stopwise.study.runner_file import RunnerFile


@takes("runner")
def runner(given: Given) -> None:
    """Start the policy of each trial when the operator taps Start, so nobody has to know which.

    Its output does not reveal which policy it is. Ctrl-C stops the running policy.
    """
    from stopwise.study.runner import Runner
    from stopwise.study.runner_file import RunnerFile

    place, served = given.place, is_served(given.place)
    path = given.file or (Path() if served else Path(place)) / "runner.yaml"
    if not path.exists():
        _write(path, place, served=served)
        return
    content = RunnerFile.read(path)
    with ExitStack() as stack:
        desk = _desk(stack, place, content, served=served)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        place_name = socket.gethostname() if given.station is None else given.station
        folder = given.logs or path.with_name("runner-logs")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(folder / "runner.log") as say:
            Runner(desk, place_name, content, folder, say).run()
            say("No trials are left: stop.")


@contextmanager
def _alone(log: Path) -> Iterator[Callable[[str], None]]:
    """Yield a function that prints; other output, such as a policy's, goes to a private file."""
    out, errors = os.dup(1), os.dup(2)
    private = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.dup2(private, 1)
        os.dup2(private, 2)
        with os.fdopen(os.dup(out), "w", buffering=1) as people:
            yield lambda text: print(text, file=people)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(out, 1)
        os.dup2(errors, 2)
        for descriptor in (private, out, errors):
            os.close(descriptor)


def _desk(stack: ExitStack, place: str, content: "RunnerFile", *, served: bool) -> "Desk":
    """The study: its folder on this machine, or a client of its server."""
    from stopwise.web.client import StudyClient

    if not served:
        return stack.enter_context(open_study(place))
    require(
        "#" not in place,
        "the address holds a token, which others can see in the list of processes: write it into "
        "the runner's file, as `token: ...`",
    )
    require(content.token is not None, "the runner's file needs a `token` of role runner")
    return stack.enter_context(StudyClient(place, content.token, retry_seconds=5.0))


def _write(path: Path, place: str, *, served: bool) -> None:
    from stopwise.study.runner_file import write_template

    names = ["a policy", "another policy"]
    if not served:
        with open_study(place) as study:
            names = list(study.policies())
    write_template(path, names)
    typer.echo(f"written: {path}, which only you can read. Fill in the commands and start again.")

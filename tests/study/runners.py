"""A runner at work beside a test, on real processes."""

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

import stopwise as sw
from stopwise.study.runner import Runner
from stopwise.study.runner_file import RunnerFile
from stopwise.web.client import StudyClient

PATIENCE = 600.0  # a busy machine takes its time


def eventually(holds: Callable[[], Any]) -> Any:
    """Wait until something is true, and return it."""
    until = time.monotonic() + PATIENCE
    while not (found := holds()):
        assert time.monotonic() < until, "this never became true"
        time.sleep(0.02)
    return found


def running(pid: int) -> bool:
    """Whether a process is there and not merely unburied."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def written(path: Path, commands: dict[str, Any], **other: Any) -> Path:
    """Write a runner's file that nobody else can read."""
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump({"policies": commands, **other}))
    return path


def free_port() -> int:
    """Return a port that nobody uses now, of those that no program is given without asking."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


@contextmanager
def attending(
    study: sw.Study, file: Path, desk: "StudyClient | None" = None, station: str = "left"
) -> Iterator[list[str]]:
    """Let a runner attend a station for the block; yield what it says."""
    said: list[str] = []
    content, logs = RunnerFile.read(file), file.with_name("logs")
    runner = Runner(desk or study, station, content, logs, said.append)
    thread = threading.Thread(target=runner.run)
    before = study.seq
    thread.start()
    try:
        eventually(lambda: any(e.kind == "attended" for e in study.journal(before)))
        yield said
    finally:
        runner.stop()
        thread.join()

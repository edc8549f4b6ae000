"""A policy at work for one episode: as a command, or answering the robot."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from stopwise.files import PRIVATE
from stopwise.study import guard

GRACE = 5.0  # seconds between asking a policy to end and making it


def private(log: Path) -> BinaryIO:
    """Open a file that nobody else can read: output may reveal the policy."""
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE), "ab")


class Running:
    def __init__(self) -> None:
        self.began = time.monotonic()
        self.seconds = 0.0
        self.failed = False
        self.unstarted = False  # nothing has moved
        self.done = threading.Event()

    @classmethod
    def none(cls) -> "Running":
        running = cls()
        running.unstarted = True
        running._ended(failed=True)
        return running

    def stop(self) -> None:
        """Make it end."""

    def _ended(self, *, failed: bool = False) -> None:
        self.seconds, self.failed = time.monotonic() - self.began, failed
        self.done.set()


class RunningCommand(Running):
    """A command behind its guard; what it prints goes to a private file, the log."""

    def __init__(
        self,
        words: list[str],
        environment: dict[str, str],
        log: Path,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self._after = after
        with private(log) as out:
            self._guard = subprocess.Popen(
                [sys.executable, "-I", guard.__file__],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        assert self._guard.stdin is not None
        self._pipe = self._guard.stdin
        wanted = {"command": words, "grace": GRACE}
        self._pipe.write(json.dumps(wanted).encode() + b"\n")
        self._pipe.flush()
        threading.Thread(target=self._wait, daemon=True).start()

    def stop(self) -> None:
        with suppress(OSError):
            self._pipe.close()

    def _wait(self) -> None:
        code = self._guard.wait()
        self.unstarted = code == guard.NOT_STARTED
        self._after()
        self._ended(failed=code != 0)

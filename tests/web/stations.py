"""Stations that report over HTTP while servers die, and a server as a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from stopwise.web.client import StudyClient


@dataclass
class ServerProcess:
    """``stopwise study serve`` in a process that may be killed and started again."""

    place: str
    port: int = 0
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start it and wait until it has told its address."""
        command = [sys.executable, "-m", "stopwise", "study", "serve", self.place]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.port = int(json.loads(self.process.stdout.readline())["url"].rpartition(":")[2])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@dataclass
class Stations:
    """Threads that take and report trials until enough are acknowledged, each with its token."""

    tokens: list[str]
    wanted: int
    acknowledged: dict[int, float] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def at_work(self, urls: list[str]) -> Iterator[None]:
        """Let one station work for each address; wait for them at the end."""
        threads = [
            threading.Thread(target=self._work, args=(url, token, f"arm {number}"))
            for number, (url, token) in enumerate(zip(urls, self.tokens, strict=True))
        ]
        for thread in threads:
            thread.start()
        yield
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]

    def _work(self, url: str, token: str, station: str) -> None:
        try:
            with StudyClient(url, token, retry_seconds=60) as client:
                while len(self.acknowledged) < self.wanted:
                    trial = client.next_trial(station)
                    assert trial is not None
                    # The same for both of a row, so that nothing is ever decided.
                    answer = ((trial.trial + 1) // 2 * 7919 % 100) / 100
                    recorded = client.record(trial.trial, answer, station=station)
                    assert recorded.score == answer
                    with self._lock:
                        assert trial.trial not in self.acknowledged
                        self.acknowledged[trial.trial] = answer
        except BaseException as failure:
            self.failures.append(failure)

"""Analysis in separate processes, so that nobody who runs trials waits for it.

Many policies take seconds to compare, and a report longer. In the server that would stop everything
else. The other process opens the same store, follows it, and gives way to others.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from stopwise.errors import StopwiseError, StoreFailed
from stopwise.study.store import Store
from stopwise.study.study import Study
from stopwise.web.evidence import Shown
from stopwise.web.expected_end import expected_end

# What is quick is done here: the evidence of so many comparisons, or trials; a forecast of so many.
FEW_PAIRS, FEW_TRIALS, FEW_SIMULATED = 10, 40, 100
GIVE_WAY = "import os; os.nice(5); "  # before anything else: importing takes a second
WORK: dict[str, Callable[[Study], Any]] = {
    "evidence": Shown.of,
    "forecast": expected_end,
    "report": lambda study: study.report(_where),
    "verdict": Study.verdict,
}


def _where(trial: int, file: str) -> str:
    """Path of a trial's recording on the server."""
    return f"/api/trials/{trial}/recordings/{file}"


class Analyst:
    """Runs slow work, evidence, forecasts, reports and verdicts, in a process each."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._processes: dict[str, _Process] = {}
        self._lock = threading.Lock()

    def do(self, what: str) -> Any:
        if what != "report" and self._is_quick(what):
            return WORK[what](self._study)
        place = "report" if what == "verdict" else what
        with self._lock:
            if place not in self._processes:
                self._processes[place] = _Process(self._study)
        return self._processes[place].ask(what)

    def close(self) -> None:
        for process in self._processes.values():
            process.end(for_good=True)

    def _is_quick(self, what: str) -> bool:
        pairs, trials = self._study.size()
        simulated = pairs * (self._study.plan.n_max or 0) if what == "forecast" else 0
        return pairs <= FEW_PAIRS and trials <= FEW_TRIALS and simulated <= FEW_SIMULATED


class _Process:
    """A process that has the study open; started when it is first asked, and after it died."""

    def __init__(self, study: Study) -> None:
        url = study.store.engine.url.render_as_string(hide_password=False)
        self._place = (f"{url}#{study.store.study}", study.folder)
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._over = False

    def ask(self, what: str) -> Any:
        """Result of the analysis, or its exception."""
        with self._lock:
            try:
                answer = self._asked(what)
            except (OSError, ValueError, EOFError, pickle.UnpicklingError) as error:
                self.end()
                raise StoreFailed(
                    "the process that analyses the study has ended: try again"
                ) from error
        if isinstance(answer, StopwiseError):
            raise answer
        return answer

    def end(self, *, for_good: bool = False) -> None:
        self._over |= for_good
        running, self._running = self._running, None
        if running is not None:
            running.kill()
            running.communicate()

    def _asked(self, what: str) -> Any:
        if self._over:
            raise EOFError
        running = self._running  # another thread may end it concurrently
        if running is None or running.poll() is not None:
            self.end()
            running = self._running = subprocess.Popen(
                [sys.executable, "-c", GIVE_WAY + "from stopwise.web.analyst import main; main()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            # Not as an argument, which everyone could read: it may hold a password.
            _send(running, self._place)
        _send(running, what)
        assert running.stdout is not None
        return pickle.load(running.stdout)


def _send(process: subprocess.Popen[bytes], content: Any) -> None:
    assert process.stdin is not None
    pickle.dump(content, process.stdin)
    process.stdin.flush()


def _work(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are none."""
    place, folder = pickle.load(questions)
    with Study(Store.open(place), folder if folder is None else Path(folder)) as study:
        while True:
            try:
                what = pickle.load(questions)
            except EOFError:
                return
            try:
                answer = WORK[what](study)
            except StopwiseError as error:
                answer = error
            pickle.dump(answer, answers)
            answers.flush()


def main() -> None:
    """Entry point of the process; prints never get into the answers."""
    mine = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _work(sys.stdin.buffer, mine)

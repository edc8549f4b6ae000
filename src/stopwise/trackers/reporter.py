"""Reporting that an evaluation does not notice: each tracker has a thread, and may fail."""

import logging
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self

from stopwise.errors import StopwiseError
from stopwise.questions.analysis import Analysis, report
from stopwise.questions.question import Question
from stopwise.trackers.row_values import RowValues
from stopwise.trackers.tracker import Tracker

# At the end a tracker has so many seconds for what it has not sent.
PATIENCE = 60.0
PAGE = "stopwise-report.html"


class Reporter:
    """Tells several trackers the same; none can stop, slow or change what is reported.

    Calls return at once. The first thing that goes wrong with a tracker is logged as a warning;
    later rows are tried all the same.
    """

    def __init__(self, trackers: Sequence[Tracker], patience: float = PATIENCE) -> None:
        self._lines = [_Line(tracker) for tracker in trackers]
        self._patience = patience
        self._open = True

    def __bool__(self) -> bool:
        return bool(self._lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Tell what was declared."""
        self._send(lambda tracker: tracker.begin(settings))

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None = None) -> None:
        """Tell the numbers after a row, and the verdict if it is another."""
        self._send(lambda tracker: tracker.log(row, numbers, verdict))

    def on_rows(self, question: Question, task: str | None = None) -> Callable[[], None]:
        """Return what to call after each row of a question; rows before now are not told."""
        values, last = RowValues(question, task), [""]

        def row() -> None:
            try:
                numbers, verdict = values.now()
            except Exception as error:  # no evaluation fails for want of a figure
                self.warn(error)
                return
            self.log(question.rows, numbers, None if verdict == last[0] else verdict)
            last[0] = verdict

        return row

    def conclude(self, analyses: Callable[[], Sequence[Analysis]]) -> None:
        """Tell the answer with its page; nothing, where there is none yet."""
        found: Sequence[Analysis] = ()
        if self and self._open:
            with suppress(StopwiseError):  # a policy has no trial yet
                found = analyses()
        verdict = " ".join(analysis.sentence for analysis in found)
        self.finish(verdict or None, partial(report, found) if found else None)

    def finish(self, verdict: str | None = None, page: Callable[[], str] | None = None) -> None:
        """Tell the answer, hand over the page, and wait until all is told; once."""
        if not self or not self._open:
            return
        self._open = False
        with tempfile.TemporaryDirectory() as folder:
            path = None if page is None else self._written(page, Path(folder) / PAGE)
            self._send(lambda tracker: tracker.finish(verdict, path))
            for line in self._lines:
                line.close(self._patience)

    def _written(self, page: Callable[[], str], path: Path) -> Path | None:
        try:
            path.write_text(page(), encoding="utf-8")
        except Exception as error:  # such as no matplotlib
            self.warn(error)
            return None
        return path

    def warn(self, error: Exception) -> None:
        """Say that something is missing in every tracker."""
        for line in self._lines[:1]:
            line.warn(error)

    def _send(self, call: Callable[[Tracker], None]) -> None:
        for line in self._lines:
            line.calls.put(partial(call, line.tracker))


class _Line:
    """The calls of one tracker, in order, in a thread of its own."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker, self.warned = tracker, False
        self.calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="stopwise report", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while (call := self.calls.get()) is not None:
            try:
                call()
            except Exception as error:  # whatever a network or a disk may do
                self.warn(error)

    def close(self, patience: float) -> None:
        self.calls.put(None)
        self._thread.join(patience)
        if self._thread.is_alive():
            self.warn(TimeoutError(f"it did not take everything within {patience:g} s"))

    def warn(self, error: Exception) -> None:
        if not self.warned:
            self.warned = True
            name = type(self.tracker).__name__
            text = "%s missed some reports; the evaluation goes on without it: %s: %s"
            kind = type(error).__name__
            logging.getLogger("stopwise").warning(text, name, kind, error)

"""Reporting that never disturbs an evaluation: trackers have a thread, and may fail."""

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

# At the end trackers have so many seconds for what they have not sent.
PATIENCE = 60.0
PAGE = "stopwise-report.html"


class Reporter:
    """Tells several trackers the same; none can stop, slow or change what is reported.

    Calls return at once, since a thread makes them. The first thing that goes wrong with a tracker
    is logged as a warning; later rows are tried all the same.
    """

    def __init__(self, trackers: Sequence[Tracker], patience: float = PATIENCE) -> None:
        self._trackers, self._patience = tuple(trackers), patience
        self._at = 0  # the place of the tracker that is called
        self._failed: set[int] = set()  # places of those that missed something
        self._calls: SimpleQueue[Callable[[Tracker], None] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="stopwise report", daemon=True)
        self._open = bool(trackers)
        if trackers:
            self._thread.start()

    def __bool__(self) -> bool:
        return bool(self._trackers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Report the declared settings."""
        self._send(lambda tracker: tracker.begin(settings))

    def log(self, row: int, numbers: Mapping[str, float], verdict: str | None = None) -> None:
        """Send the numbers after a row, and the verdict if it changed."""
        self._send(lambda tracker: tracker.log(row, numbers, verdict))

    def on_rows(self, question: Question, task: str | None = None) -> Callable[[], None]:
        """Function to call after each further row of a question."""
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
        """Send the answer with its page, if there is one."""
        answers: Sequence[Analysis] = ()
        if self._open:
            with suppress(StopwiseError):  # a policy has no trial yet
                answers = analyses()
        verdict = " ".join(analysis.sentence for analysis in answers)
        self.finish(verdict or None, partial(report, answers) if answers else None)

    def finish(self, verdict: str | None = None, page: Callable[[], str] | None = None) -> None:
        """Send the answer and the page, and wait until everything is sent; once."""
        if not self._open:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = None if page is None else self._written(page, Path(folder) / PAGE)
            self._send(lambda tracker: tracker.finish(verdict, path))
            self._open = False
            self._calls.put(None)
            self._thread.join(self._patience)
        if self._thread.is_alive():
            text = f"it did not take everything within {self._patience:g} s"
            self.warn(TimeoutError(text), self._at)

    def warn(self, error: Exception, place: int = 0) -> None:
        """Warn, once for each tracker, that it missed something."""
        if self and place not in self._failed:
            self._failed.add(place)
            name = type(self._trackers[place]).__name__
            text = "%s missed some reports; the evaluation goes on without it: %s: %s"
            kind = type(error).__name__
            logging.getLogger("stopwise").warning(text, name, kind, error)

    def _send(self, call: Callable[[Tracker], None]) -> None:
        if self._open:
            self._calls.put(call)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            for place, tracker in enumerate(self._trackers):
                self._at = place
                try:
                    call(tracker)
                except Exception as error:  # whatever a network or a disk may do
                    self.warn(error, place)

    def _written(self, page: Callable[[], str], path: Path) -> Path | None:
        try:
            path.write_text(page(), encoding="utf-8")
        except Exception as error:  # such as no matplotlib
            self.warn(error)
            return None
        return path

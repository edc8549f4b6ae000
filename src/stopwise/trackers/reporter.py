"""Reporting that never disturbs an evaluation: trackers have a thread, and may fail."""

import logging
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Self

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
        self._finish(())

    def on_rows(self, question: Question, task: str | None = None) -> Callable[[], None]:
        """Report what was declared; return what is to be called after each row of a question."""
        settings, values, last = question.rules.settings(), RowValues(question, task), ""
        self._send(lambda tracker: tracker.begin(settings))

        def row() -> None:
            nonlocal last
            try:
                numbers, verdict = values.now()
            except Exception as error:  # no evaluation fails for want of a figure
                self._warn(error, 0)
                return
            number, news = question.rows, None if verdict == last else verdict
            self._send(lambda tracker: tracker.log(number, numbers, news))
            last = verdict

        return row

    def conclude(self, analyses: Callable[[], Sequence[Analysis]]) -> None:
        """Send the answer with its page, if there is one, and wait until everything is sent."""
        answers: Sequence[Analysis] = ()
        if self._open:
            with suppress(StopwiseError):  # a policy has no trial yet
                answers = analyses()
        self._finish(answers)

    def _finish(self, answers: Sequence[Analysis]) -> None:
        if not self._open:
            return
        verdict = " ".join(analysis.sentence for analysis in answers) or None
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / PAGE if answers else None
            if page is not None:
                try:
                    page.write_text(report(answers), encoding="utf-8")
                except Exception as error:  # such as no matplotlib
                    self._warn(error, 0)
                    page = None
            self._send(lambda tracker: tracker.finish(verdict, page))
            self._open = False
            self._calls.put(None)
            self._thread.join(self._patience)
        if self._thread.is_alive():
            text = f"it did not take everything within {self._patience:g} s"
            self._warn(TimeoutError(text), self._at)

    def _warn(self, error: Exception, place: int) -> None:
        """Warn, once for each tracker, that it missed something."""
        if self._trackers and place not in self._failed:
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
                    self._warn(error, place)

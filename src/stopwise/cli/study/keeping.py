"""Keeping a trial while a person is at it, however long it takes."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stopwise.study.study import Study
    from stopwise.study.views import Assignment

__all__ = ["keeping"]


@contextmanager
def keeping(study: "Study", trial: "Assignment", who: str | None) -> Iterator[None]:
    """Start a trial, and say at half time of each lease that it still runs.

    Otherwise a slow trial could be handed out again, and which of two results counts would depend
    on how long each took, and so perhaps on its score.
    """
    from stopwise.errors import NotAllowed, StopwiseError

    over = threading.Event()
    half_time = 30.0 * study.plan.lease_minutes
    study.start(trial.trial, station=trial.station, who=who)

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

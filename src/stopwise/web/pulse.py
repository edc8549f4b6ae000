"""Whether the store answers and takes what is written, told at once, however long it takes."""

import asyncio

from starlette.concurrency import run_in_threadpool

from stopwise.errors import StopwiseError
from stopwise.study.study import Study
from stopwise.web.failures import PLAIN, in_plain_words

SECONDS = 2.0  # a store that takes longer to tell the time does not answer


class Pulse:
    """Asks the store for the time, one question at a time, and remembers what went wrong."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._asked: asyncio.Task[str] | None = None

    async def detail(self) -> str:
        """Return what is wrong, for people; empty if nothing is."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(run_in_threadpool(self._ask))
        done, _ = await asyncio.wait([self._asked], timeout=SECONDS)
        return self._asked.result() if done else PLAIN["no-answer"]

    def _ask(self) -> str:
        try:
            self._study.store.now()
        except StopwiseError as error:
            return in_plain_words(error)
        trouble = self._study.trouble
        return "" if trouble is None else in_plain_words(trouble)

"""Server-sent news: the journal has grown, or the store fails."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from stopwise.errors import StopwiseError
from stopwise.study.study import Study
from stopwise.web.failures import STORE_FAULTS, in_plain_words

SECONDS = 0.5
HEARTBEAT = 15.0
SILENCE = 2.0  # seconds: a store that takes longer to tell the time does not answer


class LiveUpdates:
    """The journal's sequence number, watched while anyone listens.

    The store is asked, not this process's memory: another server may have written.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._seq = -1
        self._next = 0.0  # when the store is asked again
        self._asking = asyncio.Lock()
        self._closed = False

    async def listen(self) -> AsyncIterator[int | None]:
        """Yield the sequence number now and after every change; None as a sign of life."""
        known, sent_at = -1, 0.0
        while not self._closed:
            newest = await self._newest()
            if newest != known or time.monotonic() >= sent_at + HEARTBEAT:
                yield None if newest == known else newest
                known, sent_at = newest, time.monotonic()
            await asyncio.sleep(SECONDS)

    def close(self) -> None:
        """End all streams: they would keep the server from ending."""
        self._closed = True

    async def _newest(self) -> int:
        async with self._asking:  # one question for all who listen
            if time.monotonic() >= self._next:
                with suppress(StopwiseError):  # a store that is away may come back
                    self._seq = await run_in_threadpool(lambda: self._study.seq)
                self._next = time.monotonic() + SECONDS
        return self._seq


class Pulse:
    """Asks the store for the time, one question at a time, and remembers what went wrong."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._asked: asyncio.Task[str] | None = None

    async def detail(self) -> str:
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(run_in_threadpool(self._ask))
        done, _ = await asyncio.wait([self._asked], timeout=SILENCE)
        return self._asked.result() if done else STORE_FAULTS["no-answer"]

    def _ask(self) -> str:
        try:
            with self._study.store.look():
                pass
        except StopwiseError as error:
            return in_plain_words(error)
        trouble = self._study.trouble
        return "" if trouble is None else in_plain_words(trouble)

"""Server-sent news: the journal has grown, or the store fails."""

import asyncio
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
        self._changed = asyncio.Condition()
        self._listeners = 0
        self._closed = False
        self._watcher: asyncio.Task[None] | None = None

    async def listen(self) -> AsyncIterator[int | None]:
        """Yield the sequence number now and after every change; None as a sign of life."""
        self._listeners += 1
        if self._watcher is None:
            self._watcher = asyncio.create_task(self._watch())
        known = -1
        try:
            while not self._closed:
                if self._seq == known and not await self._wait(known):
                    yield None
                elif self._seq != known:
                    known = self._seq
                    yield known
        finally:
            self._listeners -= 1
            if not self._listeners and self._watcher is not None:
                self._watcher.cancel()
                self._watcher = None

    async def close(self) -> None:
        """End all streams: they would keep the server from ending."""
        self._closed = True
        async with self._changed:
            self._changed.notify_all()

    async def _wait(self, known: int) -> bool:
        try:
            async with asyncio.timeout(HEARTBEAT), self._changed:
                await self._changed.wait_for(lambda: self._closed or self._seq != known)
        except TimeoutError:
            return False
        return True

    async def _watch(self) -> None:
        while True:
            with suppress(StopwiseError):  # a store that is away may come back
                seq = await run_in_threadpool(lambda: self._study.seq)
                if seq != self._seq:
                    async with self._changed:
                        self._seq = seq
                        self._changed.notify_all()
            await asyncio.sleep(SECONDS)


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

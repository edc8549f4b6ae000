"""Connections without a complete request: closed in time, and limited in number."""

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0  # for the head of a request to come
MOST_WAITING = 200  # connections without a complete request; beyond that, the oldest is closed


class Impatient(H11Protocol):
    """uvicorn's HTTP protocol with a deadline for the request head.

    Otherwise connections that were opened and left would use up all that the system allows. How
    long a body may take, ``limits`` says.
    """

    waiting: ClassVar[dict["Impatient", asyncio.TimerHandle | None]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as there
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Feed data; a head that trickles in gets no more time."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect()
        else:
            self._heard()
        if self.conn.their_state is h11.SEND_BODY:
            self._wait(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        super().connection_lost(exc)

    def _expect(self) -> None:
        if self not in self.waiting:
            self._wait(self.loop.call_later(SECONDS, self.transport.abort))

    def _wait(self, limit: asyncio.TimerHandle | None) -> None:
        self.waiting[self] = limit
        if len(self.waiting) > MOST_WAITING:
            longest = next(iter(self.waiting))
            longest._heard()
            longest.transport.abort()

    def _heard(self) -> None:
        limit = self.waiting.pop(self, None)
        if limit is not None:
            limit.cancel()

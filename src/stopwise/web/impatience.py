"""Connections on which no whole request comes: ended in time, and never too many of them."""

import asyncio
import socket
from collections import OrderedDict
from contextlib import suppress
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0  # for the head of a request to come
MOST_WAITING = (
    200  # connections without a whole request; beyond, the one that was silent longest goes
)


class Doorway(socket.socket):
    """A listener that knows who has come and not been let in: those in a TLS handshake.

    If there are too many, the one that came first goes, once the others had a turn to get in.
    """

    knocking: ClassVar[OrderedDict[int, socket.socket]] = OrderedDict()
    _gave_a_turn = False

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection, as the event loop asks for it."""
        crowded = len(self.knocking) >= MOST_WAITING
        if crowded and not self._gave_a_turn:
            self._gave_a_turn = True
            raise BlockingIOError
        line, address = super().accept()
        self._gave_a_turn = False
        if crowded:
            with suppress(OSError):  # it has left meanwhile
                self.knocking.popitem(last=False)[1].shutdown(socket.SHUT_RDWR)
        self.knocking.pop(line.fileno(), None)
        self.knocking[line.fileno()] = line
        return line, address


class Impatient(H11Protocol):
    """HTTP as uvicorn speaks it, for those who say what they want.

    Otherwise connections that were opened and left would use up all that the system allows. How
    long a body may take, ``limits`` says.
    """

    waiting: ClassVar[OrderedDict["Impatient", asyncio.TimerHandle | None]] = OrderedDict()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as there
        """Wait for a request, but not for ever."""
        super().connection_made(transport)
        Doorway.knocking.pop(transport.get_extra_info("socket").fileno(), None)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what came; a head that comes drop by drop gets no more time."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect()
        else:
            self._heard()
        if self.conn.their_state is h11.SEND_BODY:
            self._wait(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
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

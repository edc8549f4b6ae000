"""One address for several policies: the robot asks, and does not learn which one answers."""

import time
from collections.abc import Callable
from hmac import compare_digest
from http import HTTPStatus
from threading import Thread
from typing import Any, Generic, Self, TypeVar

# First, since it says what to install.
from stopwise.errors import StopwiseError
from stopwise.policies.openpi import CONNECTION, packed

# isort: split
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.sync.server import ServerConnection, serve

SECONDS_BETWEEN_LOOKS = 0.05
# A turn answers messages itself, with bytes, or with a text where it fails.
Turn = TypeVar("Turn", bound=Callable[[Any], bytes | str])


class Router(Generic[Turn]):
    """Answers as a policy server of openpi does, each message by the turn that ``choose`` returns.

    While it is nobody's turn, who connects is not greeted yet: what a robot sees now would be old
    when its turn comes. ``left`` is called with the last turn of a client that goes. With a key,
    clients have to send it. As a context manager it serves until the end of the block.
    """

    def __init__(
        self,
        choose: Callable[[], Turn | None],
        *,
        left: Callable[[Turn], None] = lambda _: None,
        host: str = "127.0.0.1",
        port: int = 8000,
        api_key: str | None = None,
    ) -> None:
        self._choose, self._left, self._key = choose, left, api_key
        self._clients: set[ServerConnection] = set()
        self._asked: list[Turn] = []  # by clients that are connected
        try:
            self._server = serve(
                self._converse, host, port, process_request=self._admit, **CONNECTION
            )
        except OSError as error:
            raise StopwiseError(f"cannot listen on {host}, port {port}: {error}") from error
        self.port: int = self._server.socket.getsockname()[1]
        self._thread = Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for client in list(self._clients):  # or an answer that is awaited would be waited for
            client.close()
        self._server.shutdown()
        self._thread.join()

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer health checks, and refuse clients without the key."""
        if request.path == "/healthz":
            return connection.respond(HTTPStatus.OK, "OK\n")
        sent = request.headers.get("Authorization", "")
        if self._key is None or compare_digest(sent.encode(), f"Api-Key {self._key}".encode()):
            return None
        return connection.respond(HTTPStatus.UNAUTHORIZED, "send the api_key of the router\n")

    def _converse(self, client: ServerConnection) -> None:
        asked: Turn | None = None
        self._clients.add(client)
        try:
            self._await_turn(client)
            client.send(packed({}))
            for message in client:
                turn = self._choose()
                if turn is None:
                    client.send("it is nobody's turn now: connect again")
                    continue
                if turn is not asked:
                    self._asked.append(turn)
                    if asked is not None:
                        self._asked.remove(asked)
                    asked = turn
                client.send(turn(message))
        except ConnectionClosed:
            pass  # it has gone
        finally:
            if asked is not None:
                self._left(asked)
                self._asked.remove(asked)
            self._clients.discard(client)

    def _await_turn(self, client: ServerConnection) -> None:
        """Make a client that reconnects at once wait until its disconnection is known.

        Else it would be greeted in a turn that ends.
        """
        while client.state is State.OPEN:
            turn = self._choose()
            if turn is not None and turn not in self._asked:
                return
            time.sleep(SECONDS_BETWEEN_LOOKS)

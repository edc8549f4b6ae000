"""One address for several served policies: the robot asks, and does not learn who answers."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hmac import compare_digest
from http import HTTPStatus
from threading import Thread
from typing import Any, Self, TypeAlias, TypeVar

# First, since it says what to install.
from stopwise.errors import StopwiseError
from stopwise.policies.openpi import CONNECTION, PATIENCE, PolicyServer, packed, unpacked

# isort: split
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.sync.server import Server, ServerConnection, serve

Choice: TypeAlias = str | Callable[[Any], bytes | str]
SECONDS_BETWEEN_LOOKS = 0.05
LOG = logging.getLogger(__name__)
Connection = TypeVar("Connection", PolicyServer, ServerConnection)
# All that a robot needs of an answer. The rest, such as timings or names, may tell policies apart.
ANSWER = ("action", "actions")


class Router:
    """Answers as a policy server of openpi does, each time with the policy that is chosen then.

    Clients get the actions, and nothing else by which policies could be told apart: neither the
    metadata, nor the timings, nor the errors of the servers, which are logged here. How long an
    answer takes is not hidden. As a context manager it serves until the end of the block.

    Parameters
    ----------
    choose
        Returns the address of the server whose turn it is, given the path to which the client
        connected ("/" if it named none, so that several robots can share a router), or a function
        that answers messages itself. It is asked anew for each observation. A ``StopwiseError``
        that it raises is told to the client. While it is nobody's turn (None), who connects is
        not greeted yet, and who asks is told so.
    host, port
        Where to listen; port 0 takes one that is free.
    metadata
        What clients are told of the server, the same for all policies.
    patience
        Seconds to wait for a server, and for each of its answers.
    left
        Called with the last choice when a client goes.
    api_key
        What clients have to send as their key, by openpi's protocol; None lets anyone ask who can
        reach the address.

    Attributes
    ----------
    port
        Where it listens.
    """

    def __init__(
        self,
        choose: Callable[[str], Choice | None],
        *,
        host: str = "127.0.0.1",
        port: int = 8000,
        metadata: Mapping[str, Any] | None = None,
        patience: float = PATIENCE,
        left: Callable[[Choice], None] = lambda _: None,
        api_key: str | None = None,
    ) -> None:
        self._key = api_key
        self._choose, self._patience, self._left = choose, patience, left
        self._open: set[PolicyServer | ServerConnection] = set()
        self._asked: list[Choice] = []  # by clients that are connected
        self._greeting = packed(dict(metadata or {}))
        try:
            self._server: Server = serve(
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
        for connection in list(self._open):  # or an answer that is awaited would be waited for
            connection.close()
        self._server.shutdown()
        self._thread.join()

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer those that only ask whether someone is there, and refuse who lacks the key."""
        if request.path == "/healthz":
            return connection.respond(HTTPStatus.OK, "OK\n")
        sent = request.headers.get("Authorization", "")
        if self._key is None or compare_digest(sent.encode(), f"Api-Key {self._key}".encode()):
            return None
        return connection.respond(HTTPStatus.UNAUTHORIZED, "send the api_key of the router\n")

    def _converse(self, client: ServerConnection) -> None:
        """Serve one client until it goes."""
        path = "/" if client.request is None else client.request.path
        chosen: Choice | None = None
        with suppress(ConnectionClosed), ExitStack() as connections:
            connections.enter_context(self._kept(client))
            connections.callback(lambda: self._leave(chosen))
            servers: dict[str, PolicyServer] = {}
            self._await_turn(client, path)
            client.send(self._greeting)
            for message in client:
                try:
                    turn = self._choose(path)
                    if turn is None:
                        raise StopwiseError("it is nobody's turn now: connect again")
                    if isinstance(turn, str) and turn not in servers:
                        server = PolicyServer(turn, patience=self._patience)
                        servers[turn] = connections.enter_context(self._kept(server))
                except StopwiseError as error:
                    client.send(str(error))
                    continue
                if turn is not chosen:
                    self._leave(chosen, over=False)
                    self._asked.append(turn)
                chosen = turn
                answer = (
                    answered(servers[turn], message) if isinstance(turn, str) else turn(message)
                )
                client.send(answer)

    def _leave(self, chosen: Choice | None, *, over: bool = True) -> None:
        """Take note that a client asks this choice no more, since it goes or its turn is over."""
        if chosen is None:
            return
        if over:
            self._left(chosen)
        self._asked.remove(chosen)

    def _await_turn(self, client: ServerConnection, path: str) -> None:
        """Wait before the greeting: what a robot sees now would be old when its turn comes.

        A robot that has left and is back at once waits until that is known: else it would be
        greeted in a turn that ends.
        """
        with suppress(StopwiseError):  # told to the client when it asks
            while client.state is State.OPEN:
                turn = self._choose(path)
                if isinstance(turn, str) or (turn is not None and turn not in self._asked):
                    return
                time.sleep(SECONDS_BETWEEN_LOOKS)

    @contextmanager
    def _kept(self, connection: Connection) -> Iterator[Connection]:
        """Close it at the end of the block, or of the router."""
        self._open.add(connection)
        try:
            yield connection
        finally:
            connection.close()
            self._open.discard(connection)


def answered(server: PolicyServer, message: Any) -> bytes | str:
    """Part of a server's answer that a client may see, or a text if there is none."""
    try:
        server.renew()
        answer = unpacked(server.ask(message))
        if isinstance(answer, dict):
            answer = {name: answer[name] for name in ANSWER if name in answer}
        return packed(answer)
    except StopwiseError as error:
        LOG.warning("%s", error)
        return "the policy could not answer"

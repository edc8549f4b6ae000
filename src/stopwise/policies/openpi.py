"""Served policies, by the websocket protocol of openpi: observations out, actions back.

On connecting, the server sends its metadata. Then each message is an observation and its answer the
actions, both packed with msgpack; an answer in text is an error of the server.
"""

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from stopwise.core.scores import as_numbers
from stopwise.errors import InvalidInput, MissingPackage, StopwiseError, require

try:
    import msgpack
    import websockets.exceptions
    from websockets.protocol import State
    from websockets.sync.client import ClientConnection, connect
except ImportError as error:
    raise MissingPackage(
        'served policies need websockets: pip install "stopwise[openpi]"'
    ) from error

# Seconds to wait for an answer: the first one may have to wait until a large model is compiled.
PATIENCE = 120.0
# Not all servers answer pings while they compute, and images are large.
CONNECTION: dict[str, Any] = {"compression": None, "max_size": None, "ping_interval": None}


class ServedPolicy:
    """A policy on a server that speaks openpi's protocol.

    An observation that is no dictionary is sent as ``{"observation": ...}``. Of the answer,
    ``actions`` is a chunk of them, which are played one after another before the server is asked
    again; ``action`` is a single one.

    Parameters
    ----------
    address
        As in "ws://localhost:8000".
    horizon
        How many actions of a chunk are played; by default all.
    patience
        Seconds to wait for the server, and for each answer.
    api_key
        For a server that asks for one.

    Attributes
    ----------
    metadata
        What the server said of itself.
    """

    def __init__(
        self,
        address: str,
        *,
        horizon: int | None = None,
        patience: float = PATIENCE,
        api_key: str | None = None,
    ) -> None:
        require(
            horizon is None or (isinstance(horizon, int) and horizon >= 1),
            f"horizon must be a whole number of at least 1, or None, but got {horizon!r}",
            parameter="horizon",
        )
        require(
            math.isfinite(patience) and patience > 0,
            f"patience must be a positive number of seconds, but got {patience!r}",
            parameter="patience",
        )
        self.metadata: Any = {}
        self._address, self._horizon, self._patience = address, horizon, patience
        self._headers = None if api_key is None else {"Authorization": f"Api-Key {api_key}"}
        self._connection: ClientConnection | None = None
        self._chunk: list[Any] = []
        self._connect()

    def reset(self) -> None:
        """Begin an episode: the rest of the last chunk is dropped, a lost connection is renewed."""
        self._chunk = []
        self._connect()

    def infer(self, observation: Mapping[str, Any]) -> Any:
        """Return all that the server answers to an observation."""
        connection = self._connect()
        with suppress(websockets.exceptions.ConnectionClosed):  # receiving says so
            connection.send(packed(observation))
        return unpacked(self._received(connection))

    def __call__(self, observation: Any) -> Any:
        """Return the next action."""
        if not self._chunk:
            whole = isinstance(observation, Mapping)
            answer = self.infer(observation if whole else {"observation": observation})
            self._chunk = self._actions(answer)
        return self._chunk.pop(0)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _connect(self) -> ClientConnection:
        if self._connection is not None and self._connection.state is State.OPEN:
            return self._connection
        self.close()
        try:
            self._connection = connect(
                self._address,
                additional_headers=self._headers,
                open_timeout=self._patience,
                **CONNECTION,
            ).__enter__()  # as websockets wants it; ``close`` leaves it
        except (OSError, ValueError, websockets.exceptions.WebSocketException) as error:
            raise StopwiseError(f"no policy server answers at {self._address}: {error}") from error
        self.metadata = unpacked(self._received(self._connection))
        return self._connection

    def _received(self, connection: ClientConnection) -> bytes:
        """Return a message, or let go of the connection: a late one would answer the next."""
        try:
            answer = connection.recv(timeout=self._patience)
        except TimeoutError as error:
            raise self._failure(f"{{}} did not answer within {self._patience:g} s") from error
        except websockets.exceptions.ConnectionClosed as error:
            raise self._failure(f"the connection to {{}} was lost: {error}") from error
        if isinstance(answer, str):  # usually a traceback, which ends with what went wrong
            lines = answer.strip().splitlines() or ["it did not say why"]
            raise self._failure("{} failed: " + lines[-1])
        return answer

    def _failure(self, text: str) -> StopwiseError:
        self.close()
        return StopwiseError(text.replace("{}", f"the policy server at {self._address}", 1))

    def _actions(self, answer: Any) -> list[Any]:
        if isinstance(answer, Mapping) and "action" in answer:
            return [answer["action"]]
        chunk: Any = answer.get("actions") if isinstance(answer, Mapping) else answer
        if np.ndim(chunk) == 0 or len(chunk) == 0:
            names = ", ".join(map(repr, answer)) if isinstance(answer, Mapping) else repr(answer)
            raise StopwiseError(
                f"the policy server at {self._address} must answer with 'actions', one or more, "
                f"but answered with {names or 'nothing'}"
            )
        return list(chunk[: self._horizon])


def packed(value: Any) -> bytes:
    try:
        return bytes(msgpack.packb(value, default=_plain))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"this cannot be sent to or by a policy server: {error}") from error


def unpacked(message: bytes) -> Any:
    try:
        return msgpack.unpackb(message, object_hook=_array)
    except (ValueError, TypeError, KeyError, msgpack.UnpackException) as error:
        raise StopwiseError(f"a policy server sent what is no message: {error}") from error


def _plain(value: Any) -> dict[bytes, Any]:
    """A NumPy array or scalar in openpi's form."""
    if hasattr(value, "detach"):
        value = as_numbers(value)
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind in "VOc":
        raise TypeError(f"{type(value).__name__} {value!r} is not a number, a text or an array")
    kind = {b"dtype": value.dtype.str}
    if isinstance(value, np.generic):
        return {b"__npgeneric__": True, b"data": value.item(), **kind}
    return {b"__ndarray__": True, b"data": value.tobytes(), b"shape": value.shape, **kind}


def _array(value: dict[Any, Any]) -> Any:
    """Inverse of ``_plain``; other values pass unchanged."""
    if b"__ndarray__" in value:
        return np.frombuffer(value[b"data"], value[b"dtype"]).reshape(value[b"shape"]).copy()
    if b"__npgeneric__" in value:
        return np.dtype(value[b"dtype"]).type(value[b"data"])
    return value

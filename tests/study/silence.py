"""A line to a server that goes dead without a word: nothing is passed on, nothing is closed."""

import socket
import threading
from contextlib import suppress
from pathlib import Path


class Line:
    """Passes on what comes over TCP to a server's socket, until told, or until it sees a word.

    Attributes
    ----------
    cut_at
        What must not be passed on, either way: with it the connection is dead.
    """

    def __init__(self, place: Path | int) -> None:
        self._place = place
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._dead: set[socket.socket] = set()
        self._lost = False
        self.cut_at: bytes | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        """The port at the near end."""
        return int(self._listener.getsockname()[1])

    def url(self, database: str) -> str:
        """Return the address of a database at the end of this line."""
        return f"postgresql://stopwise@127.0.0.1:{self.port}/{database}"

    def drop(self) -> None:
        """Let nothing through any more, also of connections that are made from now on."""
        self._lost = True
        self._dead.update(self._open)

    def mend(self) -> None:
        """Let new connections through; those that were lost stay so."""
        self._lost, self.cut_at = False, None

    def close(self) -> None:
        """End the line, and with it whoever waits for an answer over it."""
        for end in (self._listener, *self._open):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = self._reach()
                self._open += [near, far]
                if self._lost:
                    self._dead.update((near, far))
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _reach(self) -> socket.socket:
        """Return a connection to PostgreSQL, by its folder, or to a port of this machine."""
        if isinstance(self._place, int):
            return socket.create_connection(("127.0.0.1", self._place))
        far = socket.socket(socket.AF_UNIX)
        far.connect(f"{self._place}/.s.PGSQL.5432")
        return far

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.cut_at is not None and self.cut_at in data:
                    if source not in self._dead:  # with what comes before it: half an answer
                        target.sendall(data[: data.index(self.cut_at)])
                    self._dead.update((source, target))
                if source not in self._dead:
                    target.sendall(data)
            if source not in self._dead:
                target.shutdown(socket.SHUT_WR)

"""Serving a study: where it listens, and the owner's link."""

import logging
import signal
import socket
import ssl
import threading
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

import uvicorn
from fastapi import FastAPI

from stopwise.errors import StopwiseError
from stopwise.study.study import Study
from stopwise.web.app import create_app
from stopwise.web.impatience import Impatient
from stopwise.web.links import join_link, lan_address, web_address

SECONDS_TO_CLOSE = 5


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = cast(FastAPI, self.config.app)
        app.state.site.updates.close()
        await super().shutdown(sockets)
        app.state.site.close()


@dataclass(frozen=True)
class Tls:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """Raise unless the two can be read and belong together."""
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
                self.certificate, self.key, password=_no_password
            )
        except (OSError, ValueError) as error:
            both = f"{self.certificate} with the key {self.key}"
            raise StopwiseError(f"TLS cannot use the certificate {both}: {error}") from error


def _no_password() -> str:
    raise ValueError("the key has a password, which nobody could type when the server restarts")


@dataclass
class Serving:
    """A study about to be served."""

    study: Study
    listener: socket.socket  # bound before any link is shown, so that the port in the link is right
    url: str  # the address that people use
    tls: Tls | None = None

    @classmethod
    def bind(
        cls,
        study: Study,
        *,
        port: int = 8000,
        lan: bool = False,
        url: str | None = None,
        tls: Tls | None = None,
    ) -> "Serving":
        """Bind a port, on this machine only unless the whole network may connect."""
        people_use = None if url is None else web_address(url)
        host = lan_address() if lan else "127.0.0.1"
        if tls is not None:
            tls.check()
        # Without the protocol, asyncio would not turn off delays, 40 ms for each request.
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("0.0.0.0" if lan else "127.0.0.1", port))
            listener.listen(2048)  # who follows a link at once waits until the server answers
        except OSError as error:
            listener.close()
            raise StopwiseError(f"port {port} cannot be used: {error.strerror}") from error
        local = f"{'https' if tls else 'http'}://{host}:{listener.getsockname()[1]}"
        return cls(study, listener, people_use or local, tls)

    def owner_link(self, who: str = "owner") -> str:
        """Return a link for the owner, named as a person; the same at every start."""
        return join_link(self.url, self.study.owner_token(who))

    def server(self) -> uvicorn.Server:
        """Return the server, to be run here or in a thread; no token ever is in its log."""
        tls = self.tls
        config = uvicorn.Config(
            create_app(self.study, url=self.url),
            log_level=logging.WARNING,
            access_log=False,  # a link may hold a token
            timeout_graceful_shutdown=SECONDS_TO_CLOSE,
            http=Impatient,
            backlog=128,  # so many are let in before those who say nothing are looked at
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
        )
        return _Server(config)

    def run(self) -> None:
        """Serve until interrupted, or asked to end by the system."""
        if threading.current_thread() is threading.main_thread():
            # The server ends in order by itself and then passes the signal on to this.
            signal.signal(signal.SIGTERM, lambda *_: None)
        # Now, since at the first analysis everyone would wait for it.
        threading.Thread(target=import_module, args=["scipy.stats"], daemon=True).start()
        self.server().run(sockets=[self.listener])

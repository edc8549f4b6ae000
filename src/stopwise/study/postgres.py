"""Connections to PostgreSQL that end when nobody answers, at both ends.

A connection that is lost silently (a cable, a switch, a machine that is gone) tells neither end.
Without limits a request would wait for many minutes, and the lock of its row outlive it.
"""

import socket
import threading
from typing import Any

import psycopg
from sqlalchemy.engine import URL

# So many seconds an open transaction may do nothing, a lock may be waited for, and a statement may
# take. Whoever waits for a lock outlives one who holds it and is gone.
IDLE, LOCK, STATEMENT = 2.5, 3.5, 4.0
# After so long without an answer the connection is given up here: a little later, so that a
# database which does answer can say why. Then one new connection is tried, for LOCK: whoever asks
# learns within 10 s that nobody answers.
SILENCE = 4.5
# Lost packets: after 2 s without traffic, and then each second, the other end is asked for a sign.
KEEPALIVES = {"keepalives_idle": 2, "keepalives_interval": 1, "keepalives_count": 3}


def settings(url: URL) -> dict[str, Any]:
    limits = {
        "idle_in_transaction_session_timeout": f"{IDLE}s",
        "lock_timeout": f"{LOCK}s",
        "statement_timeout": f"{STATEMENT}s",
        **{f"tcp_{name}": value for name, value in KEEPALIVES.items()},
    }
    defaults = {
        "connect_timeout": round(LOCK),
        "tcp_user_timeout": round(1000 * LOCK),
        "options": " ".join(f"-c {name}={value}" for name, value in limits.items()),
        **KEEPALIVES,
    }
    return {name: value for name, value in defaults.items() if name not in url.query}


def connect_patiently(_dialect: object, _record: object, given: Any, named: Any) -> Any:
    """Make a connection for SQLAlchemy."""
    return _Patient.connect(*given, **named)


class _Patient(psycopg.Connection[Any]):
    """A connection that waits for an answer only so long."""

    def wait(self, *given: Any, **named: Any) -> Any:
        """Wait for the database; all that blocks comes through here."""
        limit = threading.Timer(SILENCE, self._hang_up)
        limit.daemon = True
        limit.start()
        try:
            return super().wait(*given, **named)
        finally:
            limit.cancel()

    def _hang_up(self) -> None:
        """End the connection under the thread that waits for it."""
        with socket.socket(fileno=socket.dup(self.pgconn.socket)) as line:
            line.shutdown(socket.SHUT_RDWR)

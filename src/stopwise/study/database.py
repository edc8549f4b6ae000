"""The tables of a store, in SQLite or PostgreSQL: durable writes, clear errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Column, Connection, Engine, Float, ForeignKey, Integer, Table, Text, exc
from sqlalchemy.engine import URL, make_url

from stopwise.core.snapshot import other_format
from stopwise.errors import InvalidInput, InvalidState, MissingPackage, StoreFailed

# Of the tables, and of the journal in them; another one is refused.
FORMAT = 1

_METADATA = sa.MetaData()
_format = Table("stopwise", _METADATA, Column("format", Integer, primary_key=True))  # one row
# One row per study: its secret (see blinding.py) and where its journal ends, so that entries cut
# off at the end show. The row is locked while an entry is added.
studies = Table(
    "studies",
    _METADATA,
    Column("study", Text, primary_key=True),
    Column("secret", Text, nullable=False),
    Column("owners", Text, nullable=False),  # from which owners' tokens are made (see access.py)
    Column("seq", Integer, nullable=False),
    Column("hash", Text, nullable=False),
)
journal = Table(
    "journal",
    _METADATA,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("key", Text),
    Column("body", Text, nullable=False),
    Column("hash", Text, nullable=False),
    sa.UniqueConstraint("study", "key", name="journal_key"),
)

# When a runner was last heard of, at each station: no event, or it would fill the journal.
presence = Table(
    "presence",
    _METADATA,
    Column("study", Text, ForeignKey(studies.c.study), primary_key=True),
    Column("station", Text, primary_key=True),
    Column("time", Float, nullable=False),
    Column("boot", Text, nullable=False),  # and the uptime, as in clock.py
    Column("uptime", Float, nullable=False),
)

# The set-up of one PostgreSQL database is serialised by this number.
SET_UP_LOCK = 0x57_0B_15E
SECONDS_TO_WAIT = 8  # for a lock of SQLite, or a connection: people wait at most 10
# Faults that people can fix, by the databases' messages.
SIGNS = {
    "disk-full": ("is full", "No space left", "could not extend", "File too large"),
    "disk-error": ("disk I/O error",),  # also what SQLite says of a quota
    "read-only": ("readonly", "read-only"),
    "no-answer": ("connection", "timeout", "is locked", "recovery"),
}


def database_url(text_or_path: str | Path) -> URL:
    given = str(text_or_path)
    if "://" not in given:
        return URL.create("sqlite", database=given)
    try:
        url = make_url(given)
    except exc.ArgumentError as error:
        raise InvalidInput("this is not a database URL") from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        return url
    raise InvalidInput(
        f"a study is kept in SQLite or PostgreSQL, but this URL is for {url.get_backend_name()}"
    )


def connect(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url, connect_args={"timeout": SECONDS_TO_WAIT})
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        from stopwise.study.postgres import connect_patiently, settings
    except ImportError as error:
        raise MissingPackage(
            'a study in PostgreSQL needs psycopg: pip install "stopwise[postgres]"'
        ) from error
    engine = sa.create_engine(
        url, pool_pre_ping=True, pool_timeout=SECONDS_TO_WAIT, connect_args=settings(url)
    )
    sa.event.listen(engine, "do_connect", connect_patiently)
    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that sees one consistent state of the database."""
    sqlite = engine.dialect.name == "sqlite"
    options = {} if sqlite else {"isolation_level": "REPEATABLE READ"}
    with _clear_errors(engine), engine.connect().execution_options(**options) as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give a connection in a transaction that is committed at the end, or leaves nothing."""
    with (
        _clear_errors(engine),
        engine.connect().execution_options(writes=True) as connection,
        connection.begin(),
    ):
        yield connection


def set_up(engine: Engine) -> None:
    """Make the tables, if there are none."""
    with reading(engine) as connection:
        if _has_tables(connection):
            return
    with writing(engine) as connection:
        serialise(connection)
        if not _has_tables(connection):  # another server may have made them concurrently
            _METADATA.create_all(connection, checkfirst=False)
            connection.execute(sa.insert(_format).values(format=FORMAT))


def serialise(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({SET_UP_LOCK})"))


def server_time(connection: Connection) -> sa.Label[float]:
    """Return an expression for the time by the server's clock; SQLite has no server."""
    if connection.dialect.name == "sqlite":
        return sa.literal(0.0).label("now")
    return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), Float).label("now")


def patient(connection: Connection) -> None:
    """Allow an idle transaction while its reader works."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET LOCAL idle_in_transaction_session_timeout = 0"))


def _has_tables(connection: Connection) -> bool:
    names = sa.inspect(connection).get_table_names()
    if studies.name not in names:
        return False
    known = connection.execute(sa.select(_format)).scalar() if _format.name in names else None
    refusal = other_format("this store was made", known, FORMAT)
    if refusal is not None:
        raise InvalidState(refusal)
    return True


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin below, not where the driver guesses
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _clear_errors(engine: Engine) -> Iterator[None]:
    """Turn a database error into one clear line, without passwords."""
    place = engine.url.render_as_string(hide_password=True)
    try:
        yield
    except exc.SQLAlchemyError as error:
        if getattr(error, "connection_invalidated", False):
            raise StoreFailed(
                f"lost the connection to {place}: the last report may or may not have been stored; "
                "send it again with the same key",
                code="no-answer",
            ) from error
        reason = (str(getattr(error, "orig", error)).strip().splitlines() or ["failed"])[0]
        if "malformed" in reason or "not a database" in reason:
            raise InvalidState(f"the store {place} is damaged: {reason}") from error
        codes = (code for code, signs in SIGNS.items() if any(sign in reason for sign in signs))
        raise StoreFailed(
            f"the store {place} failed and nothing was written: {reason}", code=next(codes, None)
        ) from error

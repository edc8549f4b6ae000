"""The store of one study: where it is, and its journal, appended to by one writer at a time."""

import sqlite3
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, insert, select, update

from stopwise.errors import (
    InvalidInput,
    InvalidState,
    NotAllowed,
    StopwiseError,
    StoreFailed,
    require,
)
from stopwise.files import PRIVATE
from stopwise.study.blinding import new_secret
from stopwise.study.clock import Moment, moment
from stopwise.study.database import (
    connect,
    database_url,
    journal,
    patient,
    presence,
    reading,
    serialise,
    server_time,
    set_up,
    studies,
    writing,
)
from stopwise.study.entries import Entry, decode, encode, verified
from stopwise.study.event import ORIGIN, Event
from stopwise.study.plan_file import FILE_NAME, store_in

BATCH = 10_000
DATABASE = "study.db"
LOCKED = "study.locked"  # beside the plan from its lock on: without its store, that is an error
NAME = "study"  # where no other is given


class Store:
    """One study in a database, by its name there.

    The clock gives seconds since 1970: by default the machine's for SQLite, the server's for
    PostgreSQL, so that several machines agree.
    """

    def __init__(
        self, engine: Engine, study: str, clock: Callable[[], float] | None = None
    ) -> None:
        self.engine, self.study = engine, study
        self._clock = clock
        weakref.finalize(self, engine.dispose)  # also for those who forget to close it

    @classmethod
    def open(
        cls,
        url_or_path: str | Path,
        *,
        create: str | None = None,
        may_exist: bool = False,
        clock: Callable[[], float] | None = None,
    ) -> "Store":
        """Open the store at a path or URL; its tables are made if there are none.

        The study's name stands after "#" in a URL; it may be left out if there is only one.
        With ``create``, a study that is not there is made, by default under that name.
        """
        base, _, name = str(url_or_path).partition("#")
        url = database_url(base)
        file = Path(url.database or ":")
        missing = url.get_backend_name() == "sqlite" and not file.exists()
        require(create is not None or not missing, f"there is no study at {base}")
        engine = connect(url)
        if missing and file.parent.is_dir():
            file.touch(mode=PRIVATE)
        try:
            set_up(engine)
            study = _find(engine, name, create, may_exist=may_exist)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, study, clock)

    @property
    def _in_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close all connections; an SQLite file is then complete in itself."""
        if self._in_sqlite:
            with suppress(StopwiseError), reading(self.engine) as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self.engine.dispose()

    def backup(self, file: Path) -> None:
        """Copy the whole SQLite database into a new file, also while others write to it."""
        require(
            self._in_sqlite,
            "only a study in SQLite is backed up to a file: use pg_dump for PostgreSQL",
        )
        try:
            file.touch(mode=PRIVATE, exist_ok=False)
            with (
                closing(sqlite3.connect(str(self.engine.url.database))) as source,
                closing(sqlite3.connect(file)) as copy,
            ):
                source.backup(copy)
        except FileExistsError as error:
            raise NotAllowed(f"{file} already exists: choose another name") from error
        except (OSError, sqlite3.Error) as error:
            raise StoreFailed(f"the backup {file} was not written: {error}") from error

    def local_time(self) -> float:
        """Return the time by this machine's clock, without asking the store."""
        return (self._clock or time.time)()

    def moment(self, served: float) -> Moment:
        """Complete a time of the database server; SQLite has none, and a set clock needs none."""
        if self._clock is not None:
            return Moment(self._clock())
        return moment(time.time() if self._in_sqlite else float(served))

    @contextmanager
    def look(self) -> Iterator["Look"]:
        with reading(self.engine) as connection:
            yield Look(self, connection)

    @contextmanager
    def writer(self) -> Iterator["Writer"]:
        """Give the one writer of the study; all it adds is committed together, or nothing."""
        with writing(self.engine) as connection:
            writer = Writer(self, connection, lock=True)
            yield writer
            writer.flush()

    def secret(self) -> str:
        with self.look() as look:
            return look.secret

    def owners(self) -> str:
        """Return the secret from which owners' tokens are made; it is never in the journal."""
        with self.look() as look:
            return look.owners

    def entries(self) -> Iterator[Entry]:
        with self.look() as look:
            yield from look.entries(0, ORIGIN)

    def hear(self, station: str) -> None:
        """Record that a runner is at a station."""
        with writing(self.engine) as connection:
            place = (presence.c.study == self.study) & (presence.c.station == station)
            now = Look(self, connection).moment._asdict()
            if not connection.execute(update(presence).where(place).values(now)).rowcount:
                new = {"study": self.study, "station": station, **now}
                connection.execute(insert(presence).values(new))

    def damage(self) -> list[str]:
        """Result of the database's own integrity check."""
        if not self._in_sqlite:
            return []
        with reading(self.engine) as connection:
            lines = connection.exec_driver_sql("PRAGMA integrity_check(10)").scalars().all()
        return [] if lines == ["ok"] else [f"the file is damaged: {line}" for line in lines]


class Look:
    """A consistent view of a study in one transaction; with ``lock``, nobody else may write."""

    def __init__(self, store: Store, connection: Connection, *, lock: bool = False) -> None:
        self._connection, self._study = connection, store.study
        query = select(studies, server_time(connection)).where(studies.c.study == store.study)
        head = connection.execute(query.with_for_update() if lock else query).one_or_none()
        if head is None:
            raise InvalidInput(f"there is no study named {store.study!r} in this store")
        self.seq, self.hash = int(head.seq), str(head.hash)
        self.secret, self.owners = str(head.secret), str(head.owners)
        self.moment = store.moment(head.now)
        self._end = self.seq, self.hash

    def heard(self) -> dict[str, Moment]:
        """When a runner was last heard of, by station."""
        rows = self._connection.execute(select(presence).where(presence.c.study == self._study))
        return {row.station: Moment(row.time, row.boot, row.uptime) for row in rows}

    def entries(self, after: int, previous: str) -> Iterator[Entry]:
        """Yield the verified entries after a known one, up to where the study says that it ends."""
        seq, digest = self._end
        if (seq, digest) == (after, previous):
            return
        query = (
            select(journal.c.seq, journal.c.body, journal.c.hash)
            .where(journal.c.study == self._study, journal.c.seq > after)
            .order_by(journal.c.seq)
        )
        if seq - after > BATCH:
            query = query.execution_options(yield_per=BATCH)
            patient(self._connection)
        last, rows = (after, previous), map(tuple, self._connection.execute(query))
        for number, body, written_hash in verified(rows, seq=after, previous=previous):
            last = number, written_hash
            yield decode(body, written_hash)
        if last[0] != seq:
            raise InvalidState(
                f"the journal is damaged: it ends with entry {last[0]}, but {seq} were written"
            )
        if last[1] != digest:
            raise InvalidState(
                f"the journal is damaged: entry {seq} is not the one that was written last"
            )


class Writer(Look):
    """The right to add to a journal, within one transaction."""

    def __init__(self, store: Store, connection: Connection, *, lock: bool = False) -> None:
        super().__init__(store, connection, lock=lock)
        self._rows: list[dict[str, object]] = []

    def find(self, keys: list[str]) -> dict[str, Entry]:
        """Return the entries that were made with these idempotency keys."""
        query = select(journal.c.key, journal.c.body, journal.c.hash).where(
            journal.c.study == self._study, journal.c.key.in_(keys)
        )
        rows = self._connection.execute(query) if keys else ()
        return {key: decode(body, digest) for key, body, digest in rows}

    def add(self, events: Sequence[Event], *, who: str, key: str | None = None) -> list[Entry]:
        """Add events, stored when the transaction ends; the last one carries the key."""
        entries = []
        for event in events:
            last_key, seq = key if event is events[-1] else None, self.seq + 1
            body, digest = encode(
                event,
                study=self._study,
                seq=seq,
                moment=self.moment,
                who=who,
                key=last_key,
                previous=self.hash,
            )
            self.seq, self.hash = seq, digest
            row = {"study": self._study, "seq": seq, "key": last_key, "body": body, "hash": digest}
            self._rows.append(row)
            entries.append(decode(body, digest))
        return entries

    def flush(self) -> None:
        if self._rows:
            change = update(studies).where(studies.c.study == self._study)
            self._connection.execute(insert(journal), self._rows)
            self._connection.execute(change.values(seq=self.seq, hash=self.hash))


def _find(engine: Engine, name: str, create: str | None, *, may_exist: bool) -> str:
    """Return the name of the study that is wanted, made if asked for and not there."""
    with writing(engine) if create else reading(engine) as connection:
        serialise(connection)
        known = list(connection.execute(select(studies.c.study)).scalars())
        require(
            bool(name) or len(known) < 2,
            f"this store holds several studies: add '#' and one of {', '.join(sorted(known))}",
        )
        wanted = name or (known[0] if known else create or NAME)
        if wanted in known:
            if create and not may_exist:
                raise NotAllowed(f"there is already a study named {wanted!r} in this store")
        elif create:
            new = {"study": wanted, "seq": 0, "hash": ORIGIN}
            new |= {"secret": new_secret(), "owners": new_secret()}
            connection.execute(insert(studies).values(new))
        else:
            raise InvalidInput(f"there is no study named {wanted!r} in this store")
    return wanted


def open_store(
    url_or_path: str | Path, *, create: bool = False, clock: Callable[[], float] | None = None
) -> tuple[Store, Path | None]:
    if is_url(url_or_path):
        return Store.open(url_or_path, create=NAME if create else None, clock=clock), None
    path = Path(url_or_path)
    if not path.is_dir():
        require(
            not path.is_file() or path.suffix == ".db" or _is_database(path),
            f"{path} is not a study: a study is a folder, made with `stopwise study init FOLDER`",
        )
        return Store.open(path, clock=clock), path.parent
    plan = path / FILE_NAME
    text = plan.read_text(encoding="utf-8", errors="replace") if plan.exists() else ""
    place = store_in(text) or str(path / DATABASE)
    require(
        plan.exists() or Path(place).exists(),
        f"there is no study in {path}: create one with `stopwise study init {path}`",
    )
    # With a plan alone, the store is made now; one that was locked had its store already.
    name = NAME if plan.exists() and not (path / LOCKED).exists() else None
    try:
        return Store.open(place, create=name, may_exist=True, clock=clock), path
    except InvalidInput as error:
        if not (path / LOCKED).exists():
            raise
        raise lost_store(path, str(error)) from error


def mark_locked(folder: Path, digest: str) -> None:
    """Note in a folder that its plan was locked, so that a lost store is not taken for a draft."""
    with suppress(OSError):  # the journal is what counts
        (folder / LOCKED).touch(mode=PRIVATE)
        (folder / LOCKED).write_text(f"{digest}\n", encoding="utf-8")


def lost_store(folder: Path, why: str) -> InvalidState:
    return InvalidState(
        f"the plan in {folder} was locked, but {why}: restore the store from a backup (one made "
        "with `stopwise study backup`; study.db alone, copied from a study in use, lacks its "
        "newest entries), or start a new study in another folder"
    )


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(6) == b"SQLite"


def is_url(text: str | Path) -> bool:
    return isinstance(text, str) and "://" in text

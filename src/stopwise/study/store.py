"""The store of one study: where it is, and its journal, appended to by one writer at a time."""

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Engine,
    Float,
    Label,
    Row,
    cast,
    extract,
    func,
    insert,
    literal,
    select,
    update,
)

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
    set_up,
    studies,
    writing,
)
from stopwise.study.entries import Entry, decode, encode, verified
from stopwise.study.event import ORIGIN, Event
from stopwise.study.plan_file import FILE_NAME, read_store

BATCH = 10_000
DATABASE = "study.db"
LOCKED = "study.locked"  # beside the plan from its lock on: without its store, that is an error
SQLITE = b"SQLite format 3"  # how the file of a store begins
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
        missing = url.get_backend_name() == "sqlite" and not Path(url.database or "").exists()
        require(create is not None or not missing, f"there is no study at {base}")
        engine = connect(url)
        if missing and Path(url.database or ":").parent.is_dir():
            Path(url.database or ":").touch(mode=PRIVATE)
        try:
            set_up(engine)
            study = _find(engine, name, create, may_exist=may_exist)
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, study, clock)

    def close(self) -> None:
        if self.engine.dialect.name == "sqlite":
            with suppress(StopwiseError), reading(self.engine) as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        self.engine.dispose()

    def backup(self, file: Path) -> None:
        """Copy the whole SQLite database into a new file, also while others write to it."""
        require(
            self.engine.dialect.name == "sqlite",
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

    def now(self) -> Moment:
        if self._clock is not None or self.engine.dialect.name == "sqlite":
            return self._moment(0.0)
        with reading(self.engine) as connection:
            return self._moment(connection.execute(select(_time_of(connection))).scalar_one())

    def _moment(self, served: float) -> Moment:
        if self._clock is not None:
            return Moment(self._clock())
        return moment(time.time() if self.engine.dialect.name == "sqlite" else float(served))

    def local_time(self) -> float:
        return (self._clock or time.time)()

    def secret(self) -> str:
        with reading(self.engine) as connection:
            return str(self._head(connection).secret)

    def owners(self) -> str:
        """Return the secret from which owners' tokens are made; it is never in the journal."""
        with reading(self.engine) as connection:
            return str(self._head(connection).owners)

    def entries(self, after: int = 0) -> Generator[Entry, None, None]:
        with reading(self.engine) as connection:
            known = self._hash_of(connection, after)
            for _, body, digest in self._rows(connection, self._head(connection), after, known):
                yield decode(body, digest)

    @contextmanager
    def look(self, after: int, previous: str) -> Iterator["Look"]:
        """Give all that is new after a known entry, as of one moment."""
        with reading(self.engine) as connection:
            head = self._head(connection)
            rows = connection.execute(select(presence).where(presence.c.study == self.study))
            heard = {row.station: Moment(row.time, row.boot, row.uptime) for row in rows}
            found = self._rows(connection, head, after, previous)
            entries = (decode(body, digest) for _, body, digest in found)
            yield Look(self._moment(head.now), heard, entries)

    def hear(self, station: str) -> None:
        with writing(self.engine) as connection:
            place = (presence.c.study == self.study) & (presence.c.station == station)
            now = self._moment(self._head(connection).now)._asdict()
            if not connection.execute(update(presence).where(place).values(now)).rowcount:
                new = {"study": self.study, "station": station, **now}
                connection.execute(insert(presence).values(new))

    def damage(self) -> list[str]:
        if self.engine.dialect.name != "sqlite":
            return []
        with reading(self.engine) as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check(10)").scalars().all()
        return [] if found == ["ok"] else [f"the file is damaged: {line}" for line in found]

    @contextmanager
    def writer(self) -> Iterator["Writer"]:
        """Give the one writer of the study; all it adds is committed together, or nothing."""
        with writing(self.engine) as connection:
            head = self._head(connection, lock=True)
            writer = Writer(self, connection, head, self._moment(head.now))
            yield writer
            writer.flush()

    def _head(self, connection: Connection, *, lock: bool = False) -> Row[Any]:
        """Return the row of the study, and the time; with a lock, no one else may write."""
        query = select(studies, _time_of(connection)).where(studies.c.study == self.study)
        found = connection.execute(query.with_for_update() if lock else query).one_or_none()
        if found is None:
            raise InvalidInput(f"there is no study named {self.study!r} in this store")
        return found

    def _hash_of(self, connection: Connection, seq: int) -> str:
        query = select(journal.c.hash).where(journal.c.study == self.study, journal.c.seq == seq)
        return str(connection.execute(query).scalar()) if seq else ORIGIN

    def _rows(
        self, connection: Connection, head: Row[Any], after: int, previous: str
    ) -> Iterator[tuple[int, str, str]]:
        """Yield verified rows; the last one must be where the study says that it ends."""
        if (head.seq, head.hash) == (after, previous):
            return
        query = (
            select(journal.c.seq, journal.c.body, journal.c.hash)
            .where(journal.c.study == self.study, journal.c.seq > after)
            .order_by(journal.c.seq)
        )
        if head.seq - after > BATCH:
            query = query.execution_options(yield_per=BATCH)
            patient(connection)
        found = connection.execute(query)
        last = after, previous
        for row in verified((tuple(row) for row in found), seq=after, previous=previous):
            last = row[0], row[2]
            yield row
        if last[0] != head.seq:
            raise InvalidState(
                f"the journal is damaged: it ends with entry {last[0]}, but {head.seq} were written"
            )
        if last[1] != head.hash:
            raise InvalidState(
                f"the journal is damaged: entry {head.seq} is not the one that was written last"
            )


class Look(NamedTuple):
    moment: Moment
    heard: dict[str, Moment]
    entries: Iterator[Entry]


class Writer:
    def __init__(
        self, store: Store, connection: Connection, head: Row[Any], moment: Moment
    ) -> None:
        self.seq, self.hash, self.moment = head.seq, head.hash, moment
        self._store, self._connection, self._head = store, connection, head
        self._rows: list[dict[str, object]] = []

    def entries(self, after: int, previous: str) -> list[Entry]:
        if after == self.seq and previous == self.hash:
            return []
        rows = self._store._rows(self._connection, self._head, after, previous)
        return [decode(body, digest) for _, body, digest in rows]

    def find(self, keys: list[str]) -> dict[str, Entry]:
        if not keys:
            return {}
        found = self._connection.execute(
            select(journal.c.key, journal.c.body, journal.c.hash).where(
                journal.c.study == self._store.study, journal.c.key.in_(keys)
            )
        )
        return {key: decode(body, digest) for key, body, digest in found}

    def add(self, events: Sequence[Event], *, who: str, key: str | None = None) -> list[Entry]:
        entries = []
        study = self._store.study
        for event in events:
            own = key if event is events[-1] else None
            body, digest = encode(
                event,
                study=study,
                seq=self.seq + 1,
                moment=self.moment,
                who=who,
                key=own,
                previous=self.hash,
            )
            self.seq, self.hash = self.seq + 1, digest
            self._rows.append(
                {"study": study, "seq": self.seq, "key": own, "body": body, "hash": digest}
            )
            entries.append(decode(body, digest))
        return entries

    def flush(self) -> None:
        if self._rows:
            self._connection.execute(insert(journal), self._rows)
            self._connection.execute(
                update(studies)
                .where(studies.c.study == self._store.study)
                .values(seq=self.seq, hash=self.hash)
            )


def _time_of(connection: Connection) -> Label[float]:
    if connection.dialect.name == "sqlite":
        return literal(0.0).label("now")
    return cast(extract("epoch", func.clock_timestamp()), Float).label("now")


def _find(engine: Engine, name: str, create: str | None, *, may_exist: bool) -> str:
    with writing(engine) if create else reading(engine) as connection:
        serialise(connection)
        known = list(connection.execute(select(studies.c.study)).scalars())
        wanted = name or (_only(known) if known else create or "study")
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


def _only(known: list[str]) -> str:
    require(
        len(known) == 1,
        f"this store holds several studies: add '#' and one of {', '.join(sorted(known))}",
    )
    return known[0]


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
    place = read_store(plan) or str(path / DATABASE)
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


def readable_by_others(folder: Path | None) -> list[Path]:
    if os.name != "posix" or folder is None or not folder.stat().st_mode & 0o077:
        return []
    files = (folder / FILE_NAME, folder / DATABASE)
    return [file for file in files if file.exists() and file.stat().st_mode & 0o077]


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def is_url(text: str | Path) -> bool:
    return isinstance(text, str) and "://" in text

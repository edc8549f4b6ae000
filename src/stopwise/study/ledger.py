"""The newest state of a study, kept in step with its store."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stopwise.errors import StopwiseError, StoreFailed
from stopwise.study.access import Grant, Role
from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.events import Created
from stopwise.study.limits import printable
from stopwise.study.operation import Again, Now, Operation, Result
from stopwise.study.requirements import require_taken_by
from stopwise.study.state import StudyState
from stopwise.study.store import Look, Store, Writer

# How long a thread sleeps before it looks whether it must do the storing itself.
SECONDS_TO_WAIT = 0.02
# The ledgers that were looked up in this context; None outside of ``one_look``.
_LOOKED: ContextVar[set[int] | None] = ContextVar("looked", default=None)


@contextmanager
def one_look() -> Iterator[None]:
    """Let all that is read in the block come from one look at the store.

    What is stored meanwhile by this process is seen, too; what others store is not.
    """
    known = _LOOKED.get()
    token = _LOOKED.set(set() if known is None else known)
    try:
        yield
    finally:
        _LOOKED.reset(token)


@dataclass
class _Request:
    """A request to decide and store, and its outcome."""

    operation: Operation[Any]
    who: str
    grant: Grant | None
    repeated: bool = False
    entries: list[Entry] = field(default_factory=list)
    result: Any = None
    error: Exception | None = None
    done: threading.Event = field(default_factory=threading.Event)

    @property
    def key(self) -> str | None:
        return getattr(self.operation, "key", None)


class Ledger:
    """One process's view of a study; safe to use from several threads.

    Requests that come while another is being stored are stored together, in one transaction, so
    that many stations share the cost of a durable commit.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lock = threading.RLock()
        self.state = StudyState()  # that of entries which are all stored; empty after a failure
        self.entries: list[Entry] = []
        self._waiting: deque[_Request] = deque()
        self._storing = threading.Lock()
        self.trouble: StoreFailed | None = None  # why nothing could be stored the last time

    def refresh(self) -> StudyState:
        """Take in what others have added to the journal; return the state."""
        with self.lock:
            looked = _LOOKED.get()
            if looked is None or id(self) not in looked or not self.state.seq:
                with self.store.look() as look:
                    self._take_in(look)
                    heard_of = look.heard() if self.state.attended else {}
                    for station, moment in heard_of.items():
                        heard = self.state.now - look.moment.since(moment)
                        self.state.heard[station] = max(heard, self.state.heard.get(station, heard))
            if looked is not None:
                looked.add(id(self))
            return self.state

    def _take_in(self, look: Look) -> None:
        for entry in look.entries(self.state.seq, self.state.hash):
            self._apply(entry)
        self.state.now = self.state.clock_at(look.moment)

    def _apply(self, entry: Entry) -> None:
        self.state.apply(entry)
        self.entries.append(entry)

    def do(self, operation: Operation[Result], who: str, grant: Grant | None) -> Result:
        """Decide on the newest state and store it durably; a known key is only answered."""
        printable(who)
        request = _Request(operation, who, grant)
        self._waiting.append(request)
        while not request.done.is_set():
            # One thread stores for all that wait; the others need no lock to learn the outcome.
            if self._storing.acquire(blocking=False):
                try:
                    with self.lock:
                        self._store(self._all_waiting())
                finally:
                    self._storing.release()
            else:
                request.done.wait(SECONDS_TO_WAIT)
        if isinstance(request.error, Again):
            return self.do(operation, who, grant)
        if request.error is not None:
            raise request.error
        result: Result = request.result
        return result

    def _all_waiting(self) -> list[_Request]:
        return [self._waiting.popleft() for _ in range(len(self._waiting))]

    def _store(self, batch: list[_Request]) -> None:
        """Decide all requests, one after the other, and store them in one transaction."""
        if not batch:
            return
        try:
            self._prepare(batch)
            with self.store.writer() as writer:
                self._take_in(writer)
                known = writer.find([request.key for request in batch if request.key is not None])
                for request in batch:
                    self._decide(request, writer, known)
            self.trouble = None
            for request in batch:
                if request.error is None:
                    self._answer(request)
        except BaseException as error:
            self.trouble = error if isinstance(error, StoreFailed) else None
            # The state may hold entries that were not stored: it is made anew.
            self.state, self.entries = StudyState(), []
            if self.trouble is not None and self.trouble.code == "no-answer":
                # Those that came meanwhile have waited, too, and would now wait as long again.
                batch += self._all_waiting()
            for request in batch:
                request.entries, request.error = [], _own_copy(error)
            if not isinstance(error, StopwiseError):
                raise
        finally:
            for request in batch:
                request.done.set()

    def _prepare(self, batch: list[_Request]) -> None:
        """Do slow work before a transaction, since others wait for it."""
        if not self.state.seq:
            self.refresh()
        if any(request.operation.of_trials for request in batch):
            for board in self.state.boards.values():
                board.advance()

    def _decide(self, request: _Request, writer: Writer, known: dict[str, Entry]) -> None:
        if request.key is not None and request.key in known:
            request.entries, request.repeated = [known[request.key]], True
            return
        try:
            operation, grant = request.operation, request.grant
            if operation.own and grant is not None and grant.role is not Role.RUNNER:
                require_taken_by(self.state, getattr(operation, "trial", 0), grant.name)
            outcome = operation.decide(self._now(request))
        except Exception as error:  # it changed nothing: others need not suffer for it
            request.error = error
            return
        events = [outcome] if isinstance(outcome, Event) else list(outcome)
        if events and self.state.seq == 0:
            events.insert(0, Created(study=self.store.study))
        request.entries = writer.add(events, who=request.who, key=request.key)
        for entry in request.entries:
            self._apply(entry)
        if request.key is not None and request.entries:
            known[request.key] = request.entries[-1]

    def _answer(self, request: _Request) -> None:
        try:
            request.result = request.operation.result(self._now(request))
        except (StopwiseError, Again) as error:
            request.error = error

    def _now(self, request: _Request) -> Now:
        return Now(
            self.state,
            self.secret,
            self.store.local_time(),
            request.grant,
            request.entries,
            request.repeated,
        )

    @cached_property
    def secret(self) -> str:
        return self.store.secret()


def _own_copy(error: BaseException) -> Exception:
    """A copy of the error for each thread, so that none changes another's."""
    if not isinstance(error, StopwiseError):
        return StoreFailed(f"nothing was stored: {error!r}")
    again = copy(error)
    again.__cause__ = error.__cause__
    return again

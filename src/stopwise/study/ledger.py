"""The newest state of a study beside its store: others' entries come in, own ones go out."""

import threading
from collections.abc import Callable

from stopwise.errors import InvalidState, StoreFailed, require
from stopwise.study.blinding import Lots
from stopwise.study.journal import Draft, Entry
from stopwise.study.plan import Plan
from stopwise.study.snapshot import dump_state, load_state
from stopwise.study.state import State
from stopwise.study.store import Store

__all__ = ["Decide", "Ledger", "require_name"]

Decide = Callable[[State, float], list[Draft]]
# A state is saved after so many further entries, or so large a share of them.
SAVE_AFTER, SAVE_SHARE = 2000, 50
# Up to so many entries are checked whenever a study is opened; beyond, by ``Study.verify``.
CHECKED_AT_ONCE = 30_000


class Ledger:
    """One process's view of a study; safe to use from several threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lock = threading.RLock()
        self._state = State()
        self._lots: Lots | None = None
        self._saved = 0

    @property
    def state(self) -> State:
        """The state as last seen, without a look at the store."""
        return self._state

    def open(self) -> None:
        """Start from the saved state if it belongs to the journal; else replay all."""
        snapshot = self.store.snapshot()
        if snapshot is not None:
            seq, digest, content = snapshot
            self.store.check_chain(seq if seq > CHECKED_AT_ONCE else 0, (seq, digest))
            try:
                state = load_state(content)
                if (state.seq, state.hash) == (seq, digest):
                    self._state, self._saved = state, seq
            except (InvalidState, ValueError, KeyError, TypeError):
                pass  # only a cache, whose fault ``verify`` names: the journal alone will do
        self.refresh()

    def refresh(self) -> State:
        """Take in what others have added to the journal; return the state."""
        with self.lock:
            for entry in self.store.entries(self._state.seq, self._state.hash):
                self._state.apply(entry)
            self._save_now_and_then()
            return self._state

    def commit(self, decide: Decide, *, who: str, key: str | None = None) -> list[Entry]:
        """Let a decision be taken on the newest state and store it, alone and durably.

        If the key is known already, nothing is decided: the entry that carries it is returned.
        """
        require_name(who, "a name")
        if key is not None:
            require_name(key, "a key")
        with self.lock:
            with self.store.writer() as writer:
                for entry in writer.entries(self._state.seq, self._state.hash):
                    self._state.apply(entry)
                known = writer.find(key) if key is not None else None
                if known is not None:
                    return [known]
                drafts = decide(self._state, writer.time)
                if drafts and self._state.seq == 0:
                    drafts.insert(0, Draft("created", {"study": self.store.study, "format": 1}))
                entries = writer.add(drafts, who=who, key=key)
            for entry in entries:
                self._state.apply(entry)
            self._save_now_and_then()
            return entries

    def lots(self, plan: Plan) -> Lots:
        """Return what draws at random for this study."""
        if self._lots is None:
            self._lots = Lots(self.store.secret(), plan.seed)
        return self._lots

    def save(self) -> None:
        """Save the state, so that the next opening need not replay."""
        with self.lock:
            state = self._state
            self.store.save_snapshot((state.seq, state.hash, dump_state(state)))
            self._saved = state.seq

    def _save_now_and_then(self) -> None:
        since = self._state.seq - self._saved
        if since < max(SAVE_AFTER, self._state.seq // SAVE_SHARE):
            return
        try:
            self.save()
        except StoreFailed:
            self._saved = self._state.seq  # a cache that cannot be kept is no reason to stop


def require_name(text: str, what: str) -> None:
    """Raise unless the text is short and printable."""
    require(
        0 < len(text) <= 200 and text.isprintable(),
        f"{what} must have 1 to 200 printable characters, but got {text[:200]!r}",
    )

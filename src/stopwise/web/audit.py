"""The journal as people read it: one sentence per entry, nothing that would unblind a trial."""

from stopwise.study.journal import Entry
from stopwise.web.answers import EntryView

__all__ = ["entry_view"]


def entry_view(entry: Entry, *, blinded: bool) -> EntryView:
    """Return an entry for the owner."""
    return EntryView(
        seq=entry.seq,
        time=entry.time,
        who=entry.who,
        kind=entry.kind,
        text=entry.event.text(blinded=blinded),
        content=entry.event.shown(blinded=blinded),
        hash=entry.hash,
    )

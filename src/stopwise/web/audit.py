"""The journal as people read it: one sentence per entry, nothing that would unblind a trial."""

from collections.abc import Callable
from typing import Any

from stopwise.study.journal import Entry
from stopwise.web.answers import EntryView

__all__ = ["entry_view"]

# Which label a trial has stays hidden, so that nobody voids a trial by its arm. So does how it
# went: the trials that count, and the evidence, tell the scores of each label row by row.
OUTCOME = frozenset({"score", "answer", "tag", "seconds"})
BLIND = OUTCOME | {"arm", "opens", "salt", "arms", "baseline", "plan", "rows", "names", "secret"}
UNSEEN = dict.fromkeys(OUTCOME)
NEVER = frozenset({"digest"})  # of a token


def entry_view(entry: Entry, *, blinded: bool) -> EntryView:
    """Return an entry for the owner."""
    hidden = NEVER | BLIND if blinded else NEVER
    content = {name: value for name, value in entry.content.items() if name not in hidden}
    if entry.kind == "locked":
        content["digest"] = entry.content["digest"]
    return EntryView(
        seq=entry.seq,
        time=entry.time,
        who=entry.who,
        kind=entry.kind,
        text=_text(entry.kind, entry.content if not blinded else {**entry.content, **UNSEEN}),
        content=content,
        hash=entry.hash,
    )


def _text(kind: str, content: dict[str, Any]) -> str:
    write = _TEXTS.get(kind)
    return kind if write is None else write(content)


def _scored(content: dict[str, Any]) -> str:
    score = "" if content["score"] is None else f" {content['score']:.3g}"
    if "correction" in content:
        return f"trial {content['trial']} scored anew{score}"
    parts = [f"trial {content['trial']} scored{score}"]
    if content.get("seconds") is not None:
        parts.append(f"after {content['seconds']:.0f} s")
    if content.get("tag"):
        parts.append(f"[{content['tag']}]")
    if content.get("note"):
        parts.append(f"“{content['note']}”")
    return " ".join(parts)


def _because(text: str, content: dict[str, Any]) -> str:
    return f"{text}: {content['reason']}" if content.get("reason") else text


def _assigned(content: dict[str, Any]) -> str:
    return f"trial {content['trial']}, code {content['code']}, given to {content['station']}"


def _amended(content: dict[str, Any]) -> str:
    changes = ", ".join(f"{name} = {value}" for name, value in content["changes"].items())
    return _because(f"amended {changes}" if changes else "remark", content)


_TEXTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "created": lambda _: "study created",
    "locked": lambda content: f"plan locked, SHA-256 {content['digest'][:16]}…",
    "assigned": _assigned,
    "started": lambda content: f"trial {content['trial']} started",
    "released": lambda content: _because(f"trial {content['trial']} given back", content),
    "scored": _scored,
    "undone": lambda content: _because(f"score of trial {content['trial']} withdrawn", content),
    "voided": lambda content: _because(f"trial {content['trial']} voided", content),
    "imported": lambda content: f"{len(content['rows'])} rows imported for {content['task']}",
    "amended": _amended,
    "unblinded": lambda content: _because("unblinded", content),
    "token created": lambda content: f"token for {content['name']} ({content['role']})",
    "token revoked": lambda content: f"token {content['token']} revoked",
}

"""What a reader has to be told: odd names of policies, and all notes in order of importance."""

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from stopwise.data.raw import says
from stopwise.data.standard import Part
from stopwise.messages import ONE_LOOK, Message, Notes, names_listed

# From so many files on, what is said of each is said once.
MANY_FILES = 3
# A single trial is odd where others have so many.
MANY_TRIALS = 5
# What may change the answer comes first, then what was left out; the rest was only assumed.
FIRST = (
    *(
        "other-outcomes",
        "derived-score",
        "confounded",
        "words-of-failure",
        "unused-columns",
        "direction-unknown",
        "bounds-of-data",
        "training-log",
        "copied-scores",
    ),
    *("shards", "files-skipped", "last-line-cut", "headers-left-out", "completion-order", ONE_LOOK),
    *("names-alike", "one-name", "single-trial", "doubtful-scores", "policy-per-column"),
    *("policy-per-array", "scenes-of-one-task", "lists-unfolded", "numbers-restart"),
    *("order-of-file", "order-shuffled", "unscored-dropped", "unscored-failed", "at-point"),
    *("duplicates-dropped", "interrupted-left-out", "failed-left-out", "evaluations-pending"),
    *("journal-cut", "last-evaluation", "empty-policies"),
)


def odd_names(frame: pl.DataFrame, notes: Notes) -> None:
    """Note on policies that may be the same, written in two ways."""
    counts = dict(frame.group_by("policy", maintain_order=True).len().rows())
    written: dict[str, list[str]] = {}
    for name in counts:
        written.setdefault("".join(filter(str.isalnum, name.casefold())) or name, []).append(name)
    alike = [names for names in written.values() if len(names) > 1]
    for names in alike:
        text = f"policies {' and '.join(map(repr, names))} have nearly the same name, but count as "
        notes.add(f"{text}different ones", code="names-alike")
    told = {name for names in alike for name in names}
    single = [name for name, n in counts.items() if n == 1 and name not in told]
    if max(counts.values()) < MANY_TRIALS:
        return
    for name in single if len(single) <= MANY_FILES else ():
        others = [other for other in counts if counts[other] > 1]
        close = difflib.get_close_matches(name, others, n=1)
        question = f": is it {close[0]!r}, misspelt?" if close else ""
        notes.add(f"policy {name!r} has a single trial{question}", code="single-trial")
    if len(single) > MANY_FILES:
        notes.add(f"policies {names_listed(single)} have a single trial each", code="single-trial")


def one_name(parts: Sequence[Part], notes: Notes) -> None:
    """Note on files of one name in several folders, read as one policy."""
    files: dict[str, dict[str, str]] = {}
    for part in parts:
        if says(part.notes, "policy-assumed"):
            folder = str(Path(part.raw.source).parent)
            files.setdefault(part.frame["policy"][0], {}).setdefault(folder, part.raw.source)
    for name, places in files.items():
        stems = {Path(place).stem for place in places.values()}
        if len(places) > 1 and stems == {name}:
            first, second, *_ = places.values()
            notes.add(
                f"{first} and {second} have the same name, so they are read as trials of one "
                f"policy, {name!r}; if they are two, give each its own name",
                code="one-name",
            )


def in_order(parts: Sequence[Part], others: Iterable[str]) -> tuple[str, ...]:
    """Return all notes, those that matter most first, and one for many files of one kind."""
    kinds: dict[object, list[tuple[str, Message]]] = {}
    for source, note in [
        *(("", note) for note in others),
        *((part.raw.source, note) for part in parts for note in part.notes),
    ]:
        message = note if isinstance(note, Message) else Message(note, code="")
        own = message.parts[0] if message.parts else ""
        about = source if source and str(own).startswith(f"{source}: ") else ""
        assumed = about and message.code == "policy-assumed"
        rest = message.code if assumed else message.removeprefix(f"{about}: ")
        kinds.setdefault((bool(about), rest), []).append((about, message))
    said = [note for found in kinds.values() for note in _merged(found)]
    ranks = {code: rank for rank, code in enumerate(FIRST)}
    return tuple(sorted(dict.fromkeys(said), key=lambda note: ranks.get(note.code, len(FIRST))))


def _merged(found: Sequence[tuple[str, Message]]) -> list[Message]:
    about, first = found[0]
    others = len({source for source, _ in found}) - 1
    if not about or others + 1 < MANY_FILES:
        return [message for _, message in found]
    place = f"{about} and {others} more files: "
    if first.code == "policy-assumed":
        text = f"{place}no policy column, so each policy is called after its file"
        return [Message(text, code=first.code)]
    start, *more = first.parts
    return [Message(place + str(start).removeprefix(f"{about}: "), *more, code=first.code)]

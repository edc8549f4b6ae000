"""Notes to the reader, in order of importance."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from stopwise.data.names import each_of
from stopwise.data.raw import says
from stopwise.data.standard import Part
from stopwise.messages import Message, Notes

# From so many files on, what is said of each is said once.
MANY_FILES = 3
# What may change the answer comes first; what was only assumed comes last.
FIRST = each_of(
    "other-outcomes derived-score words-of-failure unused-columns direction-unknown "
    "bounds-of-data training-log copied-scores"
)
LAST = ("-guessed", "-default", "-assumed", "-of-format", "-of-logical", "-of-parts", "-in-turn")


def tell_one_name(parts: Sequence[Part], notes: Notes) -> None:
    """Note on policies that may be several, since files in two folders have one name."""
    files: dict[str, dict[str, str]] = {}
    for part in parts:
        if says(part.notes, "policy-assumed"):
            path = Path(part.raw.source)
            files.setdefault(part.frame["policy"][0], {}).setdefault(str(path.parent), str(path))
    for name, places in files.items():
        first, *more = places.values()
        if more and {Path(place).stem for place in places.values()} == {name}:
            text = f"{first} and {more[0]} have the same name, so they are read as trials of one "
            text += f"policy, {name!r}; if they are two, give each its own name"
            notes.add(text, code="one-name")


def in_order(parts: Sequence[Part], others: Iterable[str]) -> tuple[str, ...]:
    """All notes, the most important first, merged where many files have the same one."""
    kinds: dict[object, list[tuple[str, Message]]] = {}
    for source, note in [
        *(("", note) for note in others),
        *((part.raw.source, note) for part in parts for note in part.notes),
    ]:
        message = note if isinstance(note, Message) else Message(note)
        about = source if source and message.startswith(f"{source}: ") else ""
        assumed = about and message.code == "policy-assumed"
        rest = message.code if assumed else message.removeprefix(f"{about}: ")
        kinds.setdefault((bool(about), rest), []).append((about, message))
    said = dict.fromkeys(note for alike in kinds.values() for note in _merged(alike))
    return tuple(sorted(said, key=_rank))


def _rank(note: Message) -> int:
    if note.code in FIRST:
        return FIRST.index(note.code)
    return len(FIRST) + note.code.endswith(LAST)


def _merged(alike: Sequence[tuple[str, Message]]) -> list[Message]:
    about, first = alike[0]
    others = len({source for source, _ in alike}) - 1
    if not about or others + 1 < MANY_FILES:
        return [message for _, message in alike]
    place = f"{about} and {others} more files: "
    if first.code == "policy-assumed":
        text = f"{place}no policy column, so each policy is called after its file"
        return [Message(text, code=first.code)]
    start, *more = first.parts
    return [Message(place + str(start).removeprefix(f"{about}: "), *more, code=first.code)]

"""Texts for people that carry their code and the settings they name.

The library words a setting as Python (``missing='drop'``). An interface with words of its own, such
as the command line (``--missing drop``), rewords it with ``worded``; nobody has to search text.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

# So many of a list are named in a sentence.
MOST_NAMED = 4
# So many names of a list, characters of them all, and characters of a value are shown.
MOST_LISTED, MOST_LETTERS, MOST_SHOWN = 12, 180, 40
# The code of notes that the promise holds for one look only, and of that on policies in turn.
ONE_LOOK, IN_TURN = "one-look", "one-look-in-turn"
# The code of the note that a race tried the leading policy more often.
LED_RACE = "race-allocation"
# How files were read: the roles of columns to tell first, and notes that are hardly news.
FIRST = ("policy", "score", "block")
OF_FILE = "name of the file or its folder"
RANGES = ("bounds-of-format", "bounds-of-logical", "bounds-of-parts")


class Blank:
    """Part of a value that the reader has to fill in, shown as three dots."""

    def __repr__(self) -> str:
        return "..."


BLANK = Blank()


class Setting(NamedTuple):
    """A setting that a message names, by its keyword in the library.

    Attributes
    ----------
    name
        The keyword, such as "missing".
    value
        What to give, or None if the reader has to fill it in; ``BLANK`` is a part to fill in.
    words
        How the library says it, where that is not ``name=value``.
    """

    name: str
    value: object = None
    words: str | None = None

    def __str__(self) -> str:
        if self.words is not None:
            return self.words
        return f"{self.name}=" if self.value is None else f"{self.name}={self.value!r}"


def named(name: str) -> Setting:
    """Return a setting that a message names without a value to give it."""
    return Setting(name, words=name)


class Message(str):
    """A text for people; a plain string to everyone who does not ask for more.

    Parameters
    ----------
    *parts
        Text, and the settings that it names.
    code
        One word for programs, such as "no-score-column", where one asks for it.

    Examples
    --------
    >>> from stopwise.messages import Message, Setting
    >>> note = Message("no score; ", Setting("missing", "drop"), " drops it", code="no-score")
    >>> print(note)
    no score; missing='drop' drops it
    >>> note.worded(lambda setting: f"--{setting.name} {setting.value}")
    'no score; --missing drop drops it'
    """

    parts: tuple[str | Setting, ...]
    code: str

    __slots__ = ("code", "parts")

    def __new__(cls, *parts: str | Setting, code: str = "") -> "Message":
        """Join the parts, in the words of the library."""
        made = super().__new__(cls, "".join(map(str, parts)))
        made.parts, made.code = parts, code
        return made

    def __getnewargs_ex__(self) -> tuple[Any, Any]:
        return self.parts, {"code": self.code}

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings that it names, in order."""
        return tuple(part for part in self.parts if isinstance(part, Setting))

    def worded(self, word: Callable[[Setting], str]) -> str:
        """Return the text with each setting as ``word`` says it."""
        return "".join(word(part) if isinstance(part, Setting) else part for part in self.parts)

    def within(self, place: str) -> "Message":
        """Return the same message with the place it is about before it."""
        return Message(place, *self.parts, code=self.code)


class Notes(list[str]):
    """What was guessed, assumed or left out on the way, in order."""

    def add(self, *parts: str | Setting, code: str = "") -> None:
        """Note a message, given as that of a ``Message``."""
        self.append(Message(*parts, code=code))


def one_look(why: str, *way_out: str | Setting, code: str = ONE_LOOK) -> Message:
    """Say why further trials could change earlier rows, so that the promise holds for one look."""
    text = f"this is the answer of one look at the finished trials: {why}"
    return Message(text, *way_out, code=code)


def placed(place: str, text: str) -> str:
    """A text prefixed with its place; a ``Message`` stays one."""
    return text.within(place) if isinstance(text, Message) else f"{place}{text}"


def reworded(texts: Iterable[str], word: Callable[[Setting], str]) -> list[str]:
    """Return texts with their settings as ``word`` says them; what names none stays as it is."""
    return [text.worded(word) if isinstance(text, Message) else text for text in texts]


def in_short(notes: Iterable[str]) -> list[str]:
    """Notes for people; how files were read is one line, the first.

    Examples
    --------
    >>> read = Message(Setting("columns", {"policy": "arm"}), code="policy-column-guessed")
    >>> in_short([read, "order: shuffled"])
    ["columns used: policy = arm; override with columns={'policy': ...}", 'order: shuffled']
    """
    shown: list[str] = []
    read: dict[str, dict[str, None]] = {}
    for note in notes:
        code = getattr(note, "code", "")
        given = note.settings[0].value if isinstance(note, Message) and note.settings else None
        if code.endswith(("-column-guessed", "-column-default")) and isinstance(given, dict):
            ((role, column),) = given.items()
            read.setdefault(role, {})[column] = None
        elif code == "policy-assumed":
            read.setdefault("policy", {})[OF_FILE] = None
        else:
            shown.append(note)
    obvious = (() if "task" in read else ("task-assumed",)) + (RANGES if "score" in read else ())
    shown = [note for note in shown if getattr(note, "code", "") not in obvious]
    if not read:
        return shown
    if read.get("success") == read.get("score"):
        read.pop("success", None)
    order = sorted(read, key=(*FIRST, *read).index)
    columns = {role: " or ".join(read[role]) for role in order}
    text = ", ".join(role if role == name else f"{role} = {name}" for role, name in columns.items())
    guessed_roles = [role for role in order if OF_FILE not in read[role]] or ["policy"]
    otherwise = (
        Setting("score")
        if guessed_roles == ["score"]
        else Setting("columns", {guessed_roles[0]: BLANK})
    )
    return [Message(f"columns used: {text}; override with ", otherwise, code="read-as"), *shown]


def names_listed(names: Iterable[object]) -> str:
    """Return names in quotes, the first twelve and how many more there are.

    Examples
    --------
    >>> names_listed(["a", "b"])
    "'a', 'b'"
    """
    return few([shortened(name) for name in names], letters=MOST_LETTERS)


def few(texts: Sequence[str], between: str = ", ", letters: float = math.inf) -> str:
    """The first twelve texts as one, with the number of the others."""
    ends = accumulate(len(text) + len(between) for text in texts[:MOST_LISTED])
    shown = max(1, sum(end <= letters for end in ends)) if texts else 0
    more = len(texts) - shown
    return between.join(texts[:shown]) + (f" and {more} more" if more > 0 else "")


def shortened(value: object) -> str:
    """Return a value as Python writes it, cut where it is long.

    Examples
    --------
    >>> shortened("x" * 50)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    shown = repr(value)
    return shown if len(shown) <= MOST_SHOWN else f"{shown[: MOST_SHOWN - 3]}..."


def listed(names: Sequence[str], last_word: str = "and") -> str:
    """Return names as a sentence lists them: "a", "a and b", "a, b and c"."""
    *most, last = names
    return f"{', '.join(most)} {last_word} {last}" if most else last


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with what it counts: ``one`` of them, or ``many``.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row"), counted(0, "entry"), counted(1, "is", "are")
    ('1 row', '2 rows', '0 entries', '1 is')
    """
    usual = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{number} {one if number == 1 else many or usual}"


def first_few(signs: Sequence[str]) -> str:
    """The first few signs as one clause, with the number of the others."""
    more = len(signs) - MOST_NAMED
    return "; ".join(signs[:MOST_NAMED]) + (f"; and {more} more such signs" if more > 0 else "")

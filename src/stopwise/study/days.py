"""The end of a day: an entry whose hash is written down elsewhere, so that no rewriting passes."""

from dataclasses import dataclass
from typing import ClassVar

from stopwise.study.entries import Entry
from stopwise.study.event import Event
from stopwise.study.operation import Now, Operation
from stopwise.study.state import StudyState


class DayClosed(Event, kind="day closed", says="day closed, its hash written down"):
    """Someone wrote down how the journal ends."""

    def change(self, state: StudyState, entry: Entry) -> None:
        """Nothing changes."""


@dataclass(frozen=True, kw_only=True)
class Closed:
    hash: str
    said: str


class CloseDay(Operation[Closed]):
    """Enter the end of a day, and return the hash that is written down elsewhere."""

    route: ClassVar[str] = "POST /journal/close"

    def decide(self, _: Now) -> Event:
        return DayClosed()

    def result(self, now: Now) -> Closed:
        said = (
            f"Write down {now.state.hash[:32]} where nobody who holds this study can change it: "
            "`stopwise study verify --against` finds whether the journal was rewritten."
        )
        return Closed(hash=now.state.hash, said=said)

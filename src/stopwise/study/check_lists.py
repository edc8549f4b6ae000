"""Start-of-day check lists: what is gone through at a station before its first trial of a day."""

from typing import Annotated

from pydantic import Field

from stopwise.errors import require, require_choice
from stopwise.study.entries import Entry
from stopwise.study.event import Event, Names, Open
from stopwise.study.limits import Name, Note, Short
from stopwise.study.operation import OPERATOR, Now, Operation
from stopwise.study.state import StudyState

A_DAYS_WORK = 12 * 3600.0  # seconds on the study's clock for which a check list holds


class Checked(Event, kind="checked", says="{station}: start-of-day check list gone through"):
    station: Open[str]
    ticked: Open[Names]
    note: Open[str]

    def change(self, state: StudyState, _: Entry) -> None:
        state.checked[self.station] = state.clock

    def text(self, *, blinded: bool) -> str:
        ticked = ", ".join(self.ticked) or "nothing"
        return f"{super().text(blinded=blinded)}: {ticked}{self.note and f'; {self.note}'}"


def checks_due(state: StudyState, station: str) -> tuple[str, ...]:
    """Check list of a station before its next trial; empty within a day of the last."""
    last = state.checked.get(station)
    fresh = last is not None and state.now - last <= A_DAYS_WORK
    return () if fresh else state.locked_plan.checks


class Check(Operation[None], route="POST /stations/check", roles=OPERATOR):
    """Report the start-of-day check list; an item that is not ticked needs a note."""

    station: Name | None = None
    ticked: Annotated[tuple[Short, ...], Field(max_length=50)]
    note: Note = ""

    def decide(self, now: Now) -> Event:
        checks, note = now.state.locked_plan.checks, self.note.strip()
        for item in self.ticked:
            require_choice("a check", item, checks)
        missing = [name for name in checks if name not in self.ticked]
        require(
            not missing or bool(note), f"{', '.join(missing)}: not ticked, so say why in the note"
        )
        kept = tuple(name for name in checks if name in self.ticked)
        return Checked(station=now.station(self), ticked=kept, note=note)

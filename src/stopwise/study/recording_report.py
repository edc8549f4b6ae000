"""What the report says of recordings: where the policies differed."""

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from markupsafe import Markup

from stopwise.report.html import Chapter
from stopwise.study.recordings import PHOTOS

if TYPE_CHECKING:
    from stopwise.study.reader import StudyReader
    from stopwise.study.state import StudyState

MOST_ROWS = 30  # rows of episodes that are shown
Place = Callable[[int, str], str]  # where the file of a trial's recording is, for a link


def filmed(address: str, title: str) -> Markup:
    size = Markup('title="{}" width="160" style="max-width: 100%"').format(title)
    if address.endswith(PHOTOS):
        photo = Markup('<a href="{0}"><img src="{0}" alt="{1}" {2} loading="lazy"></a>')
        return photo.format(address, title, size)
    return Markup('<video src="{}" {} controls preload="metadata"></video>').format(address, size)


def recording_chapters(study: "StudyReader", place: Place) -> list[Chapter]:
    with study._ledger.reading() as state:
        if not state.recordings:
            return []
        found = [] if state.names is None else [_differing(state, place)]
    lost = study.lost_recordings()
    note = ", ".join(lost) or "none"
    rows = (("recordings", str(len(state.recordings))), ("missing, or changed since", note))
    return [Chapter("Recordings", ("", ""), rows), *(chapter for chapter in found if chapter.rows)]


def _differing(state: "StudyState", place: Place) -> Chapter:
    files: dict[int, list[str]] = defaultdict(list)
    for number, file, _ in state.recordings:
        files[number].append(file)
    found = []
    for task, board in state.boards.items():
        for row, slots in enumerate(board.rows):
            tried = {arm: slots[arm] for arm in state.arms if arm in slots}
            tried = {arm: slot for arm, slot in tried.items() if slot.settled_by is not None}
            scores = [slot.score for slot in tried.values() if slot.score is not None]
            if (
                len(scores) > 1
                and max(scores) > min(scores)
                and any(files[slot.settled_by or 0] for slot in tried.values())
            ):
                found.append((min(scores) - max(scores), task, row, tried))
    rows = []
    for _, task, row, tried in sorted(found, key=lambda item: item[:3])[:MOST_ROWS]:
        cells = []
        for arm in state.arms:
            slot = tried.get(arm)
            number = 0 if slot is None or slot.settled_by is None else slot.settled_by
            films = (filmed(place(number, file), f"trial {number}") for file in files[number])
            said = "-" if slot is None or slot.score is None else f"{slot.score:.3g}"
            cells.append(Markup("<br>").join([said, *films]))
        rows.append((task, str(row + 1), *cells))
    shown = state.shown()
    columns = ("task", "row", *(shown[arm] for arm in state.arms))
    return Chapter("Episodes on which the policies differed", columns, tuple(rows))

"""One task of a study: its rows of slots, and the contest that uses them in order.

The rule on which the verdict rests: row i is used when each of its slots is settled whose policy
still had an undecided comparison after rows 1 to i-1, and rows are used in order. What else is in
the row is overshoot and never looked at. So the verdict is a function of the scores by slot
alone, whatever came late or out of order (proof: docs/design/studies.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from stopwise.core.comparison import Comparison
from stopwise.errors import NotAllowed
from stopwise.ranking.contest import Contest

__all__ = ["Slot", "SlotBoard"]

CHECKPOINT = 256  # rows between saved contests, so that undoing a trial need not replay all
KEPT = 2  # of them; what was done longer ago is seldom undone


@dataclass(slots=True)
class Slot:
    """A place for one trial of one arm in one row.

    Attributes
    ----------
    holder
        The number of the trial that it was last handed out for, or None.
    score
        Its score, once settled by the first result stored.
    settled_by
        The number of the trial that settled it, or None.
    dropped
        Whether it stays empty for good: its trial was voided and cannot be repeated.
    """

    holder: int | None = None
    score: float | None = None
    settled_by: int | None = None
    dropped: bool = False

    @property
    def settled(self) -> bool:
        """Whether nothing more is awaited."""
        return self.score is not None or self.dropped


class SlotBoard:
    """The rows of one task, and what they have decided.

    Parameters
    ----------
    new_contest
        Makes the contest of the task, without any row.
    n_max
        The greatest number of rows, or None.
    refusal
        Why the contest must not be asked, or None: its evidence would be another than it was.

    Attributes
    ----------
    rows
        Slots by arm, of each row.
    owners
        Of each row, the station that is at work on it, and until when it is given time.
    """

    def __init__(
        self, new_contest: Callable[[], Contest], n_max: int | None, refusal: str | None = None
    ) -> None:
        self.rows: list[dict[str, Slot]] = []
        self.owners: list[tuple[str, float]] = []
        self.n_max = n_max
        self._refusal = refusal
        self._new_contest = new_contest
        self._contest = new_contest()
        self._checkpoints: list[tuple[int, str]] = []
        self._needed: list[tuple[str, ...]] = []  # by used row
        self._needed_now = self._contest.needed
        self._changed = False  # whether more rows may be usable than are used

    @property
    def contest(self) -> Contest:
        """The contest after all rows that can be used now."""
        self._advance()
        return self._contest

    @property
    def used(self) -> int:
        """Rows used."""
        return self.contest.rows

    @property
    def needed(self) -> tuple[str, ...]:
        """Arms with an undecided comparison; empty when all is decided or n_max is reached."""
        self._advance()
        return self._needed_now

    @property
    def comparison(self) -> Comparison:
        """The settings of one pair, which know what scores there may be."""
        return self._contest.rules.comparison

    def open_row(self, arms: tuple[str, ...]) -> None:
        """Add a row with a slot for each of these arms."""
        self.rows.append({arm: Slot() for arm in arms})
        self.owners.append(("", 0.0))

    def keep_row(self, row: int, station: str, until: float) -> None:
        """Note which station is at work on a row, and until when it is given time for it."""
        self.owners[row] = station, until

    def may_open(self, look_ahead: int | None) -> bool:
        """Whether a further row may be opened now."""
        row = len(self.rows)
        within = self.n_max is None or row < self.n_max
        return bool(
            within and self.needed and (look_ahead is None or row - self.used <= look_ahead)
        )

    def open_slots(self) -> Iterator[tuple[int, str, Slot]]:
        """Yield (row, arm, slot) of the slots that are needed and not settled, row by row."""
        needed = self.needed
        for row in range(self.used, len(self.rows)):
            for arm, slot in self.rows[row].items():
                if arm in needed and not slot.settled:
                    yield row, arm, slot

    def touch(self, row: int) -> None:
        """Take note that a slot in this row has changed; forget what was used from it on."""
        self._changed = True
        if row >= self._contest.rows:
            return
        while self._checkpoints and self._checkpoints[-1][0] > row:
            self._checkpoints.pop()
        if self._checkpoints:
            self._contest = Contest.from_json(self._checkpoints[-1][1])
        else:
            self._contest = self._new_contest()
        del self._needed[self._contest.rows :]
        self._needed_now = self._contest.needed

    def used_scores(self) -> list[dict[str, float]]:
        """Return the scores of each used row that the contest was shown."""
        rows = self.rows[: self.used]
        return [_scores(row, needed) for row, needed in zip(rows, self._needed, strict=True)]

    def settled_scores(self) -> list[dict[str, float]]:
        """Return all scores of each row, whether or not the contest was shown them."""
        return [_scores(row, tuple(row)) for row in self.rows]

    def overshoot(self) -> Iterator[tuple[int, str, Slot]]:
        """Yield scored slots that the contest had no need of."""
        used, needed = self.used, self.needed
        for number, row in enumerate(self.rows):
            wanted = self._needed[number] if number < used else needed
            for arm, slot in row.items():
                if arm not in wanted and slot.score is not None:
                    yield number, arm, slot

    def saved(self) -> int:
        """Return the trials up to n_max that arms without an open comparison need no more.

        Overshoot was run after all. What arms with an open comparison will save is not known yet.
        """
        if self.n_max is None:
            return 0
        done = [arm for arm in self._contest.rules.policies if arm not in self.needed]
        needed = sum(arm in arms for arms in self._needed for arm in done)
        return self.n_max * len(done) - needed - sum(arm in done for _, arm, _ in self.overshoot())

    def save(self) -> dict[str, Any]:
        """Return the contest and what it was shown, as plain JSON content."""
        runs = [[list(arms), len(list(same))] for arms, same in groupby(self._needed)]
        return {"contest": self.contest.to_json(), "needed": runs}

    def restore(self, saved: dict[str, Any]) -> None:
        """Take over what was saved together with the rows."""
        self._contest = Contest.from_json(saved["contest"])
        self._needed_now = self._contest.needed
        self._checkpoints = [(self._contest.rows, saved["contest"])]
        self._needed = [tuple(arms) for arms, count in saved["needed"] for _ in range(count)]

    def _advance(self) -> None:
        if self._refusal is not None:
            raise NotAllowed(self._refusal)
        if not self._changed:
            return
        contest = self._contest
        while contest.rows < len(self.rows):
            needed = self._needed_now
            row = self.rows[contest.rows]
            if not needed or not all(row[arm].settled for arm in needed if arm in row):
                break
            contest.add(_scores(row, needed))
            self._needed.append(needed)
            self._needed_now = contest.needed
            if contest.rows % CHECKPOINT == 0:
                self._checkpoints.append((contest.rows, contest.to_json()))
                del self._checkpoints[:-KEPT]
        self._changed = False


def _scores(row: dict[str, Slot], needed: tuple[str, ...]) -> dict[str, float]:
    """Return the scores of the needed arms; an arm without one waits."""
    found = {arm: row[arm].score for arm in needed if arm in row}
    return {arm: score for arm, score in found.items() if score is not None}

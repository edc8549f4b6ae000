"""One task of a study: its rows of slots, and the question that uses them in order.

The verdict rests on ``Question.take``: row i is used when each of its slots is settled whose policy
rows 1 to i-1 left in need of a trial, and rows are used in order. What else is in the row is
overshoot and never looked at. So the verdict is a function of the scores by slot alone, whatever
came late or out of order (proof: docs/design/studies.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from stopwise.core.comparison import Comparison
from stopwise.core.rules import Rules
from stopwise.errors import NotAllowed
from stopwise.questions import pose, resume
from stopwise.questions.question import Places, Question, complete

CHECKPOINT = 256  # rows between saved questions, so that undoing a trial need not replay all
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
    rules
        What was declared, for policies by their labels.
    refusal
        Why the question must not be asked, or None: its evidence would differ from what it was.

    Attributes
    ----------
    rows
        Slots by arm, of each row.
    owners
        Of each row, the station that is at work on it, and until when it is given time.
    """

    def __init__(self, rules: Rules, refusal: str | None = None) -> None:
        self.rules = rules
        self.rows: list[dict[str, Slot]] = []
        self.owners: list[tuple[str, float]] = []
        self._refusal = refusal
        self._question = pose(rules)
        self._checkpoints: list[tuple[int, str]] = []
        self._changed = False  # whether more rows may be usable than are used

    @property
    def question(self) -> Question:
        """The question after all rows that can be used now."""
        self._advance()
        return self._question

    @property
    def used(self) -> int:
        """Rows used."""
        return self.question.rows

    @property
    def needed(self) -> tuple[str, ...]:
        """Arms that need more trials; empty when all is decided or n_max is reached."""
        return self.question.needed

    @property
    def comparison(self) -> Comparison:
        """The test of one pair, which knows what scores there may be."""
        return self._question.comparison

    def open_row(self, arms: tuple[str, ...]) -> None:
        """Add a row with a slot for each of these arms."""
        self.rows.append({arm: Slot() for arm in arms})
        self.owners.append(("", 0.0))

    def may_open(self, look_ahead: int | None) -> bool:
        """Whether a further row may be opened now."""
        row, n_max = len(self.rows), self.rules.n_max
        within = n_max is None or row < n_max
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
        if row >= self._question.rows:
            return
        while self._checkpoints and self._checkpoints[-1][0] > row:
            self._checkpoints.pop()
        known = self._checkpoints[-1][1] if self._checkpoints else None
        self._question = pose(self.rules) if known is None else resume(known)

    def settled_scores(self) -> list[dict[str, float]]:
        """Return all scores of each row, whether or not the question was shown them."""
        return [
            {arm: slot.score for arm, slot in row.items() if slot.score is not None}
            for row in self.rows
        ]

    def overshoot(self) -> Iterator[tuple[int, str, Slot]]:
        """Yield scored slots that the question had no need of."""
        shown, needed = self.question.scores(), self.needed
        for number, row in enumerate(self.rows):
            wanted = shown[number] if number < len(shown) else needed
            for arm, slot in row.items():
                if slot.score is not None and arm not in wanted:
                    yield number, arm, slot

    def saved(self) -> int:
        """Return the trials up to n_max that arms without an open comparison need no more.

        Overshoot was run after all. What arms with an open comparison will save is not known yet.
        """
        if self.rules.n_max is None:
            return 0
        done = [arm for arm in self.rules.policies if arm not in self.needed]
        spared = sum(self.rules.n_max - self.question.rows_for(arm) for arm in done)
        return spared - sum(arm in done for _, arm, _ in self.overshoot())

    def restore(self, saved: str) -> None:
        """Take over the question that was saved together with the rows."""
        self._question = resume(saved)
        self._checkpoints = [(self._question.rows, saved)]

    def _advance(self) -> None:
        if self._refusal is not None:
            raise NotAllowed(self._refusal)
        if not self._changed:
            return
        for row in self._question.take(self._settled):
            if (row + 1) % CHECKPOINT == 0:
                self._checkpoints.append((row + 1, self._question.to_json()))
                del self._checkpoints[:-KEPT]
        self._changed = False

    def _settled(self, places: Places) -> dict[str, list[float | None]] | None:
        """Return the scores of a row, or None as long as one of its slots is awaited."""

        def found(arm: str, number: int) -> float | None:
            slot = self.rows[number].get(arm)
            if slot is None:  # the row was opened without the arm, which has no score to offer
                return None
            if not slot.settled:
                raise LookupError
            return slot.score

        return complete(found, places)

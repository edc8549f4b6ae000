"""One task of a study: its rows of slots, and the question that uses them in order.

The verdict rests on ``Question.take``: row i is used when each of its slots is settled whose policy
rows 1 to i-1 left in need of a trial, and rows are used in order. What else is in the row is
overshoot and never looked at. So the verdict is a function of the scores by slot alone, whatever
came late or out of order (proof: docs/design/studies.md).

Asked for the best, an arm may be left out of rows and come back. In a design with blocks its slots
stay in the rows they were opened in, whose scene they share; in an independent design the next slot
of each arm is its next trial, whichever row that is in. So it is where an arm has stored trials.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from stopwise.core.pair_test import PairTest
from stopwise.core.readings.score import Shown
from stopwise.core.rules import Rules
from stopwise.questions import pose
from stopwise.questions.question import Places, Question, complete


@dataclass(slots=True)
class Slot:
    holder: int | None = None  # the trial that it was last handed out for
    score: float | None = None  # once settled by the first result stored
    settled_by: int | None = None  # the trial that settled it
    dropped: bool = False  # it stays empty for good: its trial was voided and cannot be repeated
    first: float | None = None  # the score that voiding or correcting a trial took out first

    @property
    def settled(self) -> bool:
        return self.score is not None or self.dropped


class SlotBoard:
    """The rows of one task."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.rows: list[dict[str, Slot]] = []  # slots by arm
        # Of each row, the station that is at work on it, and until when it is given time.
        self.owners: list[tuple[str, float]] = []
        self._question = pose(rules)
        # Of each arm, the rows of its slots; None where the rows are those of the question.
        apart = bool(rules.groups) or self._question.numbered_apart
        empty: dict[str, list[int]] = {arm: [] for arm in rules.policies}
        self._own = empty if apart else None
        self._changed = False  # whether more rows may be usable than are used
        self._twin: tuple[dict[tuple[int, str], float | None], SlotBoard] | None = None

    @property
    def question(self) -> Question:
        self.advance()
        return self._question

    @property
    def needed(self) -> tuple[str, ...]:
        return self.question.needed

    @property
    def lacks_stored(self) -> bool:
        numbers = self.rules.groups or {}
        return any(self.opened(arm) < numbers[arm] for arm in self.rules.stored)

    def stored_scores(self) -> dict[str, list[float]]:
        rows_of = self._own or {}
        by_arm = {
            arm: [self.rows[row][arm].score for row in rows_of[arm]] for arm in self.rules.stored
        }
        return {
            arm: [math.nan if score is None else score for score in scores]
            for arm, scores in by_arm.items()
        }

    @property
    def comparison(self) -> PairTest:
        return self._question.comparison

    def open_row(self, arms: tuple[str, ...]) -> None:
        self._add_row({arm: Slot() for arm in arms}, ("", 0.0))

    def may_open(self, look_ahead: int | None) -> bool:
        """Whether to open a row: with a single arm in need it would reveal whose trial it is."""
        question, n_max = self.question, self.rules.n_max
        ahead = min(
            (self.opened(arm) - question.taken(arm) for arm in question.needed), default=math.inf
        )
        within = n_max is None or ahead < n_max - question.rows
        return ahead < math.inf and within and (look_ahead is None or ahead <= look_ahead)

    def wants(self, row: int, arm: str) -> bool:
        first = self._first_wanted().get(arm)
        return first is not None and row >= first

    def open_slots(self) -> Iterator[tuple[int, str, Slot]]:
        first = self._first_wanted()
        for row in range(min(first.values(), default=len(self.rows)), len(self.rows)):
            for arm, slot in self.rows[row].items():
                if arm in first and row >= first[arm] and not slot.settled:
                    yield row, arm, slot

    def touch(self, row: int, arm: str) -> None:
        """Forget what was used from the row of a changed slot on."""
        if not self.rows[row][arm].settled:
            self._twin = None  # which may have used its score
        self._changed = True
        if row < self._next_row(arm):
            self._question = pose(self.rules)

    def rescored(self, scores: Mapping[tuple[int, str], float | None]) -> "SlotBoard":
        """Return a board on which these slots have these scores, or stay empty."""
        if self._twin is None or self._twin[0] != scores:
            twin = SlotBoard(self.rules)
            self._twin = dict(scores), twin
        other = self._twin[1]
        for number in range(len(other.rows), len(self.rows)):
            slots = {
                arm: replace(slot, score=scores[number, arm], dropped=scores[number, arm] is None)
                if (number, arm) in scores
                else slot
                for arm, slot in self.rows[number].items()
            }
            other._add_row(slots, self.owners[number])
        other._changed = True
        return other

    def used_slots(self) -> set[tuple[int, str]]:
        shown = enumerate(self.question.scores())
        if self._own is None:
            return {(number, arm) for number, scores in shown for arm in scores}
        return {(self._own[arm][number], arm) for number, scores in shown for arm in scores}

    def overshoot(self) -> Iterator[tuple[int, str, Slot]]:
        """Yield scored slots that the question had no need of."""
        used, first = self.used_slots(), {arm: self._next_row(arm) for arm in self.needed}
        for number, row in enumerate(self.rows):
            for arm, slot in row.items():
                wanted = (number, arm) in used or (arm in first and number >= first[arm])
                counts = slot.settled and not slot.dropped
                if counts and not wanted and arm in self.rules.reading.tried:
                    yield number, arm, slot

    def saved(self) -> int:
        """Return the trials up to n_max that arms without an open comparison need no more."""
        if self.rules.n_max is None:
            return 0
        question = self.question
        done = [arm for arm in self.rules.reading.tried if arm not in question.needed]
        spared = sum(self.rules.n_max - question.rows_for(arm) for arm in done)
        return spared - sum(arm in done for _, arm, _ in self.overshoot())

    def left(self) -> int:
        needed, n_max = self.question.needed, self.rules.n_max or 0
        ahead = (
            row[arm].settled
            for row in self.rows[self.question.rows :]
            for arm in needed
            if arm in row
        )
        places = (n_max - self.question.rows_for(arm) for arm in needed)
        return max(0, sum(places) - sum(ahead))

    def _add_row(self, slots: dict[str, Slot], owner: tuple[str, float]) -> None:
        if self._own is not None:
            for arm in slots:
                self._own[arm].append(len(self.rows))
        self.rows.append(slots)
        self.owners.append(owner)

    def opened(self, arm: str) -> int:
        return len(self.rows) if self._own is None else len(self._own[arm])

    def _first_wanted(self) -> dict[str, int]:
        return {arm: self._next_row(arm) for arm in self.needed}

    def _next_row(self, arm: str) -> int:
        number = self._question.taken(arm)
        if self._own is None:
            return number
        rows = self._own[arm]
        return rows[number] if number < len(rows) else len(self.rows)

    def advance(self) -> None:
        if not self._changed:
            return
        for _ in self._question.take(self._settled):
            pass
        self._changed = False

    def _settled(self, places: Places) -> dict[str, list[Shown]] | None:
        """Return the scores of a row, or None as long as one of its slots is awaited."""

        def found(arm: str, number: int) -> Shown:
            row = number if self._own is None else self._own[arm][number]
            slot = self.rows[row].get(arm)
            if slot is None:  # the row was opened without the arm, which has no score to offer
                return None
            if not slot.settled:
                raise LookupError
            if slot.score is None and not self.rules.reading.gaps:
                return float(self.rules.scale.score(0.0))  # what has no score counts as the worst
            return slot.score

        return complete(found, places)

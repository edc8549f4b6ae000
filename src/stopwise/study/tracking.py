"""What trackers are told of a study: how many trials there are, and what they show when it may be.

Operators can open a tracker's page, so it gets nothing that they may not see. As long as trials are
scored, that is the number of trials alone: evidence after each one, even under labels, would tell
whoever has just scored it which label it had.
"""

import math
from functools import partial
from typing import TYPE_CHECKING

from stopwise.core.readings.score import Shown
from stopwise.questions import pose
from stopwise.questions.question import Places, Question, complete
from stopwise.rows.table import Table
from stopwise.study.assignment import finished
from stopwise.study.state import StudyState
from stopwise.study.study_plan import StudyPlan
from stopwise.study.verdict import named_tables
from stopwise.study.views import status
from stopwise.trackers.reporter import Reporter

if TYPE_CHECKING:
    from stopwise.study.reader import StudyReader

COUNTS = ("assigned", "imported", "scored", "counted", "voided", "duplicates", "in_flight")


class StudyReporting:
    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._seq = 0
        self._rows: dict[str, int] = {}  # those told, by task

    def __call__(self, state: StudyState) -> None:
        """Report new rows to the trackers; a failure never stops a study."""
        if state.plan is None or state.seq == self._seq:
            return
        try:
            self._tell(state, state.plan)
        except Exception as error:
            self._reporter.warn(error)

    def _tell(self, state: StudyState, plan: StudyPlan) -> None:
        if not self._seq:
            self._reporter.begin({"study": plan.name, "plan": state.digest})
        self._seq = state.seq
        now = status(state, plan, state.clock)
        counts = {f"progress/{name}": float(getattr(now, name)) for name in COUNTS}
        self._reporter.log(len(state.trials), counts)
        if state.refusal is None and revealed(state):
            for name, rules, table in named_tables(state, plan):
                question, rows = pose(rules), state.boards[name].question.rows
                tell = self._reporter.on_rows(question, name)
                for row in question.take(partial(_row, question, table, rows)):
                    if row >= self._rows.get(name, 0):
                        tell()
                self._rows[name] = rows

    def close(self, study: "StudyReader") -> None:
        if self._rows:
            self._reporter.finish(str(study.verdict()), study.report)
        self._reporter.finish()


def revealed(state: StudyState) -> bool:
    """Whether operators may see the evidence: after unblinding, or at the end if never blind."""
    never_blind = state.plan is not None and state.plan.blinding == "none"
    return state.unblinded_at is not None or (never_blind and finished(state))


def _row(
    question: Question, table: Table, rows: int, places: Places
) -> dict[str, list[Shown]] | None:
    def found(policy: str, number: int) -> Shown:
        at = number, question.policies.index(policy)
        score = float(table.scores[at])
        return None if math.isnan(score) else score

    return complete(found, places) if question.rows < rows else None

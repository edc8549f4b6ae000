"""Which policies are better than which: all pairs, or all with a baseline, asked row by row."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from stopwise.core.arrays import Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Delegated, Rules
from stopwise.errors import require
from stopwise.messages import counted
from stopwise.questions.analysis import Analysis
from stopwise.questions.pairs import PairStates, PairTests
from stopwise.questions.question import Question
from stopwise.questions.rank import rank
from stopwise.questions.standing import Elimination, Standing, eliminations, only_best, standings_of
from stopwise.rows.table import Table

if TYPE_CHECKING:
    from stopwise.study.verdict import TaskVerdict


class OrderQuestion(Question):
    """The order of the policies; after every row it knows what ``analyze`` would say."""

    _kind = "Order"

    def __init__(self, rules: Rules, joined: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, joined)
        require(
            rules.alternative == "two-sided" or (rules.margin < 0 and rules.baseline is not None),
            "an order needs both directions, except with a negative margin and a baseline, but "
            f"alternative is {rules.alternative!r}",
        )
        self._ranking = PairTests(rules)
        self._pairs = PairStates(self._ranking.comparison, self._ranking.budget, 1, 0)
        self._tried = rules.reading.run

    comparison = Delegated[PairTest]("_ranking.comparison", "The test of each pair.")
    tried = Delegated[tuple[str, ...]]("_tried", "Policies that have an undecided pair.")

    @property
    def decided(self) -> bool:
        return not self._pairs.open.any()

    @property
    def futile(self) -> bool:
        self._pairs.look_ahead(self.rows)
        return not self.decided and bool(self._pairs.futile[self._pairs.open].all())

    @property
    def eliminated(self) -> Mapping[str, Elimination]:
        return eliminations(self.policies, self._pairs)

    @property
    def best(self) -> str | None:
        candidates = self.candidates  # first, since standings are more work
        return only_best(self.rules, candidates, self.standings() if len(candidates) == 1 else ())

    def rows_for(self, policy: str) -> int:
        if policy in self._tried:
            return self.rows
        return int(self._pairs.last[0, self._columns[policy]])

    def standings(self) -> tuple[Standing, ...]:
        pairs = self._pairs
        pairs.adjust()
        pairs.look_ahead(self.rows)
        return tuple(Standing(**fields) for fields in standings_of(self.rules, pairs))

    @staticmethod
    def in_words(task: "TaskVerdict") -> str:
        decided = [pair for pair in task.pairs if pair.decided]
        claims = "; ".join(str(pair.claim) for pair in decided)
        rest = len(task.pairs) - len(decided)
        rows = f"{counted(task.rows, 'row')} of trials"
        futility = f"; {task.futility}" if task.futile else ""
        if not decided:
            return f"Nothing is decided after {rows}{futility}."
        if task.equivalence is not None and any(pair.same for pair in decided):
            claims += ", which assumes a difference that stays the same"
        if task.by == "wins":
            claims += ", which says who wins more often"
        open_text = f"; {rest} of {len(task.pairs)} pairs undecided" if rest else ""
        return f"{claims}{open_text} (alpha = {task.alpha:g}, {rows}){futility}."

    def analyze(self, table: Table) -> Analysis:
        constants = self.rules.reading.constants
        return self._answered(rank(table.with_constants(constants), self._ranking))

    def _keep(self, cells: Mapping[str, Floats]) -> None:
        reading, unit = self.rules.reading, self.comparison.scale.unit
        row = np.full((reading.kinds, len(self.policies)), np.nan)
        for name, score in reading.constants.items():
            row[:, self._columns[name]] = unit(np.array(score))
        for name, part in cells.items():
            past, first = self._trials[name], reading.trials(name, self.rows).start
            past += [(math.nan,) * reading.kinds] * (first - len(past))  # rows went by without it
            past += map(tuple, part.T.tolist())
            row[:, self._columns[name]] = reading.averaged(name, unit(part))
        if self._pairs.runs.size:
            self._show(row if reading.kinds > 1 else row[0])
        self._seen += 1

    def _show(self, scores: Floats) -> None:
        pairs = self._pairs
        _, lowered = pairs.observe(scores[None, ..., None, :], self.rows, complete=False)
        changed = lowered and pairs.judge(self.rows)
        if changed:
            pairs.adjust()
        if changed or pairs.gives_up:
            pairs.settle(self.rows + 1)
            tried = zip(self.policies, pairs.tried[0].tolist(), strict=True)
            tried_names = self.rules.reading.run  # a reference needs no trials
            self._tried = tuple(name for name, still in tried if still and name in tried_names)

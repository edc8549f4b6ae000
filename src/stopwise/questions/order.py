"""Which policies are better than which: all pairs, or all with a baseline, asked row by row."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from stopwise.rows.table import Table, side_by_side

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

    def add(self, row: Mapping[str, Any]) -> None:
        """Add one row of scores; a pair with a policy that is missing in it waits."""
        self._require_row(row)
        cells = {name: self._cells(name, given) for name, given in row.items()}
        self.rules.reading.check_row(cells)
        self._keep({name: np.array(scores, dtype=float).T for name, scores in cells.items()})

    def _cells(self, name: str, given: Any) -> list[tuple[Any, ...]]:
        reading = self.rules.reading
        trials = given if reading.several(name) else [given]
        number = len(reading.trials(name, self.rows))
        require(
            len(trials) == number,
            f"this row takes {counted(number, 'trial')} of {name!r}, but got "
            f"{counted(len(trials), 'score')}",
        )
        cells = [reading.cell(name, trial) for trial in trials]
        for score in (score for cell in cells for score in cell if score is not None):
            self.comparison.unit_score(score, repr(name))
        return cells

    def _keep(self, rows: Mapping[str, Floats]) -> None:
        """Keep the trials of a row (kinds, trials) by their numbers, and show the row."""
        reading, unit = self.rules.reading, self.comparison.scale.unit
        row = np.full((reading.kinds, len(self.policies)), np.nan)
        for name, score in reading.constants.items():
            row[:, self._columns[name]] = unit(np.array(score))
        for name, cells in rows.items():
            past, first = self._trials[name], reading.trials(name, self.rows).start
            past += [(math.nan,) * reading.kinds] * (first - len(past))  # rows went by without it
            past += map(tuple, cells.T.tolist())
            row[:, self._columns[name]] = reading.averaged(name, unit(cells))
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

    def _row(self, places: Mapping[str, Sequence[Any]]) -> Mapping[str, Any]:
        several = self.rules.reading.several
        row = {name: scores if several(name) else scores[0] for name, scores in places.items()}
        return {name: score for name, score in row.items() if score is not None}

    def table(self, *, task: str | None = None, notes: Sequence[str] = ()) -> Table:
        reading = self.rules.reading
        blank = np.full((reading.kinds, self.rows), np.nan)
        columns = []
        for name in self.policies:
            column = np.array(self._trials.get(name, ())).reshape(-1, reading.kinds).T
            if name in reading.constants:
                column = np.full_like(blank, reading.constants[name])
            columns.append(column)
        layers = [
            side_by_side([blank[kind], *(column[kind] for column in columns)])[:, 1:]
            for kind in range(reading.kinds)
        ]
        return replace(self._table(layers[0], task, notes), beside=tuple(layers[1:]))

    def _again(self, trials: Mapping[str, Floats], rows: int) -> None:
        reading = self.rules.reading
        cells = {name: parts.reshape(-1, reading.kinds).T for name, parts in trials.items()}
        for row in range(rows):
            taken = {name: reading.trials(name, row) for name in cells}
            parts = {name: cells[name][:, at.start : at.stop] for name, at in taken.items()}
            self._keep({name: part for name, part in parts.items() if part.size})

"""Which policy is the best, asked row by row: who may still be it, and who was dropped."""

import math
from collections.abc import Mapping, Sequence
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.pair_test import PairTest
from stopwise.core.rules import Delegated, Rules
from stopwise.core.words import best_claim
from stopwise.errors import require
from stopwise.messages import counted
from stopwise.questions.best_analysis import BestAnalysis, shown
from stopwise.questions.candidates import comparison_of, start
from stopwise.questions.question import Places, Question
from stopwise.questions.standing import Elimination, Standing, Way
from stopwise.rows.table import Table, unit_scores

if TYPE_CHECKING:
    from stopwise.study.verdict import TaskVerdict


class BestQuestion(Question):
    """The best policy; after every row it knows what ``analyze`` would say."""

    _kind = "Best"
    answer = BestAnalysis
    of_files: ClassVar[Mapping[str, Any]] = {"allocation": "even"}

    def __init__(self, rules: Rules, joined: Mapping[str, int] | None = None) -> None:
        super().__init__(rules, joined)
        self._comparison = comparison_of(rules)
        self._joined = dict(joined or {})
        self._board = start(self._comparison, 1)
        self._board.choose()
        self._admit(*self._joined)

    rows = Delegated[int]("_board.rows", "The rows looked at.")
    comparison = Delegated[PairTest]("_comparison", "The test of one pair.")

    @property
    def best(self) -> str | None:
        """The policy that was named, or None; within the indifference of the best, if declared."""
        return self.policies[self._board.named[0]] if self.decided else None

    @property
    def decided(self) -> bool:
        return bool(self._board.named[0] >= 0)

    @property
    def candidates(self) -> tuple[str, ...]:
        return self._named(self._board.open)

    @property
    def set_aside(self) -> tuple[str, ...]:
        """Candidates at most the indifference better than the leader, which are not tried now."""
        return self._named(self._board.set_aside() & (self._board.count == 0))

    @property
    def resting(self) -> tuple[str, ...]:
        return self._named(self._board.rests & self._board.open)

    @property
    def futile(self) -> bool:
        board, n_max = self._board, self.rules.n_max
        others = board.open[0] & ~board.set_aside()[0]
        others[board.leader[0]] = False
        if self.decided or n_max is None or not 0 < self.rows < n_max:
            return False
        return bool((board.joined & (board.rests | board.futile()))[0, others].all())

    @property
    def eliminated(self) -> Mapping[str, Elimination]:
        rows, by = self._board.dropped[0], self._board.dropped_by[0]
        dropped = {
            self.policies[place]: Elimination(
                row=int(rows[place]), leader=self.policies[int(by[place])]
            )
            for place in np.argsort(rows, kind="stable").tolist()
            if rows[place]
        }
        return MappingProxyType(dropped)

    @property
    def p_values(self) -> dict[str, float]:
        """Anytime p-values of "this is a best policy": at most alpha exactly when dropped."""
        peaks = zip(self.policies, self._board.peak[0].tolist(), strict=True)
        return {name: min(math.exp(-peak), 1.0) for name, peak in peaks}

    @property
    def leader(self) -> str:
        return self.policies[int(self._board.leader[0])]

    @property
    def joined(self) -> Mapping[str, int]:
        return MappingProxyType(self._joined)

    @property
    def tried(self) -> tuple[str, ...]:
        return self._named(self._board.count > 0)

    @property
    def needed(self) -> tuple[str, ...]:
        return tuple(policy for policy, numbers in self.places.items() for _ in numbers)

    @property
    def numbered_apart(self) -> bool:
        return self.rules.design != "paired"

    @property
    def places(self) -> Places:
        if self.rows == self.rules.n_max:
            return {}
        counts = dict(zip(self.policies, self._board.count[0].tolist(), strict=True))
        first = {name: self.taken(name) for name in self.tried}
        return {name: range(number, number + counts[name]) for name, number in first.items()}

    @property
    def gaps(self) -> bool:
        return bool((self._board.trials < self._board.asked).any())

    def taken(self, policy: str) -> int:
        return self.rows if self.rules.design == "paired" else len(self._trials[policy])

    def passed_over(self, policy: str, number: int) -> bool:
        """Whether others met this block without the policy, as while it was set aside."""
        scores = self._trials[policy]
        seen = number < len(scores) and not math.isnan(scores[number][0])
        return self.rules.design == "paired" and number < self.taken(policy) and not seen

    def rows_for(self, policy: str) -> int:
        return int(self._board.rows_tried[0, self._columns[policy]])

    def standings(self) -> tuple[Standing, ...]:
        return ()

    @staticmethod
    def in_words(task: "TaskVerdict") -> str:
        k = len(task.candidates) + len(task.eliminated)
        claim = best_claim(task.best, task.candidates, k, task.indifference, aside=task.set_aside)
        futility = f"; {task.futility}" if task.futile else ""
        return f"{claim} (alpha {task.alpha:g}), after {counted(task.rows, 'row')}{futility}."

    def join(self, policy: str) -> None:
        """Let a policy that was declared to come later take part from the next row on."""
        awaited = policy in self.rules.later and policy not in self._joined
        require(awaited or policy not in self.policies, f"{policy!r} takes part already")
        text = f"{policy} cannot join: it was not declared in later"
        require(awaited, text, parameter="later")
        require(
            self.rows != self.rules.n_max,
            f"all n_max = {self.rules.n_max} rows are used, so {policy!r} can no longer be tried",
        )
        self._joined = {**self._joined, policy: self.rows}
        self._admit(policy)

    def analyze(self, table: Table) -> BestAnalysis:
        known = {name for name, scores in table.by_policy.items() if scores.size}
        table = table.without({*self.rules.later} - known)
        unit_scores(table, self._comparison)  # validity rests on this check of the bounds
        question = type(self)(self.rules, self._joined)
        return self._answered(shown(question, table, question._replay(table)))

    def remaining(self, standings: Sequence[Standing]) -> int | None:
        awaited = any(name not in self._joined for name in self.rules.later)
        # Nobody knows what those bring that have not joined yet.
        return super().remaining(standings) if self.decided or not awaited else None

    def ways(self, standings: Sequence[Standing]) -> dict[str, Way]:  # noqa: ARG002
        board = self._board
        others = board.open[0] & board.joined[0] & ~board.rests[0]
        others[board.leader[0]] = False
        shares = board.against_leader()[0] / board.target
        gone = dict(zip(self.policies, shares.tolist(), strict=True))
        left = compress(self.policies, others)
        progress = {name: (self.rows - self._joined.get(name, 0), gone[name]) for name in left}
        slowest = min(
            progress.values(), key=lambda pace: pace[1] / max(pace[0], 1), default=(0, 0.0)
        )
        return {**progress, self.leader: slowest}

    def _named(self, which: Bools) -> tuple[str, ...]:
        return tuple(compress(self.policies, which[0]))

    def _admit(self, *names: str) -> None:
        """Let those take part who joined after so many rows, and choose anew with each."""
        for name in names:
            if self._joined[name] == self.rows:
                self._board.joined[0, self._columns[name]] = True
                self._board.choose()

    def _keep(self, cells: Mapping[str, Floats]) -> Floats:
        """Show one row; return the average of each policy's trials in it, in [0, 1]."""
        places = self.places
        scores = np.full((max(map(len, places.values())), 1, len(self.policies)), np.nan)
        for name, numbers in places.items():
            column, past = scores[: len(numbers), 0, self._columns[name]], self._trials[name]
            row = cells.get(name, np.empty((1, 0)))[0]
            column[: row.size] = row
            past += [(math.nan,)] * (numbers.start - len(past))  # blocks that it was not in
            past += zip(column.tolist())
        means = self._board.observe(self._comparison.scale.unit(scores))
        self._admit(*self._joined)
        return np.asarray(means[0])

    def _replay(self, table: Table) -> Floats:
        """Take the trials of a table in; return the averages that were compared."""
        scores = table.arranged(self.policies)
        last = [int(np.flatnonzero(~np.isnan(column)).max(initial=-1)) for column in scores.T]
        means = []
        while places := self.places:
            left = sum(part.start <= last[self._columns[name]] for name, part in places.items())
            if left < min(2, len(places)):
                break
            row = {
                name: scores[None, part.start : part.stop, self._columns[name]]
                for name, part in places.items()
            }
            means.append(self._keep(row))
        return np.array(means).reshape(-1, len(self.policies))

    def _content(self) -> dict[str, Any]:
        return {**super()._content(), "joins": self._joined}

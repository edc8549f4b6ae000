"""Replay of many policies, row by row, all pairs of all studies at once.

A row holds one trial of each policy: the same block in a paired design, else the i-th trial of
each. A pair whose partner has no trial in a row waits. A policy is tried until all of its pairs
are decided or, where that is binding, futile; what comes after is not looked at, as if it had not
been run.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stopwise.core import registry
from stopwise.core.arrays import Bools, Floats, Ints, of_runs, put_runs, writable
from stopwise.core.futility import MayBeFutile
from stopwise.core.method import Evidence
from stopwise.core.pair_test import PairTest, Seen
from stopwise.core.progress import Progress
from stopwise.core.rules import Rules
from stopwise.errors import require
from stopwise.messages import Setting
from stopwise.questions.family import (
    Bonferroni,
    Family,
    create,
    with_implied,
    with_implied_p_values,
)
from stopwise.questions.trace import Record, Trace
from stopwise.rows.table import Table, unit_rows

At = tuple[Any, ...]
# A p-value this close to its level may decide.
NEARLY = 1 + 1e-9


def replay(
    comparison: PairTest,
    budget: Bonferroni,
    scores: Floats,
    *,
    with_p_values: bool = True,
    with_trace: bool = False,
    progress: Progress | None = None,
) -> "PairStates":
    """Go through scores (studies, rows, policies) in [0, 1] until all is decided or used up."""
    studies, rows, _ = scores.shape[-3:]
    board = PairStates(comparison, budget, studies, rows)
    if with_trace:
        board.follow(rows)
    # Blocks of rows come first, so that a row of all studies lies together in memory.
    by_row = np.ascontiguousarray(np.moveaxis(scores, -2, 0))
    missing = np.isnan(by_row).reshape(rows, math.prod(by_row.shape[1:]))
    # Blocks end where other scores are missing than in the row before.
    steady = np.append(np.flatnonzero((missing[1:] != missing[:-1]).any(axis=1)) + 1, rows)
    row, complete = 0, not missing.any()
    while row < rows and (board.runs.size or board.record is not None):
        if progress is not None:
            progress(row, rows)
        end = int(steady[np.searchsorted(steady, row, side="right")])
        count, lowered = board.observe(by_row[row:end], row, complete=complete)
        row += count
        changed = lowered and board.judge(row - 1)
        if with_p_values and changed:
            board.adjust()
        board.trace_row(row - 1, changed=changed)
        if changed or (board.gives_up and board.runs.size):
            board.settle(row)
    if with_p_values:
        board.adjust()
        board.look_ahead(rows)
    return board


class PairStates:
    """What became of every pair, and the methods' states of those still looked at.

    Arrays are (studies, pairs) or (studies, pairs, 2 directions): 0 says that policy 1 is better, 1
    that policy 0 is.
    """

    def __init__(self, comparison: PairTest, budget: Bonferroni, studies: int, rows: int) -> None:
        self.comparison, self.budget, self.family = comparison, budget, budget.family
        size = self.family.size
        # A run is study * pairs + pair. Those that go on are looked at; for a record of all rows
        # the tests of the others are stepped, too.
        self.runs = self.stepped = np.arange(studies * size)
        self.seen = np.zeros(self.runs.size, dtype=np.int64)
        self.record: Record | None = None  # of all rows, for intervals that invert the test
        self.trace: Trace | None = None  # evidence by row, for figures
        # With one side only, direction 1 has no evidence: a p-value of 1, and no claim.
        self.sides = len(comparison.directions)
        self.tests = comparison.start((self.runs.size,))
        self.factor = budget.start(studies)
        # Evidence is counted from the start; a method may begin with half of its wealth, because
        # its two directions share one level. Here each has its own.
        first = self.tests.evidence.log_e
        self.start = float(first.flat[0]) if np.isfinite(first).all() else 0.0
        self.halves = 0.5 if comparison.test.splits_itself else 1.0
        # At the decision or at the end; NaN without evidence.
        self.log_e = np.full((studies, size, 2), -np.inf)
        self.log_e[..., : self.sides] = (first - self.start).reshape(studies, size, self.sides)
        self.least, self.adjusted = np.ones((2, studies, size, 2))  # p-values
        self.claims = np.zeros((studies, size, 2), dtype=bool)
        self.open: Bools = np.ones((studies, size), dtype=bool)
        # Whether a decision follows from two others, not from the pair's own evidence.
        self.implied = np.zeros((studies, size), dtype=bool)
        # Pairs of trials seen until the decision, and rows gone through, those in which it waited
        # included.
        self.n = np.zeros((studies, size), dtype=np.int64)
        self.rows = np.full((studies, size), rows)
        self.gives_up = comparison.test.stops_at_futility
        # Whether a policy (studies, policies) would be tried in a further row; the rows until it
        # was not, or all.
        self.tried: Bools = np.ones((studies, self.family.k), dtype=bool)
        self.last = np.full((studies, self.family.k), rows)
        # Of open pairs with n_max ahead: the chance of a decision by then if there is an effect,
        # NaN if unknown, and whether it is too small to go on for.
        self.chance = np.full((studies, size), np.nan)
        self.futile = np.zeros((studies, size), dtype=bool)
        self.equal = np.zeros((studies, size), dtype=bool)  # for certain
        self.sameness = SamePairs(budget, studies) if comparison.asks_sameness else None
        self._locate()

    @property
    def same(self) -> Bools:
        """Pairs declared practically the same."""
        if self.sameness is not None:
            return self.sameness.found
        return np.asarray(self.equal & ~self.claims.any(axis=-1))

    @property
    def decided(self) -> Bools:
        return np.asarray(self.claims.any(axis=-1) | self.same)

    @property
    def p_value(self) -> Floats:
        """P-values of each direction, to be held against alpha (ones, if not asked for)."""
        return with_implied_p_values(self.family, self.claims, self.implied, self.adjusted)

    @property
    def p_same(self) -> Floats | None:
        """The p-value of sameness, to be held against alpha; None if it is not asked."""
        return None if self.sameness is None else self.sameness.p_value

    @property
    def levels(self) -> Floats:
        """The level of each direction at the decision, or at the end."""
        return self.budget.levels(self.factor)

    def follow(self, rows: int) -> None:
        """Keep evidence by row for figures, and of all rows for intervals that invert the test."""
        self.trace = Trace.start(rows, self.family.size)
        if self.comparison.test.inverts:
            self.record = Record.start(rows, self.tests.tests, self.sides)

    def observe(self, rows: Floats, row: int, *, complete: bool) -> tuple[int, bool]:
        """Show the tests one row, or several of the same policies if no claim can come of them."""
        r0, r1 = self._scores_of(rows[0])
        some = self.stepped_places
        if not complete:
            some = np.flatnonzero(self.comparison.reading.present(r0, r1))
        if not some.size:
            return len(rows), False
        if len(rows) > 1:
            count = self._leap(rows, row, some)
            if count:
                return count, False
        return 1, self._show(r0[..., some], r1[..., some], some)

    def _scores_of(self, rows: Floats) -> tuple[Floats, Floats]:
        study, columns = self.stepping
        return rows[..., study, columns[0]], rows[..., study, columns[1]]

    def _show(self, r0: Floats, r1: Floats, some: Ints) -> bool:
        """Show the tests at these places one pair each; say if the budget should look."""
        before = self._tests_at(some)
        directed = self.comparison.directed(r0, r1)
        after = self.comparison.observe(before, *directed)
        self._stepped(some, before, after, after.evidence.log_e[None], directed)
        at, shown = self.at, after
        if some.size < self.stepped.size or not self.all_live:
            live = np.flatnonzero(self.live[some])
            at, shown = self._located(self.stepped[some[live]]), of_runs(after, live)
        sided = (*at, slice(self.sides))
        self.n[at] += 1
        self.log_e[sided] = shown.evidence.log_e - self.start
        lowered = self._lowered(sided, shown.evidence)
        if self.sameness is not None and shown.p_not_worse is not None:
            lowered |= self.sameness.lowered(at, shown.p_not_worse)
        elif self.comparison.test.ends:
            self.equal[at] = self.comparison.equal(shown)
            lowered |= bool(self.equal[at].any())
        return lowered

    def _tests_at(self, some: Ints) -> Seen:
        return self.tests if some.size == self.stepped.size else of_runs(self.tests, some)

    def _stepped(
        self, some: Ints, before: Seen, after: Seen, path: Floats, directed: tuple[Floats, Floats]
    ) -> None:
        """Keep the tests at these places as they are after the pairs of a path."""
        if self.record is not None:
            fall = self.comparison.test.margin_fall(before.tests, after.tests, *directed)
            fall = fall if len(path) > 1 else fall[None]
            self.record.add(self.seen[some], some, after.tests, path - self.start, fall)
            self.seen[some] += len(path)
        if some.size < self.stepped.size:
            self.tests = writable(self.tests)
            put_runs(self.tests, some, after)
        else:
            self.tests = after

    def _lowered(self, at: At, evidence: Evidence) -> bool:
        """Keep the least p-values so far, in place; say if any is new."""
        before, now = self.least[at], evidence.p_value
        if self.halves < 1:  # only then cut off at 1: no evidence must be no p-value of a half
            now = np.minimum(self.halves * np.exp(-evidence.log_e), 1.0)
        if not (now < before).any():
            return False
        self.least[at] = np.minimum(before, now)
        return True

    def _backed(self) -> Floats:
        """Return the p-values of the orders, as far as nothing else holds them up."""
        if self.sameness is None:
            return self.least
        return self.sameness.backed(self.least, self.open, self.levels, self.claims)

    def _leap(self, rows: Floats, row: int, some: Ints) -> int:
        """Show rows at once if no claim can come of them; return how many, or 0."""
        if self.runs.size and (self.gives_up or self.sameness is not None):
            return 0  # there every row counts
        before = self._tests_at(some)
        count = min(self.comparison.test.held(before.tests), len(rows))
        if self.record is not None:
            count = min(count, self.record.room(int(self.seen[some[0]])))
        if self.trace is not None:
            count = min(count, self.trace.room(row))
        shown = self.live[some]
        at = self._located(self.stepped[some[shown]])
        levels = self.levels[at][:, None] * NEARLY
        while count > 1:
            r0, r1 = (scores[..., some] for scores in self._scores_of(rows[:count]))
            directed = self.comparison.directed(r0, r1)
            after, path = self.comparison.leap(before, *directed)
            p_value = self.halves * np.exp(-(path if self.all_live else path[:, shown]))
            reached = (p_value <= levels).any(axis=(1, 2))
            if not reached.any():
                sided = (*at, slice(self.sides))
                self.n[at] += count
                self.log_e[sided] = path[-1, shown] - self.start
                self.least[sided] = np.minimum(self.least[sided], p_value.min(axis=0))
                self._stepped(some, before, after, path, directed)
                return count
            count = int(reached.argmax())  # the row that may decide comes alone
        return 0

    def trace_row(self, row: int, *, changed: bool) -> None:
        if self.trace is None or not (changed or self.trace.room(row) == 1):
            return
        self.adjust()
        p_same = np.ones(self.n.shape) if self.p_same is None else self.p_same
        p_values = np.concatenate([self.adjusted, p_same[..., None]], axis=-1)
        self.trace.points.append((self.n[0].copy(), p_values[0]))

    def judge(self, row: int) -> bool:
        """Let the budget claim, add what follows, until nothing changes; say if anything did."""
        p_value, sameness = self._backed(), self.sameness
        self.factor, claims = self.budget.step(self.factor, self.claims, p_value)
        same = self.equal if sameness is None else sameness.shown(claims, self.open)
        if not (claims != self.claims).any() and not (self.open & same).any():
            return False
        while True:
            more, follows = with_implied(self.family, claims)
            self.implied |= follows
            if not follows.any():
                break
            # A claim that follows from others may itself let more risk pass on.
            self.factor, claims = self.budget.step(self.factor, more, p_value)
        self.claims = claims
        if sameness is not None:
            sameness.found = sameness.shown(claims, self.open)  # orders may have raised its level
        self.rows[self.open & self.decided] = row + 1
        return True

    def adjust(self) -> None:
        """Bring the p-values of all pairs up to date that were open before this row."""
        fresh = self.budget.p_values(self.factor, self._backed())
        self.adjusted = np.where(self.open[..., None], fresh, self.adjusted)

    def look_ahead(self, rows: int) -> None:
        """Find out, after so many rows, what the pairs still looked at may expect by n_max."""
        test, at = self.comparison.test, self.at
        chance, futile = None, np.zeros(self.runs.size, dtype=bool)
        if test.n_max is not None and rows < test.n_max:
            tests = self._tests_at(np.flatnonzero(self.live))
            if isinstance(test, MayBeFutile):
                hoped = self.budget.hoped_for(self.log_e)[self.sided]
                tests = tests._replace(tests=tests.tests._replace(log_e=hoped))
            chance = self.comparison.chances(tests)
            futile = self.comparison.hopeless(tests) & (self.n[at] > 0)
        self.chance[at] = np.nan if chance is None else chance
        self.futile[at] = futile

    def settle(self, rows: int) -> None:
        """Close decided pairs, and look no more at pairs that can tell nothing."""
        self.open = ~self.decided
        reason = np.zeros_like(self.open)
        reason[self.at] = self.open[self.at]
        if self.gives_up:
            self.look_ahead(rows)
            reason &= ~self.futile
        tried = np.asarray((reason[:, None, :] & self.family.of_policy).any(axis=-1))
        self.last[self.tried & ~tried] = rows
        self.tried = tried
        both = np.asarray(tried[:, self.family.pairs].all(axis=-1))
        going = (self.open & both)[self.at]
        if going.all():
            return
        places = np.flatnonzero(going)
        self.runs = self.runs[places]
        if self.record is None:
            self.tests = of_runs(self.tests, places)
            self.stepped, self.seen = self.runs, self.seen[places]
        self._locate()

    def _located(self, runs: Ints) -> At:
        return tuple(np.divmod(runs, self.family.size))

    def _locate(self) -> None:
        self.at = self._located(self.runs)
        self.sided = (*self.at, slice(self.sides))
        study, pair = self._located(self.stepped)
        self.stepping = study, self.family.pairs[pair].T
        self.stepped_places = np.arange(self.stepped.size)
        self.live = np.isin(self.stepped, self.runs, assume_unique=True)
        self.all_live = bool(self.live.all())


class SamePairs:
    """All that changes; arrays are (studies, pairs) or (studies, pairs, 2)."""

    def __init__(self, budget: Bonferroni, studies: int) -> None:
        self.budget = budget
        size = budget.family.size
        self.p_not_worse = np.ones((studies, size, 2))  # the least so far, each at its own level
        self.p_value = np.ones((studies, size))  # of sameness, to be held against alpha
        self.found = np.zeros((studies, size), dtype=bool)

    def lowered(self, at: At, p_not_worse: Floats) -> bool:
        """Keep the p-values of pairs; say if any is lower than it was."""
        lower = bool((p_not_worse < self.p_not_worse[at]).any())
        self.p_not_worse[at] = p_not_worse
        return lower

    def backed(self, p_value: Floats, open_: Bools, level: Floats, claims: Bools) -> Floats:
        """Return the p-values of the orders: whoever is better must not be worse, too."""
        closed = (self.found & ~open_)[..., None]
        share = (level / self.budget.level_of_sameness(claims))[..., None]
        return np.where(closed, 1.0, np.maximum(p_value, share * self.p_not_worse))

    def shown(self, claims: Bools, open_: Bools) -> Bools:
        alpha, level = self.budget.alpha, self.budget.level_of_sameness(claims)
        p_value = np.minimum(self.p_not_worse.max(axis=-1) * (alpha / level), 1.0)
        self.p_value = np.where(open_, p_value, self.p_value)
        low = self.p_value <= alpha * (1 + 1e-12)  # a rounding error must not hold it up
        return np.asarray(self.found | (open_ & low & ~claims.any(axis=-1)))


@dataclass(frozen=True)
class PairTests:
    rules: Rules

    def __post_init__(self) -> None:
        rules, family = self.rules, self.family
        require(
            rules.margin <= 0 or rules.ties == "strict" or family.sides == 1,
            "that exact ties do not occur says nothing of differences within a margin: with a "
            f"margin of {rules.margin:g} choose ",
            Setting("ties", "strict"),
        )

    def undecided(self, table: Table) -> int:
        reading = self.rules.reading
        counted = table.with_constants(reading.constants).with_each(reading.counted)
        scores = unit_rows(counted, self.comparison)[..., None, :, :]
        outcome = replay(self.comparison, self.budget, scores, with_p_values=False)
        return int((~outcome.decided).sum())

    @cached_property
    def family(self) -> Family:
        rules = self.rules
        baseline = None if rules.baseline is None else rules.policies.index(rules.baseline)
        sides = 2 if rules.alternative == "two-sided" else 1
        # A method that splits its level itself is always strict.
        strict = registry.find(rules.method).splits_itself or sides == 1
        return Family(
            k=len(rules.policies),
            baseline=baseline,
            ties="strict" if strict else rules.ties,
            sides=sides,
            elsewhere=rules.elsewhere,
            transitive=rules.reading.transitive,
        )

    @cached_property
    def comparison(self) -> PairTest:
        return PairTest(self.rules, self.family.total)

    @cached_property
    def budget(self) -> Bonferroni:
        return create(self.rules.adjust, family=self.family, alpha=self.rules.alpha)

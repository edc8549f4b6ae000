"""Replay of many policies, row by row, all pairs of all studies at once.

A row holds one trial of each policy: the same block in a paired design, else the i-th trial of
each. A pair whose partner has no trial in a row waits. A policy is tried until all of its pairs
are decided or, where that is binding, futile; what comes after is not looked at, as if it had not
been run.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.comparison import Comparison
from stopwise.core.equivalence import Sameness, SamenessState
from stopwise.core.futility import MayBeFutile, Outlook
from stopwise.core.method import Evidence, Method
from stopwise.core.progress import Progress
from stopwise.core.runs import of_runs, put_runs, writable
from stopwise.questions.budget import Bonferroni
from stopwise.questions.family import with_implied, with_implied_p_values
from stopwise.questions.same_pairs import SamePairs
from stopwise.questions.trace import Trace


@dataclass(frozen=True)
class Replay:
    """What became of every pair; arrays are (studies, pairs) or (studies, pairs, 2 directions)."""

    claims: Bools  # direction 0: policy 1 was declared better; direction 1: policy 0 was
    implied: Bools  # whether the decision follows from two others, not from the pair's own evidence
    n: Ints  # pairs of trials seen: until the decision, or all where undecided
    rows: Ints  # of the table gone through for the pair, those in which it waited included
    log_e: Floats  # of each direction at the decision or at the end; NaN without one
    p_value: Floats  # of each direction, to be held against alpha (ones, if not asked for)
    trace: Trace | None  # evidence by row, for figures (where asked for)
    levels: Floats  # of each direction at the decision, or at the end
    tried: Bools  # whether a policy (studies, policies) would be tried in a further row
    last: Ints  # the rows until it was not, or all
    # Of open pairs with n_max ahead: the chance of a decision by then if there is an effect, NaN if
    # unknown, and whether it is too small to go on for.
    chance: Floats
    futile: Bools
    same: Bools  # which pairs were declared practically the same
    p_same: Floats | None  # the p-value of that, to be held against alpha; None if it is not asked

    @property
    def decided(self) -> Bools:
        """Which pairs (studies, pairs) have a decision: an order, or practically the same."""
        return np.asarray(self.claims.any(axis=-1) | self.same)


def replay(
    comparison: Comparison,
    budget: Bonferroni,
    scores: Floats,
    *,
    with_p_values: bool = True,
    with_trace: bool = False,
    progress: Progress | None = None,
) -> Replay:
    """Go through the rows until everything is decided or the rows are used up.

    The comparison has its share of alpha as the level to aim at. Scores in [0, 1] are (studies,
    rows, policies), NaN where a policy has no trial; with a proxy they and its scores, along a
    first axis. Simulations need no p-values; a trace is of one study.
    """
    studies, rows, _ = scores.shape[-3:]
    board = PairStates(comparison, budget, studies, rows)
    trace = Trace.start(rows, budget.family.size) if with_trace else None
    # Blocks of rows come first, so that a row of all studies lies together in memory.
    by_row = np.ascontiguousarray(np.moveaxis(scores, -2, 0))
    complete = not np.isnan(scores).any()
    row = -1
    while (row := row + 1) < rows:
        if progress is not None:
            progress(row, rows)
        wanted = rows if trace is None else trace.next(row)
        if complete:
            row += board.leap(by_row[row:wanted])
            if row == rows:
                break
        changed = board.observe(by_row[row], complete) and board.judge(row)
        kept = trace is not None and (changed or row == wanted)
        if with_p_values and (changed or kept):
            board.adjust()
        if trace is not None and kept:
            trace.add(board.n[0], board.log_e[0], board.adjusted[0])
        if changed or board.gives_up:
            board.settle(row + 1)
            if not board.runs.size:
                break
    if with_p_values:
        board.adjust()
        board.look_ahead(rows)
    return board.result(trace)


class PairStates:
    """All that changes: the methods' states of the pairs still looked at, and every account."""

    def __init__(self, comparison: Comparison, budget: Bonferroni, studies: int, rows: int) -> None:
        self.comparison, self.budget, self.family = comparison, budget, budget.family
        size = self.family.size
        self.runs = np.arange(studies * size)  # study * pairs + pair
        # With one side only, direction 1 has no evidence: a p-value of 1, and no claim.
        self.sides = len(comparison.directions)
        self.state = comparison.test.start((self.runs.size, self.sides))
        self.factor = budget.start(studies)
        # Evidence is counted from the start; a method may begin with half of its wealth, because
        # its two directions share one level. Here each has its own.
        first = comparison.test.evidence(self.state).log_e
        self.start = float(first.flat[0]) if np.isfinite(first).all() else 0.0
        self.halves = 0.5 if comparison.test.splits_itself else 1.0
        self.log_e = np.full((studies, size, 2), -np.inf)
        self.log_e[..., : self.sides] = (first - self.start).reshape(studies, size, self.sides)
        self.p_value, self.adjusted = np.ones((2, studies, size, 2))
        self.claims = np.zeros((studies, size, 2), dtype=bool)
        self.open: Bools = np.ones((studies, size), dtype=bool)
        self.implied = np.zeros((studies, size), dtype=bool)
        self.n = np.zeros((studies, size), dtype=np.int64)
        self.rows = np.full((studies, size), rows)
        self.gives_up = comparison.test.stops_at_futility
        self.tried: Bools = np.ones((studies, self.family.k), dtype=bool)
        self.last = np.full((studies, self.family.k), rows)
        self.chance = np.full((studies, size), np.nan)
        self.futile = np.zeros((studies, size), dtype=bool)
        sameness = comparison.sameness
        self.same = None if sameness is None else SamePairs(sameness, budget, studies)
        self._locate()

    @property
    def decided(self) -> Bools:
        """Which pairs (studies, pairs) have an order, or are the same."""
        ordered = np.asarray(self.claims.any(axis=-1))
        return ordered if self.same is None else ordered | self.same.found

    def observe(self, scores: Floats, complete: bool) -> bool:
        """Show the methods one row; say if there is anything new for the budget to see."""
        method, at = self.comparison.test, self.at
        r0 = scores[..., at[0], self.columns[0]]
        r1 = scores[..., at[0], self.columns[1]]
        present: Bools | None = None
        if not complete:
            known = ~np.isnan(r0 + r1)
            if known.ndim > 1:  # a judge has seen those that were not audited, too
                audit = self.comparison.rules.audit is not None
                known = known[1] if audit else np.asarray(known.all(axis=0))
            present = known
        self._step(*self.comparison.met(r0, r1), present)
        evidence = method.evidence(self.state)
        # Only undecided pairs are here, and only a new minimum can change a decision.
        self.n[at] += 1 if present is None else present
        self.log_e[self.sided] = evidence.log_e - self.start
        lowered = self._lowered(self.p_value, self.sided, evidence)
        if self.same is not None:
            lowered |= self._lowered(self.same.p_not_worse, at, self.same.evidence)
        return lowered

    def _lowered(self, known: Floats, at: tuple[Any, ...], evidence: Evidence) -> bool:
        """Keep the least p-values so far, in place; say if any is new."""
        before, now = known[at], evidence.p_value
        if self.halves < 1:  # only then cut off at 1: no evidence must be no p-value of a half
            now = np.minimum(self.halves * np.exp(-evidence.log_e), 1.0)
        if not (now < before).any():
            return False
        known[at] = np.minimum(before, now)
        return True

    def _backed(self) -> Floats:
        """Return the p-values of the orders, as far as nothing else holds them up."""
        return self.p_value if self.same is None else self.same.backed(self.p_value, self.open)

    def _closed(self, claims: Bools) -> Bools:
        """Return which pairs are declared the same, given the orders claimed."""
        if self.same is None:
            return np.zeros_like(self.open)
        return self.same.shown(claims, self.open)

    def leap(self, rows: Floats) -> int:
        """Show the methods several rows at once if nothing can come of them; return how many."""
        if self.gives_up or self.same is not None:
            return 0  # there every row counts
        method, at = self.comparison.test, self.at
        count = min(method.held(self.state), len(rows))
        if count <= 1:
            return 0
        r0 = rows[:count, at[0], self.columns[0]]
        r1 = rows[:count, at[0], self.columns[1]]
        met = self.comparison.met(r0, r1)
        state, path = method.leap(self.state, *self.comparison.directed(*met))
        # Only a new minimum can change a decision; then the rows are gone through one by one.
        if (np.exp(-path) * self.halves < self.p_value[self.sided]).any():
            return 0
        self.state = state
        self.n[at] += count
        self.log_e[self.sided] = path[-1] - self.start
        return count

    def judge(self, row: int) -> bool:
        """Let the budget claim, add what follows, until nothing changes; say if anything did."""
        p_value = self._backed()
        self.factor, claims = self.budget.step(self.factor, self.claims, p_value)
        same = self._closed(claims)
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
        if self.same is not None:
            self.same.found = self._closed(claims)  # orders may have raised its level
        self.rows[self.open & self.decided] = row + 1
        return True

    def adjust(self) -> None:
        """Bring the p-values of all pairs up to date that were open before this row."""
        fresh = self.budget.p_values(self.factor, self._backed())
        self.adjusted = np.where(self.open[..., None], fresh, self.adjusted)

    def look_ahead(self, rows: int) -> None:
        """Find out, after so many rows, what the pairs still looked at may expect by n_max.

        A pair is given the highest level that it can still get.
        """
        test, at = self.comparison.test, self.at
        chance, futile = None, np.zeros(self.runs.size, dtype=bool)
        if test.n_max is not None and rows < test.n_max:
            state = self.state
            if isinstance(test, MayBeFutile):
                hoped = self.budget.hoped_for(self.log_e)[self.sided]
                state = state._replace(log_e=hoped)
            ahead = Outlook(test, state, *self._same_ahead())
            chance, futile = ahead.chances, ahead.hopeless & (self.n[at] > 0)
        self.chance[at] = np.nan if chance is None else chance
        self.futile[at] = futile

    def settle(self, rows: int) -> None:
        """Close decided pairs, and look no more at pairs that can tell nothing.

        An open pair is a reason to try its two policies, unless futility is binding and it is
        futile. A policy without a reason rests for good: its pairs are looked at no more, so that
        nothing can give it another one.
        """
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
        if not going.all():
            self.keep(np.flatnonzero(going))

    def keep(self, places: Ints) -> None:
        """Look no more at other runs than these, given by their places among those left."""
        self.runs = self.runs[places]
        self.state = of_runs(self.state, places)
        if self.same is not None:
            self.same.keep(places)
        self._locate()

    def result(self, trace: Trace | None) -> Replay:
        """Return the final accounts."""
        p_value = with_implied_p_values(self.family, self.claims, self.implied, self.adjusted)
        levels = self.budget.levels(self.factor)
        return Replay(
            self.claims,
            self.implied,
            self.n,
            self.rows,
            self.log_e,
            p_value,
            trace,
            levels,
            self.tried,
            self.last,
            self.chance,
            self.futile,
            np.zeros_like(self.open) if self.same is None else self.same.found,
            None if self.same is None else self.same.p_value,
        )

    def _locate(self) -> None:
        """Find studies, pairs and policies of the runs that go on."""
        study, pair = np.divmod(self.runs, self.family.size)
        self.at = study, pair
        self.sided = study, pair, slice(self.sides)
        self.columns = self.family.pairs[pair].T

    def _step(self, r0: Floats, r1: Floats, present: Bools | None) -> None:
        """Step the methods; a pair with a missing partner keeps its state."""
        some = None if present is None or present.all() else np.flatnonzero(present)
        if some is not None:
            r0, r1 = r0[..., some], r1[..., some]
        scores = self.comparison.directed(r0, r1)
        self.state = _stepped(self.comparison.test, self.state, scores, some)
        if self.same is not None:
            self.same.state = _stepped(self.same.sameness.test, self.same.state, scores, some)

    def _same_ahead(self) -> tuple[Sameness | None, SamenessState | None]:
        return (None, None) if self.same is None else (self.same.sameness, self.same.at(self.at))


def _stepped(
    method: Method[Any], state: Any, scores: tuple[Floats, Floats], some: Ints | None
) -> Any:
    """Return the state after a row: of all runs, or of some only."""
    if some is None:
        return method.step(state, *scores)
    if not some.size:
        return state
    part = method.step(of_runs(state, some), *scores)
    state = writable(state)
    put_runs(state, some, part)
    return state

"""Replay of many policies, row by row, all pairs of all studies at once.

A row holds one trial of each policy: the same block in a paired design, else the i-th trial of
each. A pair whose partner has no trial in a row waits. A policy is tried until all of its pairs
are decided; what comes after is not looked at, as if it had not been run.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from stopwise.core.comparison import Comparison
from stopwise.core.method import Bools, Floats, Ints
from stopwise.ranking.budget import Budget, Seen
from stopwise.ranking.implication import with_implied, with_implied_p_values
from stopwise.ranking.trace import Trace

__all__ = ["Aiming", "Replay", "replay"]


class Aiming(Protocol):
    """A method whose bets may be told, before each row, which level they now have to reach."""

    def aim(self, state: Any, levels: Floats) -> Any:
        """Return the state with bets that aim at these levels, shaped like the runs."""


@dataclass(frozen=True)
class Replay:
    """What became of every pair; arrays are (studies, pairs) or (studies, pairs, 2 directions).

    Attributes
    ----------
    claims
        Direction 0: policy 1 was declared better; direction 1: policy 0 was.
    implied
        Whether the decision follows from two others, not from the pair's own evidence.
    n
        Pairs of trials seen: until the decision, or all where undecided.
    rows
        Rows of the table gone through for the pair, those in which it waited included.
    log_e
        Log e-value of each direction at the decision or at the end; NaN without one.
    p_value
        P-value of each direction, to be held against alpha (ones, if not asked for).
    trace
        Evidence by row, for figures (where asked for).
    """

    claims: Bools
    implied: Bools
    n: Ints
    rows: Ints
    log_e: Floats
    p_value: Floats
    trace: Trace | None


def replay(
    comparison: Comparison,
    budget: Budget[Any],
    scores: Floats,
    *,
    with_p_values: bool = True,
    with_trace: bool = False,
) -> Replay:
    """Go through the rows until everything is decided or the rows are used up.

    Parameters
    ----------
    comparison
        The settings of one pair, two-sided, with its share of alpha as the level to aim at.
    budget
        The family-wise procedure.
    scores
        Normalised scores (studies, rows, policies), NaN where a policy has no trial.
    with_p_values
        Also compute p-values adjusted for the family; simulations need none.
    with_trace
        Keep the evidence by row, of one study.
    """
    rows = scores.shape[1]
    board = _Board(comparison, budget, len(scores), rows)
    trace = Trace.start(rows, budget.family.size) if with_trace else None
    # Blocks of rows come first, so that a row of all studies lies together in memory.
    by_row = np.ascontiguousarray(np.moveaxis(scores, 1, 0))
    complete = not np.isnan(scores).any()
    for row in range(rows):
        factor, before, running = board.observe(by_row[row], complete)
        changed = board.judge(Seen(running, factor, before, board.p_value, board.claims), row)
        kept = trace is not None and (changed or trace.keeps(row))
        if with_p_values and (changed or kept):
            board.adjust()
        if trace is not None and kept:
            trace.add(board.n[0], board.log_e[0], board.adjusted[0])
        if changed:
            board.settle()
            if not board.runs.size:
                break
    if with_p_values:
        board.adjust()
    return board.result(trace)


class _Board:
    """All that changes: the methods' states of the pairs still looked at, and every account."""

    def __init__(
        self, comparison: Comparison, budget: Budget[Any], studies: int, rows: int
    ) -> None:
        self.comparison, self.budget, self.family = comparison, budget, budget.family
        size = self.family.size
        self.runs = np.arange(studies * size)  # study * pairs + pair
        self.state = comparison.test.start((self.runs.size, 2))
        self.account = budget.start(studies)
        # Evidence is counted from the start; a method may begin with half of its wealth.
        self.origin = comparison.test.evidence(self.state).log_e.reshape(studies, size, 2)
        self.log_e_now = self.origin - self.origin
        self.log_e = self.log_e_now.copy()
        self.p_value, self.adjusted = np.ones((2, studies, size, 2))
        self.claims = np.zeros((studies, size, 2), dtype=bool)
        self.open: Bools = np.ones((studies, size), dtype=bool)
        self.implied = np.zeros((studies, size), dtype=bool)
        self.n = np.zeros((studies, size), dtype=np.int64)
        self.rows = np.full((studies, size), rows)

    def observe(self, scores: Floats, complete: bool) -> tuple[Floats, Floats, Bools]:
        """Show the methods one row; return growth, log e-values before it and who was tried."""
        method = self.comparison.test
        study, pair = np.divmod(self.runs, self.family.size)
        r0 = scores[study, self.family.pairs[pair, 0]]
        r1 = scores[study, self.family.pairs[pair, 1]]
        present = np.ones(r0.shape, dtype=bool) if complete else ~(np.isnan(r0) | np.isnan(r1))
        if hasattr(method, "aim"):
            levels = self.budget.aims(self.account)[study, pair]
            self.state = method.aim(self.state, np.stack([levels, levels], axis=-1))
        self._step(r0, r1, present)
        evidence = method.evidence(self.state)
        # Its two directions share one level; here each has its own.
        p_value = 0.5 * evidence.p_value if method.splits_itself else evidence.p_value
        before = self.log_e_now
        self.log_e_now = before.copy()
        self.log_e_now[study, pair] = evidence.log_e - self.origin[study, pair]
        counts = self.open[study, pair]
        at = study[counts], pair[counts]
        self.n[at] += present[counts]
        self.log_e[at] = self.log_e_now[at]
        self.p_value[at] = np.minimum(self.p_value[at], p_value[counts])
        running = np.zeros(self.open.shape, dtype=bool)
        running[study, pair] = True
        with np.errstate(invalid="ignore"):  # an e-process that has lost all stays lost
            log_growth = np.where(np.isneginf(before), 0.0, self.log_e_now - before)
        return np.exp(log_growth), before, running

    def judge(self, seen: Seen, row: int) -> bool:
        """Let the budget claim, add what follows, until nothing changes; say if anything did."""
        self.account, claims = self.budget.step(self.account, seen)
        if not (claims != self.claims).any():
            return False
        while True:
            more, follows = with_implied(self.family, claims)
            self.implied |= follows
            if not follows.any():
                break
            # A claim that follows from others may itself let more risk pass on.
            self.account, claims = self.budget.step(self.account, _at_rest(seen, more))
        self.claims = claims
        self.rows[self.open & claims.any(axis=-1)] = row + 1
        return True

    def adjust(self) -> None:
        """Bring the p-values of all pairs up to date that were open before this row."""
        fresh = self.budget.p_values(self.account, self.p_value)
        self.adjusted = np.where(self.open[..., None], fresh, self.adjusted)

    def settle(self) -> None:
        """Close decided pairs, and look no more at pairs that can tell nothing."""
        self.open = ~np.asarray(self.claims.any(axis=-1))
        study, pair = np.divmod(self.runs, self.family.size)
        going = self._of_use()[study, pair]
        if not going.all():
            self.runs = self.runs[going]
            self.state = type(self.state)(*(array[going] for array in self.state))

    def result(self, trace: Trace | None) -> Replay:
        """Return the final accounts."""
        p_value = with_implied_p_values(self.family, self.claims, self.implied, self.adjusted)
        return Replay(self.claims, self.implied, self.n, self.rows, self.log_e, p_value, trace)

    def _step(self, r0: Floats, r1: Floats, present: Bools) -> None:
        """Step the methods; a pair with a missing partner keeps its state."""
        method = self.comparison.test
        if present.all():
            self.state = method.step(self.state, *self.comparison.directed(r0, r1))
        elif present.any():
            part = type(self.state)(*(array[present] for array in self.state))
            part = method.step(part, *self.comparison.directed(r0[present], r1[present]))
            whole = type(self.state)(*(array.copy() for array in self.state))
            for array, values in zip(whole, part, strict=True):
                array[present] = values
            self.state = whole

    def _of_use(self) -> Bools:
        """Pairs that are undecided or, if evidence is shared, whose policies are still tried."""
        if not self.budget.shares_evidence:
            return self.open
        tried = np.asarray((self.open[:, None, :] & self.family.of_policy).any(axis=-1))
        return np.asarray(tried[:, self.family.pairs].all(axis=-1))


def _at_rest(seen: Seen, claims: Bools) -> Seen:
    return seen._replace(
        running=np.zeros_like(seen.running), factor=np.ones_like(seen.factor), claims=claims
    )

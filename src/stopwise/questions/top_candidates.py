"""Who may still be among the best m: one wealth per ordered pair, in all studies at once.

Policy b is one of the best m if all others but some m - 1 have means that are at most its own.
Whichever these m - 1 are, the mean of the wealths "a is better than b" over all other a is a
supermartingale, and the mean of the k - m smallest is never greater. So it is this mean that drops
b. The proof is in docs/design/best.md.
"""

import math
from typing import Any, ClassVar

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.method import Method
from stopwise.core.runs import of_runs, put_runs
from stopwise.questions.candidates import Candidates


class TopCandidates(Candidates):
    """The candidates for the best ``top``; those that are left in the end are named together.

    ``method`` is one direction of the test of a pair, at the level that its wealth has to reach;
    ``alpha`` the level of the whole question, of which each of the best has an equal share.
    """

    kept: ClassVar[tuple[str, ...]] = (*Candidates.kept, "pair_wealth")

    def __init__(
        self, method: Method[Any], studies: int, policies: int, *, alpha: float, top: int
    ) -> None:
        super().__init__(method, np.full(policies, 1 / top), studies, often=False)
        self.target, self.top = -math.log(alpha), top
        # Log of the wealth of "the opponent is better" (studies, policies, opponents); it stays as
        # it is once one of both is dropped.
        self.pair_wealth: Floats = np.zeros((studies, policies, policies))

    def set_aside(self) -> Bools:
        """Return nobody: there is no indifference."""
        return np.zeros_like(self.open)

    def _rivals(self) -> Bools:
        """Return who may have to be dropped: all, until no more are left than are wanted."""
        return np.asarray(super()._rivals() & (self.open.sum(axis=1) > self.top)[:, None])

    def _out(self) -> Bools:
        """Return who is dropped now: never so many that fewer are left than are wanted."""
        out = super()._out()
        most = np.where(out, self.log_wealth, -np.inf)
        place = (-most).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")
        return np.asarray(out & (place < self.open.sum(axis=1, keepdims=True) - self.top))

    def _bet(self, scores: Floats, means: Floats) -> None:  # noqa: ARG002
        """Multiply the wealth of each pair by its factor; of each policy, take the smallest."""
        study, policy, opponent = self.at
        r0, r1 = means[study, policy], means[study, opponent]
        some = np.flatnonzero(~(np.isnan(r0) | np.isnan(r1)))
        after = self.method.step(of_runs(self.state, some), r0[some], r1[some])
        put_runs(self.state, some, after)
        self.pair_wealth[study[some], policy[some], opponent[some]] = after.log_e
        own = np.where(np.eye(self.k, dtype=bool), np.inf, self.pair_wealth)
        smallest = np.sort(own, axis=2)[:, :, : self.k - self.top]
        self.log_wealth = np.logaddexp.reduce(smallest, axis=2) - math.log(
            self.top * (self.k - self.top)
        )

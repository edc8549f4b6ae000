"""Which pairs are practically the same: both tests of "not worse", of all pairs at once.

A pair is declared the same if neither policy is worse by the margin, each shown at the level that
the budget gives; docs/design/equivalence.md has the proof.
"""

from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.equivalence import Sameness, SamenessState
from stopwise.core.method import Evidence
from stopwise.core.runs import of_runs, put_runs, writable
from stopwise.questions.budget import Bonferroni

At = tuple[Any, ...]


class SamePairs:
    """All that changes; arrays are (studies, pairs) or (studies, pairs, 2)."""

    def __init__(self, sameness: Sameness, budget: Bonferroni, studies: int) -> None:
        self.sameness, self.budget = sameness, budget
        size = budget.family.size
        self.state: Any = sameness.test.start((studies * size, 2))
        self.p_not_worse = np.ones((studies, size, 2))
        self.p_value = np.ones((studies, size))  # of sameness, to be held against alpha
        self.found = np.zeros((studies, size), dtype=bool)

    def step(self, places: Ints, r0: Floats, r1: Floats) -> Evidence:
        """Show a pair of scores to the tests at these places of those looked at."""
        test = self.sameness.test
        part = test.step(of_runs(self.state, places), r0, r1)
        self.state = writable(self.state)
        put_runs(self.state, places, part)
        return test.evidence(part)

    def at(self, at: At) -> SamenessState:
        """Return what the tests of the pairs still looked at have seen."""
        return SamenessState(self.state, self.p_not_worse[at])

    def backed(self, p_value: Floats, open_: Bools) -> Floats:
        """Return the p-values of the orders: whoever is better must not be worse, too.

        A pair that was closed as the same gets no order any more.
        """
        closed = (self.found & ~open_)[..., None]
        return np.where(closed, 1.0, np.maximum(p_value, self.p_not_worse))

    def shown(self, claims: Bools, open_: Bools) -> Bools:
        """Return which pairs are the same, given the orders claimed and the pairs open before."""
        alpha, level = self.budget.alpha, self.budget.level_of_sameness(claims)
        p_value = np.minimum(self.p_not_worse.max(axis=-1) * (alpha / level), 1.0)
        self.p_value = np.where(open_, p_value, self.p_value)
        low = self.p_value <= alpha * (1 + 1e-12)  # a rounding error must not hold it up
        return np.asarray(self.found | (open_ & low & ~claims.any(axis=-1)))

    def keep(self, places: Ints) -> None:
        """Look no more at other runs than these."""
        self.state = of_runs(self.state, places)

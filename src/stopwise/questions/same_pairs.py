"""Which pairs are practically the same: both tests of "not worse", of all pairs at once.

A pair is declared the same if neither policy is worse by the margin, each shown at the level that
the budget gives; docs/design/claims.md has the proof.
"""

from typing import Any

import numpy as np

from stopwise.core.arrays import Bools, Floats
from stopwise.core.equivalence import SamenessState
from stopwise.questions.budget import Bonferroni

At = tuple[Any, ...]


class SamePairs:
    """All that changes; arrays are (studies, pairs) or (studies, pairs, 2)."""

    def __init__(self, budget: Bonferroni, studies: int) -> None:
        self.budget = budget
        size = budget.family.size
        self.p_not_worse = np.ones((studies, size, 2))  # the least so far, each at its own level
        self.p_value = np.ones((studies, size))  # of sameness, to be held against alpha
        self.found = np.zeros((studies, size), dtype=bool)

    def lowered(self, at: At, same: SamenessState) -> bool:
        """Keep the p-values of pairs; say if any is lower than it was."""
        lower = bool((same.p_value < self.p_not_worse[at]).any())
        self.p_not_worse[at] = same.p_value
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

"""What a confidence sequence sees and remembers, and the form of a bet."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from stopwise.core.arrays import Bools, Floats


class Interval(NamedTuple):
    """A closed interval [low, high]."""

    low: float
    high: float


class Bet(NamedTuple):
    """A bet on one pair, fixed before it: ``1 + amount (x1 - x0) - cross x0 x1`` is its factor."""

    amount: Floats
    centre0: Floats
    cross: Floats  # weight of the product of both scores, each less its centre; at most amount^2

    def renewed(self, due: Bools, new: "Bet") -> "Bet":
        return Bet._make(np.where(due, fresh, old) for fresh, old in zip(new, self, strict=True))


class Bettor(Protocol):
    """What knows how to bet against other margins than its own: a method."""

    def bets_at(self, state: Any, margins: Floats, need: Floats, size: Floats) -> Bet | None:
        """Return the bets against each margin on the average of ``size`` pairs, or None."""


class Pairs(NamedTuple):
    """One or more pairs as a sequence sees them; arrays have the shape of the runs."""

    number: int
    total0: Floats
    total1: Floats
    squares: Floats  # sum of squared differences
    log_e: Floats  # evidence of the test after them, as a logarithm, 0 at the start
    fall: Floats  # by how much it would have been more per unit of a smaller margin, at least
    rejected: Bools  # whether the test has decided


class ConfidenceState(NamedTuple):
    """What is known of each side's nodes, and the group of pairs that is not yet full."""

    pairs: Floats
    renewal: Floats  # after how many pairs the bets are renewed
    total: Floats  # of differences, and of their squares
    squares: Floats
    waiting: Floats  # pairs in the group, and sums of both scores
    total0: Floats
    total1: Floats
    fall: Floats  # (..., sides)
    bound: Floats  # (..., sides)
    backed: Floats  # (..., sides): 1, or 0 once the test has decided for the other side
    node: Floats  # (..., sides, NODES), as the rest
    fund: Floats  # wealth against the node, less that of the test if the node is not above m
    slope: Floats  # wealth against a value x below the node is fund + slope x + bend x^2 / 2
    bend: Floats
    reach: Floats  # values up to here were rejected by the evidence of this node
    amount: Floats
    centre0: Floats
    cross: Floats

    @property
    def bet(self) -> Bet:
        return Bet(self.amount, self.centre0, self.cross)

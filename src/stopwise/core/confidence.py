"""Time-uniform confidence sequence of the mean difference, by inverting bets on every value.

[-1, 1] is cut into cells. Each cell carries two nonnegative supermartingales: one bets that the
mean of d = r1 - r0 lies above the cell (null: at most its upper edge), one that it lies below
(null: at least its lower edge). For the cell that holds the true mean both nulls are true,
so their average stays below 1/alpha for ever with probability at least 1 - alpha (Ville);
a cell is struck out, for good, when its average reaches 1/alpha, and the interval is the hull
of what is left. Nothing is assumed of the bets but that they use only the past, nor of the
dependence within a pair; rounding is outward because a cell stands for all of its values.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx

from stopwise.core.arrays import Bools, Floats, Ints

__all__ = ["CELLS", "ConfidenceSequence", "ConfidenceState", "Interval"]

CELLS = 1000
EDGES = np.linspace(-1.0, 1.0, CELLS + 1)
# Row 0 bets on "above" against the null "at most the upper edge", row 1 the mirror image.
SIDES = np.array([[1.0], [-1.0]])
NULL_EDGES = np.stack([EDGES[1:], EDGES[:-1]])
SIGNED_EDGES = SIDES * NULL_EDGES
# For d in [-1, 1] evidence stays nonnegative up to these bets.
LARGEST_BETS = 1.0 / (1.0 + SIGNED_EDGES)
# Bets nearer the largest help tiny variances only.
CAUTIOUS_BETS = 0.9 * LARGEST_BETS
ROOT_HALF, HAZARD = math.sqrt(0.5), math.sqrt(2.0 / math.pi)
# One prior difference of mean 0 and mean square 1/3: wide, and soon outweighed.
PRIOR_PAIRS = 1.0
PRIOR_SQUARE = 1.0 / 3.0


class Interval(NamedTuple):
    """A closed interval [low, high]."""

    low: float
    high: float


class ConfidenceState(NamedTuple):
    """Moments of the differences, and the cells between the first and the last survivor."""

    n: Floats
    total: Floats
    squares: Floats
    first: Ints  # index of the first cell held, the same for all runs
    wealth: Floats  # (..., 2, cells): of the bets on "above" and on "below" each cell
    alive: Bools


@dataclass(frozen=True, kw_only=True)
class ConfidenceSequence:
    """Confidence sequence whose bets assume, for each cell, that the mean is not in it.

    Given the past, the mean is taken as normal around the estimate; for each edge the bet on
    "above" is E[gap]/(variance + E[gap^2]) with gap = mean - edge given gap > 0, and likewise
    for "below". This is a choice of speed, not of validity.
    """

    alpha: float

    def start(self, shape: tuple[int, ...]) -> ConfidenceState:
        """Return the state before the first pair: every value is possible."""
        return ConfidenceState(
            np.zeros(shape),
            np.zeros(shape),
            self._prior_squares(shape),
            np.zeros(1, dtype=np.int64),
            np.ones((*shape, 2, CELLS)),
            np.ones((*shape, CELLS), dtype=bool),
        )

    def step(self, state: ConfidenceState, r0: Floats, r1: Floats) -> ConfidenceState:
        """Return the state after one more pair of scores in [0, 1]."""
        first = int(state.first[0])
        cells = slice(first, first + state.alive.shape[-1])
        difference = r1 - r0
        payoff = SIDES * difference[..., None, None] - SIGNED_EDGES[:, cells]
        payoff *= self._bets(state, cells)
        payoff += 1.0
        wealth = state.wealth * payoff
        ruin = 2.0 / self.alpha
        alive = state.alive & (wealth[..., 0, :] + wealth[..., 1, :] < ruin)
        # Once every cell is struck out (probability at most alpha) the last interval stays.
        some = np.logical_or.reduce(alive, axis=-1, keepdims=True)
        if not some.all():
            alive = np.where(some, alive, state.alive)
        held = np.logical_or.reduce(alive.reshape(-1, alive.shape[-1])).nonzero()[0]
        keep = slice(int(held[0]), int(held[-1]) + 1)
        n, total, squares = self._moments(state, difference)
        return ConfidenceState(
            n,
            total,
            squares,
            state.first + held[0],
            np.minimum(wealth[..., keep], ruin),  # what is struck out need not overflow
            alive[..., keep],
        )

    def bounds(self, state: ConfidenceState) -> tuple[Floats, Floats]:
        """Return the lower and upper ends of the interval for the mean of r1 - r0."""
        first = int(state.first[0])
        low = first + state.alive.argmax(axis=-1)
        high = first + state.alive.shape[-1] - state.alive[..., ::-1].argmax(axis=-1)
        return EDGES[low], EDGES[high]

    def holds_together(self, state: ConfidenceState) -> bool:
        """Whether a state read from outside is one that this sequence could have made."""
        first, cells = int(state.first[0]), state.alive.shape[-1]
        return (
            0 <= first <= first + cells <= CELLS
            and state.wealth.shape[-1] == cells
            and bool(state.alive.any(axis=-1).all())
        )

    def _prior_squares(self, shape: tuple[int, ...]) -> Floats:
        return np.full(shape, PRIOR_PAIRS * PRIOR_SQUARE)

    def _moments(self, state: ConfidenceState, difference: Floats) -> tuple[Floats, Floats, Floats]:
        return state.n + 1.0, state.total + difference, state.squares + difference**2

    def _bets(self, state: ConfidenceState, cells: slice) -> Floats:
        pairs = state.n + PRIOR_PAIRS
        mean = state.total / pairs
        variance = np.maximum(state.squares / pairs - mean * mean, 1e-9)
        uncertainty = variance / pairs
        error = np.sqrt(uncertainty)
        gap = SIDES * mean[..., None, None] - SIGNED_EDGES[:, cells]
        # E[gap | gap > 0] of a normal; far below 0 its terms cancel, but no bet may be negative.
        expected = erfcx(gap * (-ROOT_HALF / error)[..., None, None])
        np.divide((error * HAZARD)[..., None, None], expected, out=expected)
        expected += gap
        np.maximum(expected, 0.0, out=expected)
        gap *= expected
        gap += (variance + uncertainty)[..., None, None]
        expected /= gap
        capped: Floats = np.minimum(expected, CAUTIOUS_BETS[:, cells])
        return capped

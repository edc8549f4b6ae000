"""The finite-horizon plan of ``nscore-plus``: which bet to make, given evidence, data and time.

One table per (alpha, n_max, design), found by backward induction. In standardised units every
pair brings a step ``e`` of variance one and mean ``theta`` (effect over standard deviation), and a
bet ``g`` multiplies the wealth by about ``1 + g e``. The state is the number of pairs seen, the
running sum of the steps and the log-wealth still needed; the control is ``g``. The plan minimises,
under a prior over ``theta > 0``, the relative delay of the decision plus a price for no decision.
It only decides how fast the test is: every bet it returns is predictable, hence valid.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stopwise.core.arrays import Floats

__all__ = ["Plan", "plan"]

# Effects considered: log-spaced from LEAST / sqrt(n_max), hardly detectable, to GREATEST per pair,
# all equally likely a priori (log-uniform).
LEAST, GREATEST, EFFECTS = 2.0, 2.0, 14
# A pair of delay costs 1 / (LEARNING + 2 log(1/alpha) / theta^2): about one over the time that the
# effect needs anyway, of which LEARNING pairs go into learning means and spread.
LEARNING = 12.0
# Price of ending undecided, in the same unit (1 is the time that the effect needs anyway).
UNDECIDED = 1.5
# Pairs that are merged into one step of the table: this share of the distance to the nearer end.
MERGE = 0.04
# The log-wealth may fall this far below the start before the table clamps it; a smaller depth makes
# the plan risk-seeking, as if losses beyond it were free.
DEPTH = 10.0
# Discrete monitoring: shift of a barrier per unit step, -zeta(1/2) / sqrt(2 pi).
BARRIER_SHIFT = 0.5826
# The statistic of the table is sum / sqrt(pairs + SOFTENING).
SOFTENING = 4.0

STATISTIC: Floats = np.linspace(-3.0, 7.5, 36)
STATISTIC_STEP = float(STATISTIC[1] - STATISTIC[0])
NEED_POINTS = 73
NEIGHBOURS = np.array([0, 1, NEED_POINTS, NEED_POINTS + 1])
TINY = 1e-9  # keeps the upper neighbour of the last cell inside the table
BET_POINTS = 18
STEP_POINTS = 12


class Plan(NamedTuple):
    """Bets of the plan on a grid (row of time, statistic, need)."""

    row: NDArray[np.intp]  # row of the table for each number of pairs seen, 0 .. n_max - 1
    bet: Floats  # (rows, statistic, need), standardised bet g
    need_max: float  # largest log-wealth to go in the table

    def at(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        """Return the bet after so many pairs (fewer than n_max), by bilinear interpolation.

        Parameters
        ----------
        pairs, total, need : ndarray
            Pairs seen, sum of standardised differences, log-wealth to go.
        """
        statistic = (total / np.sqrt(pairs + SOFTENING) - STATISTIC[0]) * (1 / STATISTIC_STEP)
        # not np.clip, which is slow on the short arrays of a live stream
        statistic = np.minimum(np.maximum(statistic, 0.0), STATISTIC.size - 1 - TINY)
        remaining = np.minimum(need_index(need, self.need_max), NEED_POINTS - 1 - TINY)
        i, j = statistic.astype(np.intp), remaining.astype(np.intp)
        a, b = statistic - i, remaining - j
        corner = (self.row[pairs.astype(np.intp)] * STATISTIC.size + i) * NEED_POINTS + j
        # the four neighbours in one gather: (statistic, need) = (0, 0), (0, 1), (1, 0), (1, 1)
        bets = self.bet.reshape(-1)[corner + NEIGHBOURS.reshape(4, *(1,) * corner.ndim)]
        low, high = bets[::2] + b * (bets[1::2] - bets[::2])
        bet: Floats = low + a * (high - low)
        return bet


def need_index(need: Floats, need_max: float) -> Floats:
    """Fractional index of a need in the quadratically spaced grid."""
    # not np.clip, which is slow on the short arrays of a live stream
    share: Floats = np.minimum(np.maximum(need / need_max, 0.0), 1.0)
    return np.sqrt(share) * (NEED_POINTS - 1)


def _times(n_max: int) -> NDArray[np.intp]:
    times = [0]
    while times[-1] < n_max:
        now = times[-1]
        times.append(min(n_max, now + max(1, int(MERGE * min(now, n_max - now)))))
    return np.array(times, dtype=np.intp)


def _cubic(position: Floats, size: int) -> tuple[NDArray[np.intp], Floats]:
    """Four nodes and Lagrange weights; cubic, because linear errors add up over the steps."""
    first = np.clip(np.floor(position).astype(np.intp) - 1, 0, size - 4)
    u = position - first
    weights = np.stack(
        [
            -(u - 1) * (u - 2) * (u - 3) / 6,
            u * (u - 2) * (u - 3) / 2,
            -u * (u - 1) * (u - 3) / 2,
            u * (u - 1) * (u - 2) / 6,
        ],
        axis=-1,
    )
    return first[..., None] + np.arange(4), weights


def _steps() -> tuple[Floats, Floats]:
    """Nodes and weights of a standard normal step, cut where scores are bounded anyway."""
    nodes = np.linspace(-2.6, 2.6, STEP_POINTS)
    weights = np.exp(-0.5 * nodes**2)
    weights /= weights.sum()
    return nodes / np.sqrt((weights * nodes**2).sum()), weights


def _log_growth(bets: Floats, nodes: Floats, pairs: int, design: str) -> Floats:
    """Log-increment (bet, node) of the design's increment at a standardised step."""
    g, e = bets[:, None], nodes[None, :]
    if pairs > 1:
        return g * e - 0.5 * g**2 * pairs
    # Independent: E[(1 + g x1)(1 - g x0) | x1 - x0 = e] for two equal normal arms.
    factor = 1 + g * e + (g**2 * (e**2 - 1) / 4 if design == "independent" else 0.0)
    return np.log(np.maximum(factor, 1e-3))


class _Moves(NamedTuple):
    nodes: Floats
    going: sparse.csr_matrix  # cost over (node, need) -> cost over (need, bet), summed over nodes
    stops: sparse.csr_matrix  # 1 where the step of that node reaches the threshold


def _moves(pairs: int, need: Floats, bets: Floats, design: str) -> _Moves:
    nodes = _steps()[0] * np.sqrt(pairs)
    growth = _log_growth(bets, nodes, pairs, design)
    after = need[:, None, None] - growth[None, :, :]
    stop = after <= 1e-12 + BARRIER_SHIFT * bets[None, :, None] * (np.sqrt(pairs) - 1)
    state, node = np.nonzero(~stop.reshape(-1, nodes.size))
    index, weights = _cubic(need_index(after[~stop], need[-1]), need.size)
    columns = (node[:, None] * need.size + index).ravel()
    entries = (weights.ravel(), (np.repeat(state, 4), columns))
    shape = (need.size * bets.size, nodes.size * need.size)
    stops = sparse.csr_matrix(stop.reshape(-1, nodes.size).astype(np.float64))
    return _Moves(nodes, sparse.csr_matrix(entries, shape=shape), stops)


def _vertex(costs: Floats, bets: Floats) -> Floats:
    """Bet of least cost along the last axis, refined by a parabola through three grid points."""
    best = costs.argmin(axis=-1)
    middle = np.clip(best, 1, bets.size - 2)
    pick = [np.take_along_axis(costs, (middle + j)[..., None], -1)[..., 0] for j in (-1, 0, 1)]
    left, centre, right = bets[middle - 1], bets[middle], bets[middle + 1]
    rise, fall = pick[1] - pick[2], pick[1] - pick[0]
    below = (centre - left) * rise - (centre - right) * fall
    above = (centre - left) ** 2 * rise - (centre - right) ** 2 * fall
    safe = (best == middle) & (np.abs(below) > 1e-14)
    refined = centre - 0.5 * above / np.where(safe, below, 1.0)
    chosen: Floats = np.where(safe, np.clip(refined, left, right), bets[best])
    return chosen


@lru_cache(maxsize=64)
def plan(alpha: float, n_max: int, design: str, *, randomised: bool = False) -> Plan:
    """Backward induction for one level, horizon and design.

    Parameters
    ----------
    alpha : float
        Level of the one-sided test; the wealth must reach 1 / alpha.
    n_max : int
        Number of pairs at which the study ends.
    design : str
        "independent" or "paired"; it fixes the increment and so the largest bet.
    randomised : bool
        Whether wealth X left at n_max still decides, with probability alpha X.

    Returns
    -------
    Plan
        Table of standardised bets.
    """
    target = float(np.log(1 / alpha))
    times = _times(n_max)
    need: Floats = (target + DEPTH) * (np.arange(NEED_POINTS) / (NEED_POINTS - 1)) ** 2
    largest = 1.36 if design == "independent" else 0.97
    bets = np.concatenate([[0.0], np.geomspace(0.02, largest, BET_POINTS - 1)])
    least = LEAST / np.sqrt(n_max)
    theta = np.geomspace(least, max(GREATEST, 1.5 * least), EFFECTS)
    prior = np.full(EFFECTS, 1 / EFFECTS)
    delay = 1 / np.minimum(n_max, LEARNING + 2 * target / theta**2)
    node_weights = _steps()[1]
    generating = np.log(np.exp(theta[:, None] * _steps()[0]) @ node_weights)
    moves: dict[int, _Moves] = {}
    cost = np.full((STATISTIC.size, NEED_POINTS), UNDECIDED)
    if randomised:
        cost = cost * -np.expm1(-need)
    table = np.empty((times.size - 1, STATISTIC.size, NEED_POINTS))
    for i in range(times.size - 2, -1, -1):
        now, pairs = int(times[i]), int(times[i + 1] - times[i])
        if pairs not in moves:
            moves[pairs] = _moves(pairs, need, bets, design)
        total = STATISTIC * np.sqrt(now + SOFTENING)
        log_post = np.log(prior) + theta * total[:, None] - now * generating
        posterior = np.exp(log_post - log_post.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        price = posterior @ delay  # of one more pair
        shrink = generating if pairs == 1 else pairs * theta**2 / 2
        nodes = moves[pairs].nodes[:, None]
        chance = node_weights[:, None] * (np.exp(theta * nodes - shrink) @ posterior.T)
        after = np.clip((total + nodes) / np.sqrt(times[i + 1] + SOFTENING), *STATISTIC[[0, -1]])
        position = (after - STATISTIC[0]) / STATISTIC_STEP
        index, weights = _cubic(position, STATISTIC.size)
        later = np.einsum("kyjd,kyj->kdy", cost[index], weights * chance[..., None])
        expected = moves[pairs].going @ later.reshape(-1, STATISTIC.size)
        if pairs > 1:  # a stop inside merged pairs saves half of them
            expected -= moves[pairs].stops @ (chance * price * (0.5 * (pairs - 1)))
        costs = expected.reshape(NEED_POINTS, BET_POINTS, -1).transpose(2, 0, 1)
        # where nothing helps any more rounding must not choose: prefer the smaller bet
        table[i] = _vertex(costs + 1e-10 * bets, bets)
        cost = costs.min(axis=-1) + pairs * price[:, None]
    row = np.searchsorted(times, np.arange(n_max), side="right") - 1
    table.flags.writeable = False
    return Plan(row.astype(np.intp), table, float(need[-1]))

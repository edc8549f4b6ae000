"""The bets that ``nscore-plus`` plans for a declared horizon, and its chances.

They are found by backward induction over evidence, data and time.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stopwise.core.arrays import Bools, Floats, between
from stopwise.core.nscore_plus.growth import SECOND_ORDER, effects, growth_bet, within_reach

# Tuned; any value is valid. Raise the edition of the method when you change one.
PLAN_EFFECTS = 14  # effects on the grid of the prior
LEARNING_PAIRS = 12.0  # pairs spent on learning
UNDECIDED_PRICE = 1.5  # of ending undecided
MERGED_SHARE = 0.04  # of the pairs to the nearer end, merged into a step
WEALTH_DEPTH = 10.0  # how far log-wealth falls in the table
SOFTENING = 4.0  # added to the pairs under the statistic's root
STATISTIC_LOW, STATISTIC_HIGH, STATISTIC_POINTS = -3.0, 7.5, 36
NEED_POINTS = 73  # points of the log-wealth to go
LEAST_BET = 0.02  # above 0
LARGEST_BET_INDEPENDENT, LARGEST_BET_PAIRED = 1.36, 0.97
BET_POINTS = 18  # bets tried
STEP_POINTS = 12  # points of a step
STEP_REACH = 2.6  # deviations that a step reaches

STATISTIC: Floats = np.linspace(STATISTIC_LOW, STATISTIC_HIGH, STATISTIC_POINTS)
STATISTIC_STEP = float(STATISTIC[1] - STATISTIC[0])
TINY = 1e-9  # keeps the upper neighbour of the last cell inside the table


class PlanTable(NamedTuple):
    """Planned bets, or the chances that go with them, on a grid (row of time, statistic, need)."""

    row: NDArray[np.intp]  # row of the table for each number of pairs seen
    values: Floats  # (rows, statistic, need): standardised bets g, or chances of a decision
    need_max: float  # largest log-wealth to go in the table

    def at(self, pairs: Floats, total: Floats, need: Floats) -> Floats:
        """Return the value after so many pairs, by bilinear interpolation."""
        statistic = (total / np.sqrt(pairs + SOFTENING) - STATISTIC_LOW) * (1 / STATISTIC_STEP)
        statistic = between(statistic, 0.0, STATISTIC.size - 1 - TINY)
        remaining = np.minimum(need_index(need, self.need_max), NEED_POINTS - 1 - TINY)
        i, j = statistic.astype(np.intp), remaining.astype(np.intp)
        a, b = statistic - i, remaining - j
        corner = (self.row.take(pairs.astype(np.intp)) * STATISTIC.size + i) * NEED_POINTS + j
        values = self.values.reshape(-1)
        low, above = values.take(corner), values.take(corner + NEED_POINTS)
        low = low + b * (values.take(corner + 1) - low)
        high = above + b * (values.take(corner + (NEED_POINTS + 1)) - above)
        value: Floats = low + a * (high - low)
        return value


def interpolated(values: Floats, position: Floats) -> Floats:
    position = np.minimum(position, values.shape[-1] - 1 - TINY)
    low = position.astype(np.intp)
    left = np.take_along_axis(values, low, -1)
    between_them: Floats = left + (position - low) * (
        np.take_along_axis(values, low + 1, -1) - left
    )
    return between_them


def need_index(need: Floats, need_max: float) -> Floats:
    """Fractional index of a need in the quadratically spaced grid."""
    return np.sqrt(between(need / need_max, 0.0, 1.0)) * (NEED_POINTS - 1)


# Discrete monitoring: shift of a barrier per unit step, -zeta(1/2) / sqrt(2 pi); not tuned.
BARRIER_SHIFT = 0.5826


@lru_cache(maxsize=64)
def bet_table(alpha: float, n_max: int, design: str) -> PlanTable:
    """Return the standardised bets planned for one level (of one side), horizon and design."""
    target = float(np.log(1 / alpha))
    need = _needs(target)
    largest = LARGEST_BET_INDEPENDENT if design == "independent" else LARGEST_BET_PAIRED
    bets = np.concatenate([[0.0], np.geomspace(LEAST_BET, largest, BET_POINTS - 1)])
    beliefs = _beliefs(n_max, target)
    times = _times(n_max)
    moves: dict[int, _Moves] = {}
    cost = np.full((STATISTIC.size, NEED_POINTS), UNDECIDED_PRICE)
    table = np.empty((times.size - 1, STATISTIC.size, NEED_POINTS))
    for i in range(times.size - 2, -1, -1):
        now, pairs = int(times[i]), int(times[i + 1] - times[i])
        if pairs not in moves:
            moves[pairs] = _moves(pairs, need, bets, design)
        costs, price = _costs(cost, now, pairs, moves[pairs], beliefs)
        # where nothing helps any more rounding must not choose: prefer the smaller bet
        table[i] = _vertex(costs + 1e-10 * bets, bets)
        cost = costs.min(axis=-1) + pairs * price[:, None]
    pairs_seen = times[:-1, None, None].astype(np.float64)
    state = pairs_seen, STATISTIC[:, None] * np.sqrt(pairs_seen + SOFTENING), need
    kept = growth_bet(n_max, *state, SECOND_ORDER[design])
    table = np.where(within_reach(n_max, *state), table, kept)
    row = np.searchsorted(times, np.arange(n_max), side="right") - 1
    table.flags.writeable = False
    return PlanTable(row.astype(np.intp), table, float(need[-1]))


@lru_cache(maxsize=64)
def chance_table(alpha: float, n_max: int, design: str) -> PlanTable:
    """Return the chance that the plan decides by n_max, if there is an effect; as ``bet_table``."""
    plan = bet_table(alpha, n_max, design)
    target = float(np.log(1 / alpha))
    need, beliefs, times = _needs(target), _beliefs(n_max, target), _times(n_max)
    table = np.zeros((times.size, STATISTIC.size, NEED_POINTS))
    for i in range(times.size - 2, -1, -1):
        now, pairs = int(times[i]), int(times[i + 1] - times[i])
        nodes = _steps()[0] * np.sqrt(pairs)
        outlook = _outlook(now, pairs, nodes[:, None], beliefs)
        later = np.einsum("kyjd,kyj->kyd", table[i + 1][outlook.points], outlook.weights)
        bet = plan.values[i]
        after = need - _log_growth(bet, nodes[:, None, None], pairs, design)
        reached = _reached(after, bet, pairs)
        position = need_index(after, plan.need_max)
        chance = np.where(reached, 1.0, interpolated(later, position))
        share = outlook.chance / outlook.chance.sum(axis=0)
        table[i] = np.clip(np.einsum("kyd,ky->yd", chance, share), 0.0, 1.0)
    row = np.searchsorted(times, np.arange(n_max + 1))  # inside a step: the chance when it ends
    table.flags.writeable = False
    return PlanTable(row.astype(np.intp), table, plan.need_max)


def _needs(target: float) -> Floats:
    need: Floats = (target + WEALTH_DEPTH) * (np.arange(NEED_POINTS) / (NEED_POINTS - 1)) ** 2
    return need


class _Beliefs(NamedTuple):
    """The prior over effects, and what goes with each of them."""

    theta: Floats
    prior: Floats
    delay: Floats  # cost of a pair: one over the time that the effect needs anyway
    generating: Floats  # log of the moment generating function of a step


def _beliefs(n_max: int, target: float) -> _Beliefs:
    theta = effects(n_max, PLAN_EFFECTS)
    nodes, node_weights = _steps()
    return _Beliefs(
        theta,
        np.full(PLAN_EFFECTS, 1 / PLAN_EFFECTS),
        1 / np.minimum(n_max, LEARNING_PAIRS + 2 * target / theta**2),
        np.log(np.exp(theta[:, None] * nodes) @ node_weights),
    )


class _Outlook(NamedTuple):
    """What a step of merged pairs may bring, by node of the step and statistic."""

    price: Floats  # of a pair of delay, by statistic
    chance: Floats  # of each node
    points: NDArray[np.intp]  # where the statistic is after it: four points, and their weights
    weights: Floats


def _outlook(now: int, pairs: int, nodes: Floats, beliefs: _Beliefs) -> _Outlook:
    """Distribution after so many pairs, under the posterior that each statistic implies."""
    theta, prior, delay, generating = beliefs
    total = STATISTIC * np.sqrt(now + SOFTENING)
    log_post = np.log(prior) + theta * total[:, None] - now * generating
    posterior = np.exp(log_post - log_post.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    shrink = generating if pairs == 1 else pairs * theta**2 / 2
    chance = _steps()[1][:, None] * (np.exp(theta * nodes - shrink) @ posterior.T)
    after = np.clip((total + nodes) / np.sqrt(now + pairs + SOFTENING), *STATISTIC[[0, -1]])
    points, weights = _cubic((after - STATISTIC[0]) / STATISTIC_STEP, STATISTIC.size)
    return _Outlook(posterior @ delay, chance, points, weights)


def _costs(
    cost: Floats, now: int, pairs: int, moves: "_Moves", beliefs: _Beliefs
) -> tuple[Floats, Floats]:
    """Return the cost (statistic, need, bet) before a step of pairs, and the price of a pair."""
    price, chance, points, weights = _outlook(now, pairs, moves.nodes[:, None], beliefs)
    later = np.einsum("kyjd,kyj->kdy", cost[points], weights * chance[..., None])
    expected = moves.going @ later.reshape(-1, STATISTIC.size)
    if pairs > 1:  # a stop inside merged pairs saves half of them
        expected -= moves.stops @ (chance * price * (0.5 * (pairs - 1)))
    return expected.reshape(NEED_POINTS, BET_POINTS, -1).transpose(2, 0, 1), price


class _Moves(NamedTuple):
    """What a step of merged pairs does to the need, for every bet."""

    nodes: Floats
    going: Any  # sparse: cost over (node, need) -> cost over (need, bet), summed over nodes
    stops: Any  # sparse: 1 where the step of that node reaches the threshold


def _moves(pairs: int, need: Floats, bets: Floats, design: str) -> _Moves:
    from scipy import sparse  # only where a table is made

    nodes = _steps()[0] * np.sqrt(pairs)
    growth = _log_growth(bets[:, None], nodes[None, :], pairs, design)
    after = need[:, None, None] - growth[None, :, :]
    stop = _reached(after, bets[None, :, None], pairs)
    state, node = np.nonzero(~stop.reshape(-1, nodes.size))
    index, weights = _cubic(need_index(after[~stop], need[-1]), need.size)
    columns = (node[:, None] * need.size + index).ravel()
    entries = (weights.ravel(), (np.repeat(state, 4), columns))
    shape = (need.size * bets.size, nodes.size * need.size)
    stops = sparse.csr_matrix(stop.reshape(-1, nodes.size).astype(np.float64))
    return _Moves(nodes, sparse.csr_matrix(entries, shape=shape), stops)


def _times(n_max: int) -> NDArray[np.intp]:
    times = [0]
    while times[-1] < n_max:
        now = times[-1]
        times.append(min(n_max, now + max(1, int(MERGED_SHARE * min(now, n_max - now)))))
    return np.array(times, dtype=np.intp)


def _steps() -> tuple[Floats, Floats]:
    """Nodes and weights of a standard normal step, cut where scores are bounded anyway."""
    nodes = np.linspace(-STEP_REACH, STEP_REACH, STEP_POINTS)
    weights = np.exp(-0.5 * nodes**2)
    weights /= weights.sum()
    return nodes / np.sqrt((weights * nodes**2).sum()), weights


def _reached(after: Floats, bet: Floats, pairs: int) -> Bools:
    """Whether a step of merged pairs with this bet reaches the threshold."""
    reached: Bools = after <= 1e-12 + BARRIER_SHIFT * bet * (np.sqrt(pairs) - 1)
    return reached


def _log_growth(bet: Floats, step: Floats, pairs: int, design: str) -> Floats:
    """Log-increment of the design's increment at a standardised step."""
    if pairs > 1:
        return bet * step - 0.5 * bet**2 * pairs
    # Independent: E[(1 + g x1)(1 - g x0) | x1 - x0 = step] for two equal normal arms.
    product = bet**2 * (step**2 - 1) / 4 if design == "independent" else 0.0
    return np.log(np.maximum(1 + bet * step + product, 1e-3))


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

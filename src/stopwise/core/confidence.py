"""Time-uniform confidence bounds of the mean difference, by inverting the test itself."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from stopwise.core.arrays import Bools, Floats, Ints
from stopwise.core.normal import HAZARD, ROOT_HALF, erfcx

# Nodes per side. Twice as many: up to 2 % narrower, and slower updates.
NODES = 32
# Up to twice so many pairs each counts by itself; then groups of a share of the pairs seen do.
GROUPS = 500
# Bets are renewed when the pairs have grown by this share.
RENEWALS = 16
# One prior difference of mean 0 and mean square 1/3: wide, and soon outweighed.
PRIOR_PAIRS = 1.0
PRIOR_SQUARE = 1.0 / 3.0
# Bets nearer the largest that keeps a factor nonnegative help tiny variances only.
CAUTION = 0.9
# Where no test stands behind a side, its margin lies below every value.
NO_MARGIN = -1.0
# A bound that has just passed a margin lies this far above it.
ABOVE = 1e-12
# More wealth than this shows nothing more, and less nothing less.
RICH, POOR = 1e30, 1e-300
TINY = 1e-100
# The highest node: a difference above it is not told from it.
TOP = 0.999


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
    bet: Bet


@dataclass(frozen=True, kw_only=True)
class ConfidenceSequence:
    """Bounds on the mean of r1 - r0, each at its own level, at all times."""

    # For each side, lower and upper, the probability that its bound ever fails, perhaps by run;
    # None where no bound is wanted.
    levels: tuple[Floats | float | None, Floats | float | None]
    margin: float = NO_MARGIN  # of the tests that it agrees with, as each sees the scores
    # The method, if it sizes bets against other margins; without one, or where it has no opinion,
    # bets assume a normal mean given that it lies beyond the node.
    bettor: Any = None
    number: tuple[float, ...] = ()  # if policy 0 is a number: that number as each side sees it

    @cached_property
    def sides(self) -> list[int]:
        """The sides that have a bound: 0 the lower, 1 the upper."""
        return [side for side, level in enumerate(self.levels) if level is not None]

    @cached_property
    def _signs(self) -> Floats:
        return np.array([1.0 - 2.0 * side for side in self.sides])

    @cached_property
    def level(self) -> Floats:
        """The levels of the sides that have a bound, along the last axis."""
        levels = [level for level in self.levels if level is not None]
        return np.stack([np.asarray(level, dtype=float) for level in levels], axis=-1)

    @cached_property
    def _target(self) -> Floats:
        return 1.0 / self.level

    def start(self, shape: tuple[int, ...], test_state: Any = None) -> ConfidenceState:
        none, nothing = np.zeros(shape), np.zeros((*shape, len(self.sides)))
        flat = np.zeros((*nothing.shape, NODES))
        node = flat + _first_nodes(self.margin)
        state = ConfidenceState(
            pairs=none,
            renewal=none,
            total=none,
            squares=none,
            waiting=none,
            total0=none,
            total1=none,
            fall=nothing,
            bound=nothing - 1.0,
            backed=nothing + 1.0,
            node=node,
            fund=(node > self.margin).astype(float),
            slope=flat,
            bend=flat,
            reach=flat - 2.0,
            bet=Bet(flat, flat, flat),
        )
        return self._with_bets(state, np.ones_like(nothing), test_state)

    def step(self, state: ConfidenceState, pairs: Pairs, test_state: Any = None) -> ConfidenceState:
        """Return the state after pairs that fill at most one group."""
        state = state._replace(
            pairs=state.pairs + pairs.number,
            total=state.total + (pairs.total1 - pairs.total0),
            squares=state.squares + pairs.squares,
            waiting=state.waiting + pairs.number,
            total0=state.total0 + pairs.total0,
            total1=state.total1 + pairs.total1,
            fall=state.fall + pairs.fall,
        )
        wealth = np.exp(np.minimum(pairs.log_e, 60.0))
        full = state.waiting >= group_size(state.pairs - state.waiting)
        if full.flat[0]:  # all runs have seen equally many pairs
            return self._settled(state, wealth, pairs.rejected, test_state)
        return state._replace(bound=self._closed_in(state.bound, state.bound, pairs.rejected))

    def of_runs(self, places: Ints | list[int]) -> "ConfidenceSequence":
        first, second = (
            level if level is None or np.ndim(level) == 0 else np.asarray(level)[places]
            for level in self.levels
        )
        return replace(self, levels=(first, second))

    def bounds(self, state: ConfidenceState) -> tuple[Floats, Floats]:
        ends = [np.full(state.pairs.shape, -1.0), np.full(state.pairs.shape, 1.0)]
        for place, side in enumerate(self.sides):
            ends[side] = state.bound[..., place] * (1 - 2 * side)
        return ends[0], ends[1]

    def _settled(
        self, state: ConfidenceState, wealth: Floats, rejected: Bools, test_state: Any
    ) -> ConfidenceState:
        """Bet the full group, move the bounds and the nodes, and fix the next bets."""
        state = self._bet_on_group(state, wealth * state.backed)
        state = self._with_bounds(state, rejected)
        if len(self.sides) == 2 and (state.backed > ~rejected[..., ::-1]).any():
            state = self._released(state, wealth, rejected)
        if state.pairs.flat[0] < state.renewal.flat[0]:
            return state
        return self._with_bets(self._halved(state), wealth * state.backed, test_state)

    def _released(self, state: ConfidenceState, wealth: Floats, rejected: Bools) -> ConfidenceState:
        """Once the other side is decided, this one never is: the test's wealth goes to the fund."""
        going = rejected[..., ::-1]
        freed = (wealth * state.backed * going)[..., None] * (state.node <= self.margin)
        return state._replace(backed=state.backed * ~going, fund=state.fund + freed)

    def _bet_on_group(self, state: ConfidenceState, wealth: Floats) -> ConfidenceState:
        low, high = self._directed(state.total0 / state.waiting, state.total1 / state.waiting)
        node, bet = state.node, state.bet
        null, stretch = self._nulls(state)
        amount = self._amounts(bet, null)
        x0, x1 = low - bet.centre0, high - null - bet.centre0
        factor = 1.0 + amount * (x1 - x0) - bet.cross * x0 * x1
        steepness = stretch * (amount - bet.cross * x0)
        margin = self.margin
        backing = (node <= margin) * wealth[..., None]
        surplus = backing * state.fall[..., None]
        bend = np.minimum(state.bend * factor + (2.0 * state.slope) * steepness, RICH)
        slope = np.minimum(state.slope * factor + state.fund * steepness + surplus, RICH)
        fund = state.fund * factor + np.maximum(margin - node, 0.0) * surplus
        fund = np.minimum(fund, RICH)
        missing = np.maximum(self._target[..., None] - (backing + fund), 0.0)
        root = np.sqrt(slope * slope + 2.0 * (bend * missing))
        reach = np.maximum(node - (2.0 * missing) / np.maximum(slope + root, TINY), -2.0)
        return state._replace(
            waiting=state.waiting * 0.0,
            total0=state.waiting * 0.0,
            total1=state.waiting * 0.0,
            fall=state.fall * 0.0,
            fund=fund,
            slope=slope,
            bend=bend,
            reach=np.maximum(state.reach, reach),
        )

    def _with_bounds(self, state: ConfidenceState, rejected: Bools) -> ConfidenceState:
        node, margin = state.node, self.margin
        decided_now = rejected & (state.bound <= margin)
        if not decided_now.any() and not (state.reach > state.bound[..., None]).any():
            return state
        reach = np.where(rejected[..., None] & (node <= margin), 2.0, state.reach)
        first, some = _first_open(node, reach)
        before = _at(node, np.maximum(first - 1, 0))
        last = np.where(some, np.minimum(_at(reach, first), _at(node, first)), node[..., -1])
        last = np.maximum(last, np.where(first > 0, before, -1.0))
        return state._replace(reach=reach, bound=self._closed_in(state.bound, last, rejected))

    def _closed_in(self, bound: Floats, last: Floats, rejected: Bools) -> Floats:
        """Move bounds on to the last values rejected, each on its side of the margin."""
        moved = self._agreeing(np.maximum(bound, last), rejected)
        if len(self.sides) == 1:
            return moved
        # Bounds that cross are wrong, one of them at least: they stay, beyond a margin decided on.
        stays = np.where(_crossed(moved), self._agreeing(bound, rejected), moved)
        return np.where(_crossed(stays), bound, stays)

    def _agreeing(self, bound: Floats, rejected: Bools) -> Floats:
        """Keep each bound on the side of the margin that the test has decided for."""
        if self.margin <= NO_MARGIN:
            return bound
        above = np.maximum(bound, self.margin + ABOVE)
        return np.where(rejected, above, np.minimum(bound, self.margin))

    def _halved(self, state: ConfidenceState) -> ConfidenceState:
        """Halve the regions of the likely values once they are few; one holds all beyond them."""
        node = state.node
        first, _ = _first_open(node, state.reach)
        beyond = node >= self._likely_end(state)[..., None]
        last = np.where(beyond.any(axis=-1), beyond.argmax(axis=-1), NODES - 1)
        last = np.maximum(last, first)
        few = last - first < NODES // 2 - 1
        if not few.any():
            return state
        first, last, few = first[..., None], last[..., None], few[..., None]
        parent = np.where(few, np.minimum(first + NODE_INDICES // 2, last), NODE_INDICES)
        parent[..., -1] = NODES - 1
        new = (
            few
            & (NODE_INDICES % 2 == 0)
            & (last - first >= NODE_INDICES // 2)
            & (NODE_INDICES < NODES - 1)
        )
        nodes: dict[str, Any] = {name: _take(getattr(state, name), parent) for name in _BY_NODE}
        left = np.where(parent > first, _take(node, parent - 1), state.bound[..., None])
        half = np.where(new, 0.5 * np.maximum(nodes["node"] - left, 0.0), 0.0)
        nodes["fund"] = nodes["fund"] + half * (nodes["slope"] + 0.5 * half * nodes["bend"])
        nodes["slope"] = nodes["slope"] + half * nodes["bend"]
        nodes["node"] = nodes["node"] - half
        # Whatever lay beyond, the evidence against it is no less than the least there was.
        merged = few[..., 0] & (last[..., 0] < NODES - 1)
        rest = np.where(last < NODE_INDICES, state.fund, np.inf).min(axis=-1)
        nodes["fund"][..., -1] = np.where(merged, rest, nodes["fund"][..., -1])
        for name, nothing in (("slope", 0.0), ("bend", 0.0), ("reach", -2.0)):
            nodes[name][..., -1] = np.where(merged, nothing, nodes[name][..., -1])
        return state._replace(**nodes)

    def _likely_end(self, state: ConfidenceState) -> Floats:
        """Return the value beyond which no side's bound is likely to get."""
        if len(self.sides) == 2:
            return -state.bound[..., ::-1]
        mean, noise, weight = _moments(state)
        reserve = (4.0 * np.sqrt(noise / weight) + 2.0 / weight)[..., None]
        end: Floats = np.maximum(mean[..., None] * self._signs, self.margin) + reserve
        return end

    def _with_bets(
        self, state: ConfidenceState, wealth: Floats, test_state: Any
    ) -> ConfidenceState:
        node = state.node
        whole = state.fund + np.where(node <= self.margin, wealth[..., None], 0.0)
        size = group_size(state.pairs)
        bet = None
        if self.bettor is not None:
            need = np.log(self._target)[..., None] - np.log(np.maximum(whole, POOR))
            bet = self.bettor.bets_at(test_state, node, need, size[..., None, None])
        if bet is None:
            amount = self._normal_bets(state, size)
            none = np.zeros_like(amount)
            bet = Bet(amount, none, none)
        renewal = state.pairs + np.maximum(state.pairs // RENEWALS, 1.0)
        return state._replace(renewal=renewal, bet=bet)

    def _normal_bets(self, state: ConfidenceState, size: Floats) -> Floats:
        mean, noise, weight = _moments(state)
        uncertainty = (noise / weight)[..., None, None]
        error = np.sqrt(uncertainty)
        null, _ = self._nulls(state)
        gap = (mean[..., None] * self._signs)[..., None] - null
        # Far below 0 the terms of E[gap | gap > 0] cancel, but no bet may be negative.
        hazard = (error * HAZARD) / erfcx(gap * (-ROOT_HALF / error))
        expected = np.maximum(gap + hazard, 0.0)
        amount = expected / ((noise / size)[..., None, None] + uncertainty + gap * expected)
        # By how much the difference may lie below 0: a number has no better trials.
        most = np.array(self.number)[:, None] if self.number else 1.0
        limited: Floats = np.minimum(amount, CAUTION / np.maximum(most + null, TINY))
        return limited

    def _nulls(self, state: ConfidenceState) -> tuple[Floats, Floats | float]:
        """Mean of the next difference at each node, and how fast it rises with the node."""
        return state.node, 1.0

    def _amounts(self, bet: Bet, null: Floats) -> Floats:  # noqa: ARG002
        """Amounts of the bets, as far as the worst pair allows."""
        return bet.amount

    def _directed(self, r0: Floats, r1: Floats) -> tuple[Floats, Floats]:
        """Return the scores as each side sees them: its bound is from below."""
        if len(self.sides) == 1:
            low, high = (r0, r1) if self.sides[0] == 0 else (r1, r0)
            return low[..., None, None], high[..., None, None]
        both = np.stack((r0, r1), axis=-1)[..., None]
        return both, both[..., ::-1, :]


_BY_NODE = ("node", "fund", "slope", "bend", "reach")
NODE_INDICES = np.arange(NODES)


def _moments(state: ConfidenceState) -> tuple[Floats, Floats, Floats]:
    """Return mean and variance of the differences, shrunk, and how many pairs they rest on."""
    weight = state.pairs + PRIOR_PAIRS
    mean = state.total / weight
    square = (state.squares + PRIOR_PAIRS * PRIOR_SQUARE) / weight
    return mean, np.maximum(square - mean * mean, 1e-9), weight


def group_size(pairs: Floats) -> Floats:
    """Pairs in the group that begins after so many; known beforehand, whatever they show."""
    return np.maximum(pairs // GROUPS, 1.0)


def _first_nodes(margin: float) -> Floats:
    if margin <= NO_MARGIN:
        return np.linspace(-1.0, TOP, NODES + 1)[1:]
    below = int(min(max(round(NODES * (margin + 1) / 2), 1), NODES - 1))
    low = np.linspace(-1.0, margin, below + 1)[1:]
    top = max(TOP, 0.5 * (1.0 + margin))
    return np.concatenate([low, np.linspace(margin, top, NODES - below + 1)[1:]])


def _first_open(node: Floats, reach: Floats) -> tuple[Any, Bools]:
    """Return the place of the first node whose region is not all rejected, and if there is one."""
    still = reach < node
    some = np.asarray(still.any(axis=-1))
    return np.where(some, still.argmax(axis=-1), NODES - 1), some


def _crossed(bound: Floats) -> Bools:
    crossed: Bools = bound.sum(axis=-1, keepdims=True) > 0
    return crossed


def _take(values: Floats, places: Any) -> Floats:
    return np.take_along_axis(values, places, axis=-1)


def _at(values: Floats, place: Any) -> Floats:
    return _take(values, place[..., None])[..., 0]

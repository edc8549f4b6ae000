"""Make a rule for a level and a horizon, and prove that it keeps the level.

Multipliers on null points are found by ascent and raised until the level is met. What a rule of
integers leaves of the error is spent on single states next to its boundary.
"""

import itertools
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri

from stopwise.core.arrays import Doubles
from stopwise.core.progress import Progress
from stopwise.core.step.exact import (
    Rule,
    WorstCase,
    binomial_probabilities,
    rejection_given_counts,
    worst_case,
)
from stopwise.core.step.walk import (
    Costs,
    Integers,
    Walk,
    arrivals,
    backwards,
    best_advice,
    best_rejection,
    by_rows,
    by_total,
    combine_totals,
    error_coefficients,
    unfold,
)

# Left unspent, so that the gaps between null points stay within alpha as well.
_RESERVE = 1e-4
_BAND = 5.0
_POINTS = 129
_FINER = 8
_TILT = 0.03
_FILL_PASSES = 3
# Fewer null points are enough for filling up, with a margin for what lies between them.
_FILL_STRIDE = 4
_FILL_MARGIN = 1e-5
# Of states that are offered for filling up: so many at once, and none of less value.
_BLOCK = 2048
_LEAST_VALUE = 0.2


class Synthesis(NamedTuple):
    """A rule, the proof of its level, and a lower bound of the objective."""

    rule: Rule
    worst_case: WorstCase
    lower_bound: float


def synthesise(alpha: float, n_max: int, progress: Progress) -> Synthesis:
    """Make a rule whose proven error is at most alpha, with advice on futility."""
    reserve = _RESERVE
    while True:
        rule, lower_bound = _optimal(alpha, n_max, reserve, progress)
        proof = worst_case(rejection_given_counts(rule))
        # The worst case lies on the diagonal for monotone rules only.
        if rule.is_monotone() and proof.error <= alpha:
            return Synthesis(rule, proof, lower_bound)
        reserve += max(proof.error / alpha - 1.0, 0.0) + _RESERVE


def _optimal(alpha: float, n_max: int, reserve: float, progress: Progress) -> tuple[Rule, float]:
    # Short horizons are cheap, and there single states matter most: search them harder.
    ascent, search, keep = (30, 50, 20) if n_max <= 60 else (20, 14, 1)
    # The width of the walk: well beyond a boundary that is crossed with probability alpha.
    band = max(_BAND, 1.0 - float(ndtri(alpha / n_max)))
    while True:
        problem = Problem(alpha, n_max, reserve=reserve, band=band)
        done = itertools.count(1)
        total = ascent + search

        def report(done: "itertools.count[int]" = done, total: int = total) -> None:
            progress(min(next(done), total), total)

        multipliers, lower_bound = _ascend(problem, ascent, report)
        candidates = _within_level(problem, multipliers, search, report)
        if problem.stops_at_the_edge(multipliers):
            break
        band += 1.0
    filled = [problem.filled(candidate) for candidate in candidates[-keep:]]
    _, reject_from = min(filled, key=lambda result: result[0])
    costs = cost_arrays(problem.walk, default_alternatives(n_max, "advice"))
    advice = best_advice(problem.walk, problem.backward, costs, reject_from)
    return Rule(unfold(reject_from), unfold(advice)), lower_bound


class Alternatives(NamedTuple):
    """Pairs of success rates, closed under exchanging success and failure."""

    rates0: Doubles  # each below that of policy 1
    rates1: Doubles
    weights: Doubles  # of the expected number of pairs; they sum to one
    stakes: Doubles  # so many pairs the power is worth; missing it costs so much


def default_alternatives(n_max: int, purpose: str = "decision") -> Alternatives:
    """Pairs of tenths, of odd twentieths, and of small rates, with their mirrors at one."""
    tenths = list(combinations([0.1 * k for k in range(1, 10)], 2))
    between = list(combinations([0.05 + 0.1 * k for k in range(10)], 2))
    small = [*combinations([0.002, 0.01, 0.03, 0.06, 0.1], 2), (0.002, 0.2), (0.01, 0.2)]
    extremes = small + [(1.0 - high, 1.0 - low) for low, high in small]
    rates0, rates1 = np.array(tenths + between + extremes).T
    weights = np.repeat([1.0, 0.2, 0.1], [len(tenths), len(between), len(extremes)])
    # The folded walk needs alternatives that are closed under exchanging success and failure.
    rates0, rates1 = np.append(rates0, 1.0 - rates1), np.append(rates1, 1.0 - rates0)
    weights = np.append(weights, weights)
    weights /= weights.sum()
    # Mean stakes in units of the horizon; decisions lean to the middle of the scale.
    stakes, pairs = weights, 8.0
    if purpose == "decision":
        mean_rate = 0.5 * (rates0 + rates1)
        floor = min(0.7, 0.26 + 0.0012 * n_max)
        stakes = weights * np.maximum((4.0 * mean_rate * (1.0 - mean_rate)) ** 4, floor)
        pairs = 1.195 + 0.0013 * n_max
    return Alternatives(rates0, rates1, weights, n_max * pairs * stakes / stakes.sum())


def cost_arrays(walk: Walk, alternatives: Alternatives) -> Costs:
    """Gain of a right "+" and cost of one more pair, in every state of the folded walk."""
    rates0, rates1, weights, stakes = alternatives
    failure = (np.log1p(-rates0) + np.log1p(-rates1))[:, np.newaxis]
    slope = 0.5 * ((np.log(rates0) + np.log(rates1))[:, np.newaxis] - failure)
    odds = np.log(rates1) - np.log1p(-rates1) - np.log(rates0) + np.log1p(-rates0)
    # By the parity of the row, then the row, then the alternative.
    rows = np.arange(2 * walk.row_pairs(walk.n_max)).reshape(-1, 2).T
    ratio = np.exp(0.5 * rows[:, :, np.newaxis] * odds)
    gain_factor, running_factor = ratio * stakes, (ratio + 1.0 / ratio) * weights
    gain: list[Doubles] = []
    running: list[Doubles] = []
    for t in range(walk.n_max + 1):
        shape = walk.shape(t)
        total = t - np.arange(2 * shape[2])
        possible = np.maximum(total, 0)
        ways = gammaln(2 * t + 1) - gammaln(possible + 1) - gammaln(2 * t - possible + 1)
        base = np.exp(ways + t * failure + slope * possible) * (total >= 0)
        # Subnormal numbers would slow the products down a hundredfold.
        base[base < 1e-290] = 0.0
        gain.append(np.empty(shape))
        running.append(np.empty(shape))
        for parity in (0, 1):
            # Column j of rows of this parity holds m = 2 j + (t - d) mod 2.
            columns = np.ascontiguousarray(base[:, (t + parity) % 2 :: 2])
            gain[t][:, parity] = gain_factor[parity][: shape[0]] @ columns
            running[t][:, parity] = running_factor[parity][: shape[0]] @ columns
    return Costs(gain, running)


def folded(probabilities: Doubles) -> Doubles:
    """Binomial probabilities of a total, added up over ``m`` and ``-m``, for ``m = 0, 1, ...``."""
    trials = probabilities.shape[1] // 2
    result = probabilities[:, trials::-1].copy()
    result[:, 1:] += probabilities[:, trials + 1 :]
    return result


class Candidate(NamedTuple):
    """A rule within the level and the multipliers that it came from."""

    reject_from: Integers
    multipliers: Doubles


class Problem:
    """Arrays shared by all rounds of one design."""

    def __init__(self, alpha: float, n_max: int, *, reserve: float, band: float) -> None:
        alternatives = default_alternatives(n_max)
        self.alpha = alpha
        self.allowed = alpha * (1.0 - reserve)
        self.walk = Walk(n_max, band)
        self.backward = self.walk.backward_weights()
        self.forward = self.walk.forward_weights()
        self.costs = cost_arrays(self.walk, alternatives)
        self.total_stake = float(alternatives.stakes.sum())
        rates0, rates1 = alternatives.rates0, alternatives.rates1
        odds = np.log(rates1 * (1.0 - rates0)) - np.log(rates0 * (1.0 - rates1))
        self.least_odds = float(np.min(odds))
        # The lower half of null points that are symmetric about 1/2, even in the arcsine scale.
        points = _FINER * (_POINTS - 1) + 1
        edge = np.arcsin(np.sqrt(0.25 / n_max))
        angles = np.linspace(edge, np.pi / 2 - edge, points)[: (points + 1) // 2]
        self.rates: Doubles = np.sin(angles) ** 2
        self.likelihood = folded(binomial_probabilities(2 * n_max, self.rates))
        # A multiplier stands for a rate and its mirror image, half on each.
        price = self.likelihood[::_FINER].copy()
        price[:, 1:] *= 0.5
        self.price = price

    def best(self, multipliers: Doubles, tilt: float) -> tuple[float, Integers]:
        """Lower bound (without tilt) and best rule for these multipliers."""
        price = multipliers @ self.price
        value, reject_from = best_rejection(self.walk, self.backward, self.costs, price, tilt)
        bound = 0.5 * value + self.total_stake - self.alpha * float(multipliers.sum())
        return bound, reject_from

    def stops_at_the_edge(self, multipliers: Doubles) -> bool:
        """Whether stopping is best at the edge of the band, whatever lies beyond it."""
        price = multipliers @ self.price
        for t in range(self.walk.n_max - 1, -1, -1):
            price = combine_totals(price, self.backward[t])
            pairs = self.walk.row_pairs(t)
            if pairs < self.walk.row_pairs(t + 1):
                continue
            row = 2 * pairs - 1
            mirrored = self.costs.gain[t][-1, 1] * np.exp(-row * self.least_odds)
            margin = self.costs.running[t][-1, 1] - by_rows(price, t)[1] - mirrored
            reachable = np.arange(margin.size) * 2 + (t - row) % 2 <= t - row
            if np.any(margin[reachable] < 0.0):
                return False
        return True

    def errors(self, reject_from: Integers) -> Doubles:
        result: Doubles = self.likelihood @ error_coefficients(self.walk, self.forward, reject_from)
        return result

    def filled(self, candidate: Candidate) -> tuple[float, Integers]:
        """Objective and rule after spending what the rule leaves over."""
        reject_from = candidate.reject_from.copy()
        price = candidate.multipliers @ self.price
        for _ in range(_FILL_PASSES):
            errors = _neighbourhood_maximum(self.errors(reject_from))[::_FILL_STRIDE]
            room = self.allowed * (1.0 - _FILL_MARGIN) - errors
            offered = _offers(self._border(reject_from, price)[1], self._fractions(reject_from))
            if not _spend(reject_from, offered, self.rates[::_FILL_STRIDE], room):
                break
        cost, _ = self._border(reject_from, price)
        return 0.5 * cost + self.total_stake, reject_from

    def _border(self, reject_from: Integers, price: Doubles) -> tuple[float, list[Doubles]]:
        """Cost of a rule, and what rejecting one row earlier would save per unit of its price."""
        values: list[Doubles] = [np.empty(0)] * (self.walk.n_max + 1)
        for t, dear, ahead, cost in backwards(self.walk, self.backward, self.costs, price):
            rows = self.walk.row_numbers(t)
            bound = by_rows(reject_from[t], t)
            saved = np.sum((ahead + self.costs.gain[t]) * (rows == bound - 2), axis=0)
            values[t] = by_total(saved / np.maximum(by_rows(dear, t), 1e-100), t)[: t + 1]
            cost[...] = np.where(rows < bound, ahead, -self.costs.gain[t])
        return float(cost[0, 0, 0]), values

    def _fractions(self, reject_from: Integers) -> list[Doubles]:
        """Fraction of strings that arrive one row below the boundary, by time, over ``m``."""
        arriving = arrivals(self.walk, self.forward, reject_from)
        below = [
            by_total(np.sum(part * (beyond == -2), axis=0), t)[: t + 1]
            for t, part, beyond in arriving
        ]
        return [np.zeros(1), *below]


def _ascend(problem: Problem, rounds: int, report: Callable[[], None]) -> tuple[Doubles, float]:
    """Raise the multipliers where the error exceeds alpha, lower them elsewhere."""
    multipliers = np.full(problem.price.shape[0], 50.0 / (problem.alpha * problem.price.shape[0]))
    steps = np.ones(multipliers.size)
    side = np.zeros(multipliers.size)
    best_bound, best = -np.inf, multipliers
    for _ in range(rounds):
        bound, reject_from = problem.best(multipliers, 0.0)
        if bound > best_bound:
            best_bound, best = bound, multipliers
        ratio = problem.errors(reject_from)[::_FINER] / problem.allowed
        now = np.sign(ratio - 1.0)
        steps = np.where(now * side < 0.0, 0.5 * steps, np.minimum(1.2 * steps, 1.0))
        side = now
        multipliers = multipliers * np.clip(ratio, 0.1, 4.0) ** steps
        report()
    return best, best_bound


def _within_level(
    problem: Problem, multipliers: Doubles, rounds: int, report: Callable[[], None]
) -> list[Candidate]:
    """Collect rules within the level, later ones closer to spending all of it."""
    candidates: list[Candidate] = []
    power = 1.0
    done = 0
    while done < rounds or not candidates:
        _, reject_from = problem.best(multipliers, _TILT)
        errors = problem.errors(reject_from)
        ratio = _neighbourhood_maximum(errors)[::_FINER] / problem.allowed
        if errors.max() <= problem.allowed:
            candidates.append(Candidate(reject_from, multipliers))
            multipliers = multipliers * np.clip(ratio, 0.97, 1.0)
            power = 1.0
        else:
            multipliers = multipliers * np.clip(1.0001 * ratio, 1.0, 4.0) ** power
            power *= 1.3
        done += 1
        report()
    return candidates


def _neighbourhood_maximum(errors: Doubles) -> Doubles:
    reach = _FINER // 2
    padded = np.pad(errors, reach, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    result: Doubles = windows.max(axis=1)
    return result


class Offer(NamedTuple):
    """States next to the boundary, best value first: time, ``m``, fraction that arrives there."""

    time: NDArray[np.int64]
    m: NDArray[np.int64]
    fraction: Doubles


def _offers(values: list[Doubles], fractions: list[Doubles]) -> Offer:
    """Order the states one row below the boundary by their value for their price."""
    time = np.concatenate([np.full(part.size, t) for t, part in enumerate(fractions)])
    m = np.concatenate([np.arange(part.size) for part in fractions])
    value, fraction = np.concatenate(values), np.concatenate(fractions)
    order = np.argsort(-value, kind="stable")
    # Below this value a state costs more error than it will ever be worth.
    order = order[(fraction[order] > 0.0) & (value[order] > _LEAST_VALUE)]
    return Offer(time[order], m[order], fraction[order])


def _spend(table: Integers, offer: Offer, rates: Doubles, room: Doubles) -> int:
    """Lower entries of ``table[t, m]`` in place while no null point's room is exceeded."""
    taken = 0
    room = room.copy()
    before, after = table[offer.time, np.abs(offer.m - 1)], table[offer.time, offer.m + 1]
    here = table[offer.time, offer.m]
    peaks = (before < here) & ((after < here) | (offer.m == offer.time)) & (here > 2)
    offer = Offer(*(part[peaks] for part in offer))
    for start in range(0, offer.time.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        used = _arrival(offer.time[part], offer.m[part], rates) * offer.fraction[part, np.newaxis]
        for k in np.flatnonzero(np.all(used <= room, axis=1)):
            t, m = offer.time[start + k], offer.m[start + k]
            entry = table[t, m]
            peak = table[t, abs(m - 1)] < entry and (m == t or table[t, m + 1] < entry)
            if peak and np.all(used[k] <= room):
                table[t, m] = entry - 2
                room -= used[k]
                taken += 1
    return taken


def _arrival(times: NDArray[np.int64], m: NDArray[np.int64], rates: Doubles) -> Doubles:
    low, high = times - m, times + m
    ways = gammaln(2 * times + 1) - gammaln(low + 1) - gammaln(high + 1)
    success, failure = np.log(rates), np.log1p(-rates)
    one = np.exp(ways[:, np.newaxis] + np.outer(low, success) + np.outer(high, failure))
    two = np.exp(ways[:, np.newaxis] + np.outer(high, success) + np.outer(low, failure))
    result: Doubles = one + two * (m > 0)[:, np.newaxis]
    return result

"""The optimal design: multipliers on the null points, found by ascent, made feasible, filled up."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from stopwise.core.arrays import Doubles
from stopwise.core.step.alternatives import Alternatives, cost_arrays
from stopwise.core.step.evaluation import binomial_probabilities
from stopwise.core.step.induction import Regions, best_regions, error_coefficients
from stopwise.core.step.leftover_error import border_fractions, border_values, offers, spend
from stopwise.core.step.null_points import folded, null_rates
from stopwise.core.step.walk import Walk, by_rows, combine_totals

_POINTS = 129
_FINER = 8
_TILT = 0.03
_FILL_PASSES = 3
# Fewer null points are enough for filling up, with a margin for what lies between them.
_FILL_STRIDE = 4
_FILL_MARGIN = 1e-5


class Solution(NamedTuple):
    """A rule, and the lower bound of the objective for every test."""

    regions: Regions
    lower_bound: float
    band_is_wide_enough: bool


class Candidate(NamedTuple):
    """A rule within the level and the multipliers that it came from."""

    regions: Regions
    multipliers: Doubles


class Problem:
    """Arrays shared by all rounds of one design."""

    def __init__(
        self,
        alpha: float,
        n_max: int,
        alternatives: Alternatives,
        *,
        reserve: float,
        futility: bool,
        band: float,
    ) -> None:
        self.alpha = alpha
        self.allowed = alpha * (1.0 - reserve)
        self.futility = futility
        self.walk = Walk(n_max, band)
        self.backward = self.walk.backward_weights()
        self.forward = self.walk.forward_weights()
        self.costs = cost_arrays(self.walk, alternatives)
        self.total_stake = float(alternatives.stakes.sum())
        rates0, rates1 = alternatives.rates0, alternatives.rates1
        odds = np.log(rates1 * (1.0 - rates0)) - np.log(rates0 * (1.0 - rates1))
        self.least_odds = float(np.min(odds))
        self.rates = null_rates(n_max, _FINER * (_POINTS - 1) + 1)
        self.likelihood = folded(binomial_probabilities(2 * n_max, self.rates))
        # A multiplier stands for a rate and its mirror image, half on each.
        price = self.likelihood[::_FINER].copy()
        price[:, 1:] *= 0.5
        self.price = price

    def best(self, multipliers: Doubles, tilt: float) -> tuple[float, Regions]:
        """Lower bound (without tilt) and best rule for these multipliers."""
        value, regions = best_regions(
            self.walk,
            self.backward,
            self.costs,
            multipliers @ self.price,
            futility=self.futility,
            tilt=tilt,
        )
        bound = 0.5 * value + self.total_stake - self.alpha * float(multipliers.sum())
        return bound, regions

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

    def errors(self, regions: Regions) -> Doubles:
        coefficients = error_coefficients(self.walk, self.forward, regions, futility=self.futility)
        result: Doubles = self.likelihood @ coefficients
        return result

    def filled(self, candidate: Candidate) -> tuple[float, Regions]:
        """Objective and rule after spending what the rule leaves over."""
        regions = Regions(candidate.regions.continue_from, candidate.regions.reject_from.copy())
        price = candidate.multipliers @ self.price
        for _ in range(_FILL_PASSES):
            errors = _neighbourhood_maximum(self.errors(regions))[::_FILL_STRIDE]
            room = self.allowed * (1.0 - _FILL_MARGIN) - errors
            _, values = self._border(regions, price)
            fractions = border_fractions(self.walk, self.forward, regions, futility=self.futility)
            rates = self.rates[::_FILL_STRIDE]
            if not spend(regions.reject_from, offers(values, fractions), rates, room):
                break
        cost, _ = self._border(regions, price)
        return 0.5 * cost + self.total_stake, regions

    def _border(self, regions: Regions, price: Doubles) -> tuple[float, list[Doubles]]:
        return border_values(
            self.walk, self.backward, self.costs, regions, price, futility=self.futility
        )


def solve(
    problem: Problem, rounds: tuple[int, int], keep: int, report: Callable[[], None]
) -> Solution:
    """Solve the design problem by rounds of ascent, and of search for rules within the level."""
    multipliers, lower_bound = _ascend(problem, rounds[0], report)
    found = _within_level(problem, multipliers, rounds[1], report)
    results = [problem.filled(candidate) for candidate in found[-keep:]]
    _, regions = min(results, key=lambda result: result[0])
    return Solution(regions, lower_bound, problem.stops_at_the_edge(multipliers))


def _ascend(problem: Problem, rounds: int, report: Callable[[], None]) -> tuple[Doubles, float]:
    """Raise the multipliers where the error exceeds alpha, lower them elsewhere."""
    multipliers = np.full(problem.price.shape[0], 50.0 / (problem.alpha * problem.price.shape[0]))
    steps = np.ones(multipliers.size)
    side = np.zeros(multipliers.size)
    best_bound, best = -np.inf, multipliers
    for _ in range(rounds):
        bound, regions = problem.best(multipliers, 0.0)
        if bound > best_bound:
            best_bound, best = bound, multipliers
        ratio = problem.errors(regions)[::_FINER] / problem.allowed
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
    found: list[Candidate] = []
    power = 1.0
    done = 0
    while done < rounds or not found:
        _, regions = problem.best(multipliers, _TILT)
        errors = problem.errors(regions)
        ratio = _neighbourhood_maximum(errors)[::_FINER] / problem.allowed
        if errors.max() <= problem.allowed:
            found.append(Candidate(regions, multipliers))
            multipliers = multipliers * np.clip(ratio, 0.97, 1.0)
            power = 1.0
        else:
            multipliers = multipliers * np.clip(1.0001 * ratio, 1.0, 4.0) ** power
            power *= 1.3
        done += 1
        report()
    return found


def _neighbourhood_maximum(errors: Doubles) -> Doubles:
    reach = _FINER // 2
    padded = np.pad(errors, reach, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1)
    result: Doubles = windows.max(axis=1)
    return result

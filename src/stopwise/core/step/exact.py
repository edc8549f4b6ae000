"""A symmetric stopping rule for two success counts, and its exact characteristics.

They are polynomials in the two success rates. The largest error over the one-sided null is bounded
with a proof for the gaps of every grid.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from stopwise.core.arrays import Bools, Doubles
from stopwise.core.barnard import binomial_chances

Counts = NDArray[np.int64]

# Covers the rounding of sums of at most a few thousand positive terms.
ROUNDING = 1e-12
# The proven bound may exceed the largest value found by this fraction of it.
_TOLERANCE = 4e-5
_CHUNK = 1024


@dataclass(frozen=True)
class Rule:
    """When to stop, by the number of pairs ``t``, the total ``s = x + y`` and ``d = y - x``."""

    reject_from: NDArray[np.int16]
    continue_from: NDArray[np.int16]

    @cached_property
    def n_max(self) -> int:
        return len(self.reject_from) - 1

    def rejects(self, n: Counts, successes0: Counts, successes1: Counts) -> Bools:
        result: Bools = successes1 - successes0 >= self.reject_from[n, successes0 + successes1]
        return result

    def is_futile(self, n: Counts, successes0: Counts, successes1: Counts) -> Bools:
        """Whether these states lie in the futility region (never in the last pair), elementwise."""
        distance = np.abs(successes1 - successes0)
        result: Bools = distance < self.continue_from[n, successes0 + successes1]
        return result

    def is_monotone(self) -> bool:
        """Whether rejection only becomes likelier with a success of 1 or a failure of 0."""
        for t in range(1, self.n_max + 1):
            total = np.arange(2 * t + 1)
            # Bounds that no state can reach all mean the same.
            bound = np.minimum(self.reject_from[t, : 2 * t + 1], np.minimum(total, total[::-1]) + 2)
            if np.any(np.abs(np.diff(bound)) > 1):
                return False
        return True

    def table(self, t: int) -> Doubles:
        """1 in the states at time ``t`` that reject, else 0, by (x, y)."""
        return self.rejects(*all_states(t)).astype(np.float64)


def all_states(t: int) -> tuple[Counts, Counts, Counts]:
    """Return the number of pairs and both counts of every state at time ``t``, by (x, y)."""
    counts = np.arange(t + 1)
    return np.full((1, 1), t), counts[:, np.newaxis], counts[np.newaxis, :]


def rejection_given_counts(rule: Rule) -> Doubles:
    """Probability of "+" given the counts (x, y) at the horizon."""
    rejection = np.zeros((1, 1))
    for t, arriving, stop in _passage(rule):
        rejection = _one_more_pair(rejection, t)
        rejection += arriving * stop
    return rejection


def duration_given_counts(rule: Rule) -> Doubles:
    """Find the expected number of pairs of the study, given the counts (x, y) at the horizon."""
    duration = np.zeros((1, 1))
    for t, arriving, _ in _passage(rule):
        # Whoever arrives here was running, and has used this pair.
        duration = _one_more_pair(duration, t)
        duration += arriving
    return duration


def _passage(rule: Rule) -> Iterator[tuple[int, Doubles, Doubles]]:
    """Yield each time, the fraction of orders that arrive by (x, y), and which states reject."""
    running = np.ones((1, 1))
    for t in range(1, rule.n_max + 1):
        running = _one_more_pair(running, t)
        stop = rule.table(t)
        yield t, running, stop
        running = running * (1.0 - stop - stop.T)


def rejection_under_drift(rule: Rule) -> float:
    """Find the largest probability of "+" if both rates may change in reply to every outcome."""
    later = np.zeros((rule.n_max + 1, rule.n_max + 1))
    for t in range(rule.n_max, 0, -1):
        stop = rule.table(t)
        value = stop + (1.0 - stop - stop.T) * later
        neither, both, only_0 = value[:-1, :-1], value[1:, 1:], value[1:, :-1]
        one = only_0 + value[:-1, 1:]
        slope, curvature = one - 2 * neither, neither + both - one
        peak = np.clip(slope / np.maximum(-2 * curvature, 1e-300), 0.0, 1.0)
        top = neither + peak * (slope + peak * curvature)
        later = np.maximum.reduce([neither, both, only_0, top])
    return float(later[0, 0])


def binomial_probabilities(trials: int, rates: Doubles) -> Doubles:
    """Binomial probabilities of all counts, as a matrix (rate, count)."""
    chances = binomial_chances(trials, rates)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def mean_over_counts(matrix: Doubles, rates0: Doubles, rates1: Doubles) -> Doubles:
    """Average a matrix over the final counts, at pairs of rates (one-dimensional arrays)."""
    trials = matrix.shape[0] - 1
    left = binomial_probabilities(trials, rates0) @ matrix
    result: Doubles = np.einsum("ij,ij->i", left, binomial_probabilities(trials, rates1))
    return result


def _one_more_pair(matrix: Doubles, t: int) -> Doubles:
    share = np.arange(1, t) / t
    rows = np.empty((t + 1, t))
    rows[0] = matrix[0]
    rows[t] = matrix[t - 1]
    column = share[:, np.newaxis]
    rows[1:t] = (1.0 - column) * matrix[1:] + column * matrix[:-1]
    result = np.empty((t + 1, t + 1))
    result[:, 0] = rows[:, 0]
    result[:, t] = rows[:, t - 1]
    result[:, 1:t] = (1.0 - share) * rows[:, 1:] + share * rows[:, :-1]
    return result


class WorstCase(NamedTuple):
    """Largest error over the one-sided null ``p1 <= p0``."""

    error: float  # proven upper bound over the whole null
    attained: float  # largest found on the grid of common rates; the supremum lies between the two
    rate: float  # common success rate at which it was found


def worst_case(rejection: Doubles) -> WorstCase:
    """Bound the error of a monotone rule, given the probability of "+" by the final counts."""
    return WorstCase(*diagonal_supremum(diagonal_coefficients(rejection)))


def diagonal_coefficients(rejection: Doubles) -> Doubles:
    """Bernstein coefficients ``r(s)`` of the error at a common rate."""
    trials = rejection.shape[0] - 1
    counts = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(counts + 1) - gammaln(trials - counts + 1)
    totals = counts[:, np.newaxis] + counts[np.newaxis, :]
    every = np.arange(2 * trials + 1)
    pooled = gammaln(2 * trials + 1) - gammaln(every + 1) - gammaln(2 * trials - every + 1)
    share = np.exp(ways[:, np.newaxis] + ways[np.newaxis, :] - pooled[totals])
    size = 2 * trials + 1
    weight = np.bincount(totals.ravel(), share.ravel(), minlength=size)
    mass = np.bincount(totals.ravel(), (share * rejection).ravel(), minlength=size)
    result: Doubles = mass / weight
    return result


def diagonal_supremum(coefficients: Doubles) -> tuple[float, float, float]:
    """Proven bound of a Bernstein polynomial on [0, 1], its largest value on a grid, and where."""
    degree = coefficients.size - 1
    bend = np.abs(np.diff(coefficients, n=2)) * degree * (degree - 1)
    angles = np.linspace(0.0, np.pi / 2, 2 * degree + 1)
    low, high = angles[:-1], angles[1:]
    proven, attained, rate = 0.0, 0.0, 0.0
    while low.size:
        bounds = np.empty(low.size)
        for start in range(0, low.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            ends = np.sin(np.append(low[part], high[part])) ** 2
            values = binomial_probabilities(degree, ends) @ coefficients
            best = int(np.argmax(values))
            if values[best] > attained:
                attained, rate = float(values[best]), float(ends[best])
            left, right = np.split(ends, 2)
            curvature = cell_terms(degree - 2, left, right) @ bend
            at_ends = np.maximum(*np.split(values, 2))
            bounds[part] = at_ends + (right - left) ** 2 / 8.0 * curvature
        settled = bounds <= attained * (1.0 + _TOLERANCE) + ROUNDING
        proven = max(proven, float(bounds[settled].max(initial=0.0)))
        edges = np.linspace(low[~settled], high[~settled], 5)
        low, high = edges[:-1].ravel(), edges[1:].ravel()
    return max(proven, attained) + ROUNDING, attained, rate


def cell_terms(degree: int, low: Doubles, high: Doubles) -> Doubles:
    """Bounds of the Bernstein polynomials of a degree on cells from low to high."""
    width = high - low
    scale = (1.0 + width) ** degree
    result: Doubles = scale[:, np.newaxis] * binomial_probabilities(degree, high / (1.0 + width))
    return result

"""The largest error over the whole one-sided null, with a proof for the gaps of every grid."""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from stopwise.core.arrays import Doubles
from stopwise.core.step.evaluation import binomial_probabilities

# Covers the rounding of sums of at most a few thousand positive terms.
_ROUNDING = 1e-12
# The proven bound may exceed the largest value found by this fraction of it.
_TOLERANCE = 4e-5
_CHUNK = 1024
_CELLS_PER_PAIR = 4
_LEAST_CELLS = 600
_BLOCK = 512


class WorstCase(NamedTuple):
    """Largest error over the one-sided null ``p1 <= p0``.

    Attributes
    ----------
    error : float
        Proven upper bound of the error over the whole null.
    attained : float
        Largest error found on the grid of common rates; the supremum lies between the two.
    rate : float
        Common success rate at which it was found.
    """

    error: float
    attained: float
    rate: float


def worst_case(rejection: Doubles, *, monotone: bool) -> WorstCase:
    """Bound the error over ``p1 <= p0``, given the probability of "+" by the final counts (x, y).

    ``monotone`` says whether the coupling argument applies to the rule.
    """
    bound, attained, rate = diagonal_supremum(diagonal_coefficients(rejection))
    if not monotone and np.any(np.diff(rejection, axis=1) < -_ROUNDING):
        bound = max(bound, _off_diagonal(rejection, bound))
    return WorstCase(bound, attained, rate)


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
            curvature = _cell_terms(degree - 2, left, right) @ bend
            at_ends = np.maximum(*np.split(values, 2))
            bounds[part] = at_ends + (right - left) ** 2 / 8.0 * curvature
        settled = bounds <= attained * (1.0 + _TOLERANCE) + _ROUNDING
        proven = max(proven, float(bounds[settled].max(initial=0.0)))
        edges = np.linspace(low[~settled], high[~settled], 5)
        low, high = edges[:-1].ravel(), edges[1:].ravel()
    return max(proven, attained) + _ROUNDING, attained, rate


def _off_diagonal(rejection: Doubles, target: float) -> float:
    """Largest bound over the cells that neither stay below the target nor rise with ``p1``."""
    trials = rejection.shape[0] - 1
    cells = max(_CELLS_PER_PAIR * trials, _LEAST_CELLS)
    grid = np.sin(np.linspace(0.0, np.pi / 2, cells + 1)) ** 2
    low, high = grid[:-1], grid[1:]
    width = high - low
    terms = [_cell_terms(trials - k, low, high) for k in (0, 1, 2)]
    whole, less = binomial_probabilities(trials, grid), binomial_probabilities(trials - 1, grid)
    by_1 = trials * np.diff(rejection, axis=1)
    pairs = trials * (trials - 1)
    bend_00 = pairs * np.abs(np.diff(rejection, n=2, axis=0))
    bend_11 = pairs * np.abs(np.diff(rejection, n=2, axis=1))
    bend_01 = trials**2 * np.abs(np.diff(np.diff(rejection, axis=0), axis=1))
    largest = 0.0
    for start in range(0, low.size, _BLOCK):
        stop = min(start + _BLOCK, low.size)
        # Cells with p1 <= p0 only: columns up to the last row of the block.
        rows, corners = slice(start, stop), slice(start, stop + 1)
        curve_00 = terms[2][rows] @ bend_00 @ terms[0][:stop].T
        curve_11 = terms[0][rows] @ bend_11 @ terms[2][:stop].T
        curve_01 = terms[1][rows] @ bend_01 @ terms[1][:stop].T
        across, along = width[rows, np.newaxis], width[np.newaxis, :stop]
        error = _corners(whole[corners] @ rejection @ whole[: stop + 1].T, np.maximum)
        error += across**2 / 8.0 * curve_00 + along**2 / 8.0 * curve_11
        slope = _corners(whole[corners] @ by_1 @ less[: stop + 1].T, np.minimum)
        # From the nearest corner of the cell it is at most half a width in each direction.
        slope -= 0.5 * (across * curve_01 + along * curve_11)
        below = low[np.newaxis, :stop] < high[rows, np.newaxis]
        unsettled = below & (slope < 0.0) & (error > target)
        largest = max(largest, float(error[unsettled].max(initial=0.0)))
    return largest


def _corners(values: Doubles, choose: np.ufunc) -> Doubles:
    rows: Doubles = choose(values[1:], values[:-1])
    result: Doubles = choose(rows[:, 1:], rows[:, :-1])
    return result


def _cell_terms(degree: int, low: Doubles, high: Doubles) -> Doubles:
    width = high - low
    scale = (1.0 + width) ** degree
    result: Doubles = scale[:, np.newaxis] * binomial_probabilities(degree, high / (1.0 + width))
    return result

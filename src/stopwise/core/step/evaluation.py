"""Exact operating characteristics of a rule, as polynomials in the two success rates."""

from collections.abc import Iterator

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from stopwise.core.arrays import Doubles
from stopwise.core.step.stopping_rule import Rule


def rejection_given_counts(rule: Rule, *, heed_futility: bool) -> Doubles:
    """Probability of "+" given the counts (x, y) at the horizon."""
    rejection = np.zeros((1, 1))
    for t, arriving, stop in _passage(rule, heed_futility=heed_futility):
        rejection = _one_more_pair(rejection, t)
        rejection += arriving * stop
    return rejection


def duration_given_counts(rule: Rule, *, heed_futility: bool) -> Doubles:
    """Find the expected number of pairs of the study, given the counts (x, y) at the horizon."""
    duration = np.zeros((1, 1))
    for t, arriving, _ in _passage(rule, heed_futility=heed_futility):
        # Whoever arrives here was running, and has used this pair.
        duration = _one_more_pair(duration, t)
        duration += arriving
    return duration


def _passage(rule: Rule, *, heed_futility: bool) -> Iterator[tuple[int, Doubles, Doubles]]:
    """Each time with the fraction of strings that arrive running, and the probability of "+"."""
    running = np.ones((1, 1))
    for t in range(1, rule.n_max + 1):
        running = _one_more_pair(running, t)
        stop = rule.table(t)
        yield t, running, stop
        running = running * (1.0 - stop - stop.T)
        if heed_futility:
            running[rule.futility_table(t)] = 0.0


def rejection_under_drift(rule: Rule, *, heed_futility: bool) -> float:
    """Find the largest probability of "+" if both rates may change in reply to every outcome."""
    later = np.zeros((rule.n_max + 1, rule.n_max + 1))
    for t in range(rule.n_max, 0, -1):
        stop = rule.table(t)
        running = 1.0 - stop - stop.T
        if heed_futility:
            running[rule.futility_table(t)] = 0.0
        value = stop + running * later
        neither, both, only_0 = value[:-1, :-1], value[1:, 1:], value[1:, :-1]
        one = only_0 + value[:-1, 1:]
        slope, curvature = one - 2 * neither, neither + both - one
        peak = np.clip(slope / np.maximum(-2 * curvature, 1e-300), 0.0, 1.0)
        top = neither + peak * (slope + peak * curvature)
        later = np.maximum.reduce([neither, both, only_0, top])
    return float(later[0, 0])


def binomial_probabilities(trials: int, rates: Doubles) -> Doubles:
    """Binomial probabilities of all counts, as a matrix (rate, count)."""
    counts = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(counts + 1) - gammaln(trials - counts + 1)
    column = rates[:, np.newaxis]
    probabilities = np.exp(ways + xlogy(counts, column) + xlog1py(trials - counts, -column))
    result: Doubles = probabilities / probabilities.sum(axis=1, keepdims=True)
    return result


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

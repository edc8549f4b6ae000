"""The folded walk against the plain one."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from stopwise.core.step.exact import Rule, diagonal_coefficients, rejection_given_counts
from stopwise.core.step.synthesis import cost_arrays, default_alternatives
from stopwise.core.step.walk import (
    Walk,
    combine,
    error_coefficients,
    interior,
    never_rejects,
    unfold,
)


def test_without_stops_the_difference_is_hypergeometric() -> None:
    walk = Walk(9, 50.0)
    weights = walk.forward_weights()
    buffers = walk.buffers()
    padded = next(buffers)
    padded[1, 1] = 1.0
    for t in range(1, 10):
        mass = combine(padded, t, walk.shape(t), weights[t])
        padded = next(buffers)
        interior(padded, walk.shape(t))[...] = mass
    # t = 9, total 6 (m = 3): d = 2 is x = 2, y = 4; row 2 holds m = 2 j + 1.
    assert mass[1, 0, 1] == pytest.approx(hypergeom(18, 9, 6).pmf(2))


def test_folded_error_equals_the_unfolded_one() -> None:
    n_max = 15
    reject_from = never_rejects(n_max)
    rows = np.arange(n_max + 2)
    for t in range(n_max + 1):
        reject_from[t] = 4 + (t - rows) % 2
    walk = Walk(n_max, 50.0)
    folded = error_coefficients(walk, walk.forward_weights(), reject_from)
    table = unfold(reject_from)
    rule = Rule(table, np.zeros_like(table))
    plain = diagonal_coefficients(rejection_given_counts(rule))
    assert folded == pytest.approx(plain[n_max:], abs=1e-13)
    assert plain == pytest.approx(plain[::-1], abs=1e-13)


def test_cost_of_a_pair_is_the_mixture_likelihood() -> None:
    walk, alternatives = Walk(6, 50.0), default_alternatives(6)
    running = cost_arrays(walk, alternatives).running
    assert running[0][0, 0, 0] == pytest.approx(2.0)
    # t = 2, x = 0, y = 1: m = 1, d = 1, and C(4, 1) strings with this total.
    p0, p1, weights, _ = alternatives
    one = (1 - p0) ** 2 * p1 * (1 - p1) + (1 - p1) ** 2 * p0 * (1 - p0)
    assert running[2][0, 1, 0] == pytest.approx(4 * np.sum(weights * one))

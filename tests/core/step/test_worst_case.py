"""The bound of the worst case, on rules for which it is known or can be searched for."""

import numpy as np
import pytest
from scipy.interpolate import BPoly

from benchmarks.paper.published_step import off_diagonal
from stopwise.core.step.exact import diagonal_supremum, worst_case


def test_supremum_of_a_known_polynomial() -> None:
    # p (1 - p) has Bernstein coefficients i (2 - i) / 2 of degree 2, and supremum 1/4.
    bound, attained, rate = diagonal_supremum(np.array([0.0, 0.5, 0.0]))
    assert attained == pytest.approx(0.25)
    assert 0.25 <= bound <= 0.25 * (1 + 1e-4)
    assert rate == pytest.approx(0.5)


def test_supremum_between_grid_points_is_covered() -> None:
    rng = np.random.default_rng(1)
    coefficients = rng.random(41)
    bound, attained, _ = diagonal_supremum(coefficients)
    fine = np.linspace(0, 1, 200_001)
    values = BPoly(coefficients[:, np.newaxis], [0, 1])(fine)
    assert values.max() <= bound
    assert attained <= values.max() * (1 + 1e-5)


def test_error_off_the_diagonal_counts() -> None:
    # A rule that "rejects" when policy 1 is much worse errs most far from the diagonal.
    counts = np.arange(11)
    rejection = (counts[:, np.newaxis] - counts >= 8).astype(float)
    worst = worst_case(rejection)
    assert worst.error < 0.01
    assert off_diagonal(rejection, worst.error) >= 1.0 - 1e-9

"""Barnard's test decides the ties of its statistic exactly; the interval agrees with it."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binom

from stopwise.core.barnard import barnard_p_value, difference_interval

Table = tuple[int, int, int, int]


def score(table: Table) -> Fraction:
    """Return the signed square of the score statistic, up to a constant."""
    x0, n0, x1, n1 = table
    gap, successes = x1 * n0 - x0 * n1, x0 + x1
    spread = successes * (n0 + n1 - successes)
    return Fraction(gap * abs(gap), spread) if spread else Fraction(0)


def slow_p_value(table: Table, order: Callable[[Table], Fraction], rates: int = 2000) -> float:
    """Return the largest tail over a fine grid of rates, its tables chosen in rational numbers."""
    _, n0, _, n1 = table
    ways = [0] * (n0 + n1 + 1)
    for y0, y1 in product(range(n0 + 1), range(n1 + 1)):
        if order((y0, n0, y1, n1)) >= order(table):
            ways[y0 + y1] += comb(n0, y0) * comb(n1, y1)
    rate = np.linspace(0, 1, rates + 1)[:, None]
    s = np.arange(n0 + n1 + 1)
    return float((rate**s * (1 - rate) ** s[::-1] @ np.array(ways, dtype=float)).max())


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((10, 10, 10, 15), 0.0509263),
        ((0, 10, 5, 15), 0.0509263),
        ((13, 20, 6, 20), 0.0384831),
        ((7, 20, 14, 20), 0.0384831),
    ],
)
def test_barnard_counts_tables_that_tie(table: Table, expected: float) -> None:
    """Rounding breaks the ties of scipy's statistic, and p-values come out too small."""
    slow = slow_p_value(table, lambda other: abs(score(other)))

    assert barnard_p_value(*table, two_sided=True) == pytest.approx(slow, rel=1e-5)
    assert slow == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("trials", [(3, 3), (6, 7), (9, 9), (10, 4)])
@pytest.mark.parametrize("two_sided", [False, True])
def test_barnard_of_all_small_tables(trials: tuple[int, int], two_sided: bool) -> None:
    """Equal to slow rational arithmetic, and the same with successes and failures swapped."""
    n0, n1 = trials
    for x0, x1 in product(range(n0 + 1), range(n1 + 1)):
        p_value = barnard_p_value(x0, n0, x1, n1, two_sided=two_sided)
        mirrored = barnard_p_value(n1 - x1, n1, n0 - x0, n0, two_sided=two_sided)
        slow = slow_p_value(
            (x0, n0, x1, n1), lambda table: abs(score(table)) if two_sided else score(table)
        )

        assert mirrored == pytest.approx(p_value, rel=1e-9)
        assert slow - 1e-9 <= p_value <= slow * (1 + 1e-4)


N0, N1, LEVEL = 7, 9, 0.9
INTERVALS = {
    (x0, x1): difference_interval(x0, N0, x1, N1, LEVEL)
    for x0 in range(N0 + 1)
    for x1 in range(N1 + 1)
}


def test_it_excludes_0_exactly_when_barnards_test_rejects() -> None:
    for (x0, x1), interval in INTERVALS.items():
        assert interval is not None
        rejected = barnard_p_value(x0, N0, x1, N1, two_sided=True) <= 1 - LEVEL
        assert rejected == (not interval.low <= 0 <= interval.high)


def test_it_holds_with_its_probability_at_all_rates() -> None:
    for rate0 in np.linspace(0, 1, 15):
        for rate1 in np.linspace(0, 1, 15):
            chances = np.outer(
                binom.pmf(range(N0 + 1), N0, rate0), binom.pmf(range(N1 + 1), N1, rate1)
            )
            covered = sum(
                chances[place]
                for place, interval in INTERVALS.items()
                if interval is not None
                and interval.low <= rate1 - rate0 + 1e-9
                and rate1 - rate0 - 1e-9 <= interval.high
            )
            assert covered >= LEVEL


def test_too_many_trials_have_none() -> None:
    assert difference_interval(1, 1000, 5, 1000, 0.95) is None

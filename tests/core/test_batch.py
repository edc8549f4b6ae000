"""The fixed-sample references are exact or scipy's, at n_max and only there."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stopwise as sw
from stopwise.core.barnard import barnard_p_value

SUCCESSES0 = [1] * 14 + [0] * 6
SUCCESSES1 = [1] * 19 + [0] * 1


@pytest.mark.parametrize(
    ("name", "scipy_test"),
    [
        ("barnard", stats.barnard_exact),
        ("boschloo", stats.boschloo_exact),
        ("fisher", stats.fisher_exact),
    ],
)
def test_counts_agree_with_scipy(name: str, scipy_test: Any) -> None:
    verdict = sw.SequentialTest(name, n_max=20).run(SUCCESSES0, SUCCESSES1)
    less = sw.SequentialTest(name, n_max=20, alternative="less").run(SUCCESSES0, SUCCESSES1)

    table = [[19, 14], [1, 6]]
    assert verdict.p_value == pytest.approx(scipy_test(table, alternative="greater").pvalue)
    assert less.p_value == pytest.approx(scipy_test(table, alternative="less").pvalue)


@pytest.mark.parametrize("margin", [0.0, 0.05])
def test_welch_agrees_with_scipy(margin: float) -> None:
    rng = np.random.default_rng(10)
    scores0, scores1 = rng.beta(2, 2, 30), rng.beta(3, 2, 30)

    verdict = sw.SequentialTest("welch", n_max=30, margin=margin).run(scores0, scores1)

    expected = stats.ttest_ind(scores1 - margin, scores0, equal_var=False, alternative="greater")
    assert verdict.p_value == pytest.approx(expected.pvalue)


def test_nothing_is_said_before_n_max() -> None:
    test = sw.SequentialTest("fisher", n_max=20)

    early = test.run([0] * 19, [1] * 19)
    late = test.update(0, 1)

    assert (early.decided, early.p_value, early.e_value) == (False, 1.0, None)
    assert "fisher answers only at n_max = 20" in str(early)
    assert late.decision == "policy1"
    assert late.p_value < 1e-6


@pytest.mark.parametrize("value", [0.0, 0.5])
def test_welch_without_spread_or_second_pair(value: float) -> None:
    """All scores equal: no error, no warning, no claim."""
    same = sw.SequentialTest("welch", n_max=5).run([value] * 5, [value] * 5)
    apart = sw.SequentialTest("welch", n_max=5).run([value] * 5, [1.0] * 5)
    margin = sw.SequentialTest("welch", n_max=5, margin=0.3).run([0.6] * 5, [0.9] * 5)
    single = sw.SequentialTest("welch", n_max=1).run([value], [1.0])

    assert same.p_value == 1.0
    assert apart.decision == "policy1"
    assert not single.decided
    assert not margin.decided  # .9 - .6 exceeds .3 by rounding only


def test_simulated_tables_agree_with_the_stream() -> None:
    rng = np.random.default_rng(11)
    scores0, scores1 = rng.random((40, 15)) < 0.4, rng.random((40, 15)) < 0.8

    sim = sw.simulate("boschloo", scores0, scores1, n_max=15, alternative="two-sided")

    for run in range(40):
        test = sw.SequentialTest("boschloo", n_max=15, alternative="two-sided")
        verdict = test.run(scores0[run], scores1[run])
        assert sim.p_value[run] == verdict.p_value


def test_welch_can_err_far_above_its_level_and_is_not_called_exact() -> None:
    """A tie: .05 each time against 5 % successes. Without any success it decides, being sure."""
    test = sw.SequentialTest("welch", n_max=10, alternative="two-sided", ties="strict")

    assert test.run([0.05] * 10, [0.0] * 10).decision == "policy0"
    assert stats.binom.pmf(0, 10, 0.05) > 0.59
    assert [name for name, info in sw.methods().items() if not info.exact] == ["welch"]
    assert [name for name, info in sw.methods().items() if info.constant_rates] == [
        "step", "barnard", "boschloo", "fisher", "welch",
    ]  # fmt: skip


Table = tuple[int, int, int, int]


def score(table: Table) -> Fraction:
    """Return the signed square of the score statistic, up to a constant."""
    x0, n0, x1, n1 = table
    gap, successes = x1 * n0 - x0 * n1, x0 + x1
    spread = successes * (n0 + n1 - successes)
    return Fraction(gap * abs(gap), spread) if spread else Fraction(0)


def fisher(table: Table) -> Fraction:
    """Return minus Fisher's p-value, so that more is more extreme."""
    x0, n0, x1, n1 = table
    ways = [comb(n1, y) * comb(n0, x0 + x1 - y) for y in range(x1, min(n1, x0 + x1) + 1)]
    return -Fraction(sum(ways), comb(n0 + n1, x0 + x1))


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


def test_barnard_does_not_decide_where_a_tie_forbids_it() -> None:
    verdict = sw.SequentialTest("barnard", n_max=15).run([1] * 10 + [0] * 5, [1] * 14 + [0])

    assert not verdict.decided
    assert verdict.p_value == pytest.approx(0.0500928, abs=1e-6)


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


@pytest.mark.parametrize(("name", "order"), [("boschloo", fisher), ("fisher", None)])
def test_boschloo_and_fisher_break_no_ties(name: str, order: Any) -> None:
    n = 6
    for x0, x1 in product(range(n + 1), range(n + 1)):
        scores0, scores1 = ([1] * x + [0] * (n - x) for x in (x0, x1))
        p_value = sw.SequentialTest(name, n_max=n).run(scores0, scores1).p_value
        table = (x0, n, x1, n)
        exact = -float(fisher(table)) if order is None else slow_p_value(table, order)

        assert p_value == pytest.approx(exact, rel=1e-5)


def test_barnard_agrees_with_scipy_where_nothing_ties() -> None:
    """7 and 11 trials have no common divisor, so that few tables tie."""
    for table in [(2, 7, 10, 11), (1, 7, 6, 11), (0, 7, 4, 11)]:
        x0, n0, x1, n1 = table
        counts = [[x1, x0], [n1 - x1, n0 - x0]]
        for alternative in ("greater", "two-sided"):
            theirs = stats.barnard_exact(counts, alternative=alternative, n=256).pvalue

            assert barnard_p_value(*table, two_sided=alternative == "two-sided") == pytest.approx(
                theirs, rel=1e-6
            )


def test_barnard_of_many_trials_stays_near_fisher() -> None:
    ours = barnard_p_value(1340, 2000, 1420, 2000)
    fishers = stats.fisher_exact([[1420, 1340], [580, 660]], alternative="greater").pvalue

    assert 0.8 * fishers < ours < 1.1 * fishers

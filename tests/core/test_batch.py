"""The fixed-sample references are scipy's tests, at n_max and only there."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import stopwise as sw

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

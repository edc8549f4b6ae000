"""A live test of one policy against a number."""

from typing import Any

import numpy as np
import pytest

import stopwise as sw

SCORES = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] * 3


@pytest.mark.parametrize("method", ["nscore-plus", "nscore", "wsr"])
def test_up_and_down_are_mirrors(method: str) -> None:
    """Successes against .3 are failures against .7."""
    scores = np.array(SCORES)
    up = sw.SequentialTest(method, n_max=48, reference=0.3, alternative="greater").run(scores)
    down = sw.SequentialTest(method, n_max=48, reference=0.7, alternative="less").run(1 - scores)
    assert up.n == down.n
    assert up.decided
    assert up.log_e == pytest.approx(down.log_e)
    assert up.interval.low == pytest.approx(1 - down.interval.high)


def test_sentences() -> None:
    one_sided: Any = {"reference": 0.6, "n_max": 48, "alternative": "greater"}
    test = sw.SequentialTest(**one_sided)
    assert str(test.verdict).startswith("No trials yet on whether the policy is better than 0.6 (")
    undecided = test.update(1)
    assert str(undecided).startswith(
        "Undecided after 1 of at most 48 trials whether the policy is better than 0.6, which does "
        "not show that it is equal to that; mean 1, anytime p"
    )
    decided = str(test.run(SCORES))
    assert decided.startswith("The policy is better than 0.6: decided after ")
    assert "95% confidence bound: the mean is " in decided
    assert "design" not in decided
    both = sw.SequentialTest(reference=0.6, n_max=48).run([0] * 30)
    assert str(both).startswith("The policy is worse than 0.6: decided after ")
    assert both.interval.high < 0.6
    assert both.mean0 == 0.6
    near = sw.SequentialTest(reference=0.6, margin=-0.1).run(SCORES)
    assert str(near).startswith("The policy is not worse than 0.6 by 0.1 or more: decided")
    assert near.interval.low > 0.5


def test_margin_is_another_number() -> None:
    shifted = sw.SequentialTest(reference=0.5, margin=0.1, n_max=48).run(SCORES)
    direct = sw.SequentialTest(reference=0.6, n_max=48).run(SCORES)
    assert shifted.n == direct.n
    assert shifted.log_e == pytest.approx(direct.log_e)


@pytest.mark.parametrize("futility", [None, "advisory", "binding"])
def test_step_and_futility(futility: Any) -> None:
    test = sw.SequentialTest(
        "step", n_max=50, reference=0.6, futility=futility, alternative="greater"
    )
    verdict = test.run([0] * 49)
    assert verdict.futile == (futility is not None)
    assert (verdict.n < 49) == (futility == "binding")


@pytest.mark.parametrize("lower", [False, True])
def test_the_interval_leaves_the_number_out_however_large_it_is(lower: bool) -> None:
    scores = 1e6 + (np.random.default_rng(4).random(200) < 0.75)
    number = 1e6 + 0.5

    verdict = sw.SequentialTest(bounds=(1e6, 1e6 + 1), reference=number, lower_is_better=lower).run(
        scores
    )

    assert verdict.decided
    assert verdict.interval.low > number

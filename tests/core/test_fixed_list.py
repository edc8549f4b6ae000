"""A fixed list of scenes: what a test of it says, and what it refuses."""

import numpy as np
import pytest

import stopwise as sw
from stopwise.errors import InvalidInput

RNG = np.random.default_rng(1)
WORSE, BETTER = ((RNG.random(60) < rate).astype(float) for rate in (0.5, 0.8))


def test_the_sentence_says_what_the_claim_is_about() -> None:
    verdict = sw.SequentialTest(list_size=60, design="paired").run(WORSE, BETTER)

    claim = "Policy 1 is better than policy 0 on these 60 scenes, in this run: decided after "
    assert str(verdict).startswith(claim)
    assert verdict.n_max == 60
    assert verdict.n < 60


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_scenes_on_which_policies_are_alike_decide_too(alternative: str) -> None:
    better = np.isin(np.arange(200), (30, 90)) * 1.0
    test = sw.SequentialTest(list_size=200, design="paired", alternative=alternative)

    assert test.run(np.zeros(200), better).n < 175


def test_a_tie_is_equal_on_this_list() -> None:
    verdict = sw.SequentialTest(list_size=3, design="paired").run([0.1, 0.2, 0], [0.3, 0, 0])

    assert str(verdict).startswith("Policy 0 and policy 1 are equal on these 3 scenes, in this run")
    assert verdict.decision == "equivalent"
    assert str(verdict.interval) == "Interval(low=0.0, high=0.0)"
    assert verdict.p_value == 0


def test_a_claim_that_can_no_longer_be_shown_is_said_to_be_so() -> None:
    test = sw.SequentialTest(list_size=10, alternative="greater", design="paired")

    verdicts = [test.update(1, 0) for _ in range(6)]

    assert [verdict.stop for verdict in verdicts] == [False] * 4 + [True] * 2


def test_more_than_a_list_is_refused() -> None:
    test = sw.SequentialTest(list_size=2, design="paired")
    test.run([0, 1], [1, 0])
    with pytest.raises(InvalidInput, match="n_max = 2 pairs are already in"):
        test.update(1, 1)

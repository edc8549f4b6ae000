"""What a verdict on one pair says, in words and numbers."""

import re
from typing import Any

import pytest

import stopwise as sw


def test_an_extended_study_names_both_numbers() -> None:
    test = sw.SequentialTest(n_max=4)
    test.run([0, 1, 0, 1], [1, 1, 1, 0])
    test.extend(50)
    verdict = sw.SequentialTest.from_json(test.to_json()).update(0, 1)

    assert (verdict.n_max, verdict.n_max_declared, verdict.n_max_reached) == (50, 4, False)
    assert "after 5 of at most 50 pairs (extended from at most 4) whether" in str(verdict)
    assert "n_max=50 (extended from 4)" in repr(test)
    assert test.rules.n_max == 4  # what the bets were planned for

    test.extend()

    assert "after 4 pairs (extended from at most 4) whether" in str(test.verdict)
    assert test.verdict.n_max is None
    assert "extended" not in str(sw.SequentialTest(n_max=4).update(0, 1))


def test_a_tiny_alpha_is_not_called_certainty() -> None:
    assert "1 - 1e-12 confidence bound" in str(
        sw.SequentialTest(alpha=1e-12, alternative="greater").update(0, 1)
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"alternative": "less", "margin": -0.2}, "policy 0 is not worse than policy 1 by 0.2"),
        ({"ties": "paper"}, "either policy is better, .*alpha = 0.05 per direction"),
        ({}, "either policy is better, .*alpha = 0.05, ties count as errors"),
        ({"margin": 0.3}, "either policy is better by more than 0.3"),
        ({"alpha": 1e-9}, "99.9999999% confidence"),
    ],
)
def test_sentence_names_the_question(settings: dict[str, Any], words: str) -> None:
    verdict = sw.SequentialTest("nscore", **settings).run([0.5] * 3, [0.6] * 3)

    assert re.search(words, str(verdict))


def test_sentence_says_what_was_found_and_what_was_not() -> None:
    verdict = sw.SequentialTest("nscore", n_max=50).run([0.2] * 20, [0.9] * 20)
    open_question = sw.SequentialTest("nscore", n_max=50).run([0.5] * 7, [0.5] * 7)

    assert str(verdict) == (
        f"Policy 1 is better than policy 0: decided after {verdict.n} pairs; means 0.2 (policy 0) "
        f"and 0.9 (policy 1), anytime p = {verdict.p_value:.2g}, 95% confidence sequence of "
        f"the difference [{verdict.interval.low:.3g}, {verdict.interval.high:.3g}], nscore, "
        "two-sided, alpha = 0.05, ties count as errors, independent design."
    )
    assert str(open_question).startswith(
        "Undecided after 7 of at most 50 pairs whether either policy is better, which "
        "does not show that they are equal;"
    )

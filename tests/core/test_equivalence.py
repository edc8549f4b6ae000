"""Practically the same: four ends of a test of two policies, alone and in simulations."""

from typing import Any

import numpy as np

import stopwise as sw
from stopwise.core.arrays import Floats

N = 120
CASES: dict[str, dict[str, Any]] = {
    "nscore-plus": {},
    "nscore-plus, no n_max": {"n_max": None},
    "nscore-plus, strict": {"ties": "strict"},
    "nscore-plus, paired": {"design": "paired"},
    "nscore-plus, binding": {"futility": "binding"},
    "nscore": {"bins": 5},
    "wsr": {"design": "paired"},
    "savi": {},
}


def settings_of(case: str, **more: Any) -> dict[str, Any]:
    usual = {"n_max": N, "alternative": "two-sided", "equivalence": 0.2}
    return {"method": case.split(",", maxsplit=1)[0], **usual, **CASES[case], **more}


def binary(*rates: float, runs: int = 1, seed: int = 1) -> list[Floats]:
    rng = np.random.default_rng(seed)
    return [(rng.random((runs, N)) < rate) * 1.0 for rate in rates]


def test_equal_policies_end_as_equivalent_and_the_sentence_says_what_that_rests_on() -> None:
    scores = binary(0.5, 0.5)

    verdict = sw.SequentialTest(**settings_of("nscore-plus")).run(scores[0][0], scores[1][0])

    assert (verdict.decision, verdict.decided) == ("equivalent", True)
    assert verdict.p_value == verdict.p_equivalent
    assert str(verdict).startswith(
        "Policy 0 and policy 1 are practically the same (means less than 0.2 apart): decided after "
    )
    assert str(verdict).endswith("Sameness assumes a difference that stays the same throughout.")


def test_the_end_is_final() -> None:
    scores = binary(0.5, 0.5)
    test = sw.SequentialTest(**settings_of("nscore-plus", n_max=None))
    ended = test.run(scores[0][0], scores[1][0])
    for _ in range(60):
        later = test.update(0, 1)

    assert (later.decision, later.n_decided) == ("equivalent", ended.n)
    assert later.p_equivalent == ended.p_equivalent


def test_futile_only_if_no_end_is_in_reach() -> None:
    """Equal policies: no difference can be shown any more, but sameness still can."""
    scores0, scores1 = [0, 1] * 45, [1, 0] * 45
    plain, four = (
        sw.SequentialTest(n_max=N, alternative="two-sided", equivalence=within)
        for within in (None, 0.25)
    )
    for r0, r1 in zip(scores0[:55], scores1[:55], strict=True):
        without, verdict = plain.update(r0, r1), four.update(r0, r1)

    assert without.futile
    assert without.chance is not None
    assert verdict.chance is not None
    assert not verdict.futile
    assert verdict.chance > 0.5 > without.chance
    hopeless = sw.SequentialTest(n_max=N, alternative="two-sided", equivalence=0.05)
    for r0, r1 in zip(scores0, scores1, strict=True):
        verdict = hopeless.update(r0, r1)
    assert verdict.futile

"""What an answer must say beside its numbers: assumptions that the data call for, and every end."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import stopwise as sw

ALIKE = (0.5 + 0.2 * np.sin(np.arange(300))).tolist()


def blocks(lacking: int) -> dict[str, list[object]]:
    """Return 30 blocks of a good and a bad policy, of which the last few lack the good one."""
    rows = [(policy, str(block)) for block in range(30) for policy in ("old", "new")]
    kept = [row for row in rows if row[0] == "old" or int(row[1]) < 30 - lacking]
    return {
        "policy": [policy for policy, _ in kept],
        "block": [block for _, block in kept],
        "score": [float(policy == "new") * 0.9 for policy, _ in kept],
    }


@pytest.mark.parametrize(
    ("answer", "lacking"),
    [(partial(sw.gate, "new", "old", 0.1), 3), (sw.analyze, 28)],
)
def test_an_answer_says_what_rows_without_a_partner_assume(answer: Any, lacking: int) -> None:
    for gone in (0, lacking):
        trials = sw.read_trials(blocks(gone), bounds=(0, 1))
        found = answer(trials) if answer is sw.analyze else answer(results=trials)
        said = [text for text in found.warnings if "which trials are missing" in text]
        assert len(said) == (1 if gone else 0)
        assert found.design == "paired"


def test_a_pair_that_is_practically_the_same_is_called_so_everywhere() -> None:
    settings: dict[str, Any] = {"design": "paired", "bounds": (0, 1), "equivalence": 0.2}
    found = sw.analyze({"a": ALIKE, "b": ALIKE}, **settings)
    (pair,) = found.pairs

    assert pair.decision is sw.Decision.EQUIVALENT
    assert pair.same
    assert pair.decided
    assert pair.better is None
    assert pair.worse is None
    assert pair.relation == "a = b"
    assert pair.finding == "practically the same"
    assert pair.claim == "a and b are practically the same (means less than 0.2 apart)"
    assert found.order_text == "a = b (within 0.2)"

    test = sw.SequentialTest(
        alternative="two-sided", ties="strict", design="paired", equivalence=0.2
    )
    verdict = test.run(ALIKE, ALIKE)
    assert verdict.decision is sw.Decision.EQUIVALENT
    assert "Policy 0 and policy 1 are practically the same" in str(verdict)


def test_rows_that_look_sorted_are_a_doubt_and_random_ones_are_not() -> None:
    rng = np.random.default_rng(2)
    first = (rng.random((2, 100)) < [[0.9], [0.4]]) * 1.0
    later = (rng.random((2, 100)) < [[0.6], [0.5]]) * 1.0
    rows = np.concatenate([later, first], axis=1)
    sorted_rows, random_rows = (
        sw.analyze(dict(zip("ab", own, strict=True)), bounds=(0, 1))
        for own in (rows, rng.permutation(rows, axis=1))
    )

    assert any("changes along the rows" in doubt for doubt in sorted_rows.doubts)
    assert not any("changes along the rows" in doubt for doubt in random_rows.doubts)


def test_who_wins_against_one_alone_is_no_best() -> None:
    """Of wins nothing follows through a third: the best must win against every other."""
    rng = np.random.default_rng(1)
    a, b = rng.random(400), rng.random(400)
    c = np.where(rng.random(400) < 0.5, a + 0.1, a - 0.1)  # as often above "a" as below
    found = sw.analyze({"a": a + 1, "b": b, "c": c + 1}, by="wins", design="paired")

    assert {pair.relation for pair in found.pairs if pair.decided} == {"a > b", "c > b"}
    assert found.best is None
    assert set(found.candidates) == {"a", "c"}


def test_nothing_follows_from_wins_through_a_third() -> None:
    """Here a wins more often against b, b against c, and c against a."""
    kinds = np.array([[3.0, 2.0, 1.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0]])
    rows = kinds[np.random.default_rng(1).choice(3, 600, p=[0.4, 0.35, 0.25])]
    found = sw.analyze(dict(zip("abc", rows.T, strict=True)), by="wins", design="paired")

    assert {pair.relation for pair in found.pairs} == {"a > b", "b > c", "c > a"}


def test_an_analysis_says_that_bounds_were_assumed() -> None:
    for bounds in (None, (0, 1)):
        found = sw.analyze({"a": ALIKE, "b": ALIKE}, bounds=bounds)
        assert any("no bounds" in text for text in found.warnings) == (bounds is None)

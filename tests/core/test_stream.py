"""Settings, sentences and bad input of one live comparison."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import stopwise as sw
from stopwise.core.snapshot import dump


@pytest.mark.parametrize("n_max", [30, None])
def test_an_extended_study_bets_as_one_of_the_new_length(n_max: int | None) -> None:
    """From the wealth and the data at hand, pair by pair, also after it was saved."""
    rng = np.random.default_rng(4)
    scores = rng.random((30, 2))
    test = sw.SequentialTest("nscore-plus", n_max=10, alternative="greater")
    method = test._comparison.test
    state = method.start((1,))
    for r0, r1 in scores[:10]:
        test.update(r0, r1)
        state = method.step(state, *test._comparison.directed(np.asarray(r0), np.asarray(r1)))
    with pytest.raises(sw.InvalidInput, match="extend"):
        test.update(0.5, 0.5)
    test.extend(n_max)
    test = sw.SequentialTest.from_json(test.to_json())
    method = replace(method, n_max=n_max)
    for r0, r1 in scores[10:30]:
        verdict = test.update(r0, r1)
        state = method.step(state, *test._comparison.directed(np.asarray(r0), np.asarray(r1)))
        assert verdict.log_e == method.evidence(state).log_e[0]
    if n_max is not None:
        with pytest.raises(sw.InvalidInput, match="n_max = 30 pairs are already in"):
            test.run([0.5], [0.5])
        test.extend()
    assert test.update(0.5, 0.5).n == 31


def test_what_cannot_be_extended_says_so() -> None:
    with pytest.raises(sw.InvalidInput, match="step answers only up to its declared n_max"):
        sw.SequentialTest("step", n_max=20).extend(30)
    with pytest.raises(sw.InvalidInput, match="nothing to extend"):
        sw.SequentialTest("nscore").extend(30)
    with pytest.raises(sw.InvalidInput, match="n_max"):
        sw.SequentialTest("nscore", n_max=20).extend(10)


def redigested(text: str, **changes: Any) -> str:
    """A snapshot whose content was altered and whose digest was made to match."""
    content = {**json.loads(text)["content"], **changes}
    return dump("SequentialTest", 1, content)


@pytest.mark.parametrize(
    "changes",
    [
        {"given": None},
        {"given": [[0.2]]},
        {"given": [[0.2, 0.9]] * 51},
        {"given": [{"n_max": 20}]},
        {"settings": {"method": "magic"}},
        {"settings": {"method": "nscore", "levels": 3}},
    ],
)
def test_snapshots_that_do_not_fit_together_are_refused(changes: dict[str, Any]) -> None:
    test = sw.SequentialTest("nscore", n_max=50)
    test.update(0.2, 0.9)

    with pytest.raises(sw.InvalidState, match="does not fit together"):
        sw.SequentialTest.from_json(redigested(test.to_json(), **changes))


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, "1" * 5000, b"\xff\xfe", '{"kind": 1}', "null"]
)
def test_nonsense_is_no_snapshot(text: Any) -> None:
    with pytest.raises(sw.InvalidState, match="this is not a saved SequentialTest"):
        sw.SequentialTest.from_json(text)


def test_huge_evidence_does_not_overflow() -> None:
    test = sw.SequentialTest("nscore")
    for _ in range(1500):
        verdict = test.update(0.0, 1.0)

    assert verdict.e_value == float("inf")
    assert verdict.p_value == 0.0
    assert verdict.interval.low > 0.98


def test_binding_futility_ends_the_study_and_advice_does_not() -> None:
    """Equal outcomes until the futility region; then only the advisory study may go on."""
    scores = [0, 1] * 30, [0, 1] * 30
    binding = sw.SequentialTest("step", n_max=60, futility="binding")
    advisory = sw.SequentialTest("step", n_max=60)

    ended = binding.run(*scores)
    advised = advisory.run(*scores)

    assert ended.futile
    assert ended.n < 60
    with pytest.raises(sw.InvalidInput, match="ended at a binding futility stop after"):
        binding.update(0, 1)
    assert advised.n == 60
    assert "a decision by n_max has become unlikely" in str(ended)


def test_a_decided_test_takes_no_further_run() -> None:
    """Used for a second task, it would answer with the first one's decision."""
    test = sw.SequentialTest(n_max=50, alternative="greater")
    first = test.run([0.0] * 30, [1.0] * 30)

    assert (first.decision, first.n) == (sw.Decision.POLICY1, 4)
    with pytest.raises(sw.InvalidInput, match=r"decided after 4 pairs .* make a new test"):
        test.run([1.0] * 30, [0.0] * 30)
    assert test.verdict == first
    assert test.update(1.0, 0.0).n == 5  # one at a time, the interval goes on


def test_pairs_beyond_n_max_are_not_used_and_then_refused() -> None:
    test = sw.SequentialTest(n_max=4)

    assert test.run([0.5] * 6, [0.5] * 6).n == 4
    assert test.verdict.n_max_reached
    with pytest.raises(sw.InvalidInput, match="n_max = 4 pairs are already in"):
        test.run([0.5], [0.5])


def test_the_figure_of_a_test_has_its_whole_history_also_after_a_crash() -> None:
    rng = np.random.default_rng(3)
    test = sw.SequentialTest(alternative="two-sided", ties="paper", n_max=25)
    for pair in range(30):
        test.update(rng.random(), 0.4 + 0.6 * rng.random())
        if pair == 12:
            test.extend(40)
            test = sw.SequentialTest.from_json(test.to_json())

    drawn = test.plot(("base", "new")).axes[0]

    assert drawn.get_title() == "new is better than base, 30 pairs seen"
    assert [line.get_label() for line in drawn.lines[:2]] == ["new > base", "base > new"]
    towards_new = np.asarray(drawn.lines[0].get_ydata())
    assert towards_new.size == 31
    assert towards_new[-1] == test.verdict.p_value
    assert "30" in test._repr_html_()
